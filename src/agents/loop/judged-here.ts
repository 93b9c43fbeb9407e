import { asJson, isMessage, lastUserMessage, type ModelMessage } from '../../model/chat/message.ts'
import type { Decider, Thought, Conversation } from './decider.ts'

/** The messages as hooks settled them, or the turn's own where what came back is no list of messages. */
const settledMessages = (value: unknown, own: readonly ModelMessage[]): readonly ModelMessage[] =>
  Array.isArray(value) && value.every(isMessage) ? value : own

/**
 * For a decider that asks no model through the gate: this host fires the two events around each call. A model
 * behind the gate has them fired there, where no tool can leave them out.
 */
export const judgedHere =
  (model: string, decide: (view: Conversation) => Thought): Decider['think'] =>
  async (view, { signal, iteration, reporter }) => {
    const { system, messages } = view
    const question = { system, model, last_user_message: lastUserMessage(messages), iteration }
    const before = await reporter.fire(
      'pre_llm_call',
      { ...question, messages: messages.map(asJson) },
      signal,
    )
    if (before.verdict !== 'allow' || before.stopsTurn) return { blocked: before.reason }
    const contexts = [...view.contexts, ...(before.context === '' ? [] : [before.context])]
    const thought = decide({
      ...view,
      messages: settledMessages(before.payload['messages'], messages),
      contexts,
    })
    const { text: response, usage } = thought
    await reporter.fire('post_llm_call', { model, response, usage: { ...usage }, cost: 0 }, signal)
    return { thought }
  }

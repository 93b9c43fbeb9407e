import { asJson, isMessage, lastUserMessage, type ModelMessage } from '../../shared/chat/message.ts'
import type { Decider, Thought, Conversation } from './decider.ts'

/**
 * Returns the messages after hooks, or the turn's own messages when the hooks' value is not a list of
 * messages.
 */
const settledMessages = (value: unknown, own: readonly ModelMessage[]): readonly ModelMessage[] =>
  Array.isArray(value) && value.every(isMessage) ? value : own

/**
 * Makes the `think` of a decider that does not ask a model through the gate. This host then fires the two
 * events around each call. For a model behind the gate the gate fires them, so that no tool can skip them.
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
    if (before.verdict !== 'allow' || before.stopsTurn)
      return { blocked: before.reason, isTold: before.isTold }
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

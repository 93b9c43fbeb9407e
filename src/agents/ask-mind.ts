import { asJson, isMessage } from './message.ts'
import type { Message, Thought, View } from './mind.ts'
import type { TurnState } from './turn-state.ts'

/** The messages as hooks settled them, or the turn's own where what came back is no list of messages. */
const settledMessages = (value: unknown, own: readonly Message[]): readonly Message[] =>
  Array.isArray(value) && value.every(isMessage) ? value : own

/** What a mind thought, or why a hook kept it from thinking. */
export type Asked = { readonly thought: Thought } | { readonly blocked: string }

/** One model call, with the hooks before and after it. */
export const askMind = async (state: Pick<TurnState, 'mind' | 'session' | 'reporter' | 'signal' | 'steps' | 'isFollowup'>, shown: Pick<View, 'system' | 'messages' | 'contexts' | 'tools'>): Promise<Asked> => {
  const { mind, session, reporter, signal } = state
  const { system, messages } = shown
  const { model } = mind
  const last_user_message = messages.findLast((message) => message.role === 'user')?.content ?? ''
  const before = await reporter.fire('pre_llm_call', { system, model, last_user_message, iteration: state.steps, messages: messages.map(asJson) }, signal)
  if (before.verdict !== 'allow' || before.stopsTurn) return { blocked: before.reason }

  const contexts = [...shown.contexts, before.context].filter((context) => context !== '')
  const view = { ...shown, messages: settledMessages(before.payload['messages'], messages), contexts, isFollowup: state.isFollowup, lastMessage: session.lastMessage }
  const warn = async (message: string): Promise<void> => void (await reporter.fire('on_notification', { level: 'warning', message }, signal))
  const thought = await mind.think(view, { signal, warn })
  session.usedTokens = thought.usage.input_tokens + thought.usage.output_tokens
  await reporter.fire('post_llm_call', { model, response: thought.text, usage: { ...thought.usage }, cost: thought.cost }, signal)
  return { thought }
}

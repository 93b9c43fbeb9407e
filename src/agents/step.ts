import { isObject, type Json } from '../model/json.ts'
import { claimDone } from './claim.ts'
import { type Message, think } from './demo.ts'
import type { Reporter } from './reporter.ts'
import type { Session } from './session.ts'
import { callTool } from './tool-call.ts'

const system = "You are hookgate's demo agent. You have no model; a table of words decides what you do."
/** No model, so nothing was used up. */
const usage = { input_tokens: 0, output_tokens: 0 }

/** `capped`: hooks wanted another round more often than they may, so that the answer stands although they object. */
export type EndReason = 'normal' | 'error' | 'canceled' | 'hook_blocked' | 'capped'

export interface TurnState {
  readonly session: Session
  readonly reporter: Reporter
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly isFollowup: boolean
  /** The messenger's name of the message that this turn is about. */
  readonly message_id?: string
  /** The turn so far, as a model would be sent it. */
  readonly messages: Message[]
  readonly contexts: string[]
  steps: number
}

/** `more`: a tool was used and the agent goes on. `answer`: ready to be said. `end`: the turn is over and was told. */
export type StepResult =
  | { readonly kind: 'more'; readonly isRejected: boolean }
  | { readonly kind: 'answer'; readonly text: string; readonly isCapped: boolean }
  | { readonly kind: 'end'; readonly reason: EndReason }

const roles: readonly Json[] = ['user', 'assistant', 'tool', 'system'] satisfies readonly Message['role'][]

const isMessage = (value: unknown): value is Message =>
  isObject(value) && typeof value['content'] === 'string' && roles.includes(value['role'] ?? null)

/** The messages as hooks settled them, or the turn's own where what came back is no list of messages. */
const settledMessages = (value: unknown, own: readonly Message[]): readonly Message[] =>
  Array.isArray(value) && value.every(isMessage) ? value : own

const end = async (reporter: Reporter, text: string, reason: EndReason, signal: AbortSignal): Promise<StepResult> => {
  await reporter.tell(text, signal)
  return { kind: 'end', reason }
}

const act = async (state: TurnState): Promise<StepResult> => {
  const { session, reporter, signal, messages } = state
  const last_user_message = messages.findLast((message) => message.role === 'user')?.content ?? ''
  const before = await reporter.fire(
    'pre_llm_call',
    { system, model: 'demo', last_user_message, iteration: state.steps, messages: messages.map((message) => ({ ...message })) },
    signal,
  )
  if (before.verdict !== 'allow' || before.stopsTurn) return end(reporter, `I was kept from thinking about that: ${before.reason}`, 'hook_blocked', signal)

  const contexts = [...state.contexts, before.context].filter((context) => context !== '')
  const move = think({ messages: settledMessages(before.payload['messages'], messages), contexts, isFollowup: state.isFollowup, lastMessage: session.lastMessage })
  await reporter.fire('post_llm_call', { model: 'demo', response: move.text, usage, cost: 0 }, signal)

  if (move.kind === 'tool') {
    const outcome = await callTool({ ...state, name: move.name, input: move.input })
    if (outcome.kind === 'ended') return end(reporter, outcome.text, 'hook_blocked', signal)
    messages.push({ role: 'assistant', content: move.text }, { role: 'tool', content: outcome.text })
    return { kind: 'more', isRejected: outcome.kind === 'rejected' }
  }
  if (move.kind === 'ask') {
    await reporter.fire('on_user_input', { prompt: move.text }, signal)
    session.isAsking = true
    return end(reporter, move.text, 'normal', signal)
  }
  return { kind: 'answer', ...(move.kind === 'claim' ? await claimDone(move.text, session, reporter, signal) : { text: move.text, isCapped: false }) }
}

const stepReason = (result: StepResult): string => {
  if (result.kind === 'end') return result.reason
  return result.kind === 'more' ? 'continue' : 'normal'
}

/** One model call with its tools. */
export const takeStep = async (state: TurnState): Promise<StepResult> => {
  state.steps++
  state.session.steps++
  let reason = 'error'
  try {
    const result = await act(state)
    reason = stepReason(result)
    return result
  } finally {
    // Without the turn's signal: a cancelled step has an end as well.
    await state.reporter.fire('on_step_end', { reason: state.signal.aborted ? 'canceled' : reason })
  }
}

import { isObject, type Json, type JsonObject } from '../model/json.ts'
import { runCalls } from './calls.ts'
import { claimDone } from './claim.ts'
import type { Message, Thought } from './mind.ts'
import type { StepResult, TurnState } from './turn-state.ts'

const roles: readonly Json[] = ['user', 'assistant', 'tool', 'system'] satisfies readonly Message['role'][]

const isCall = (value: Json): boolean => isObject(value) && typeof value['id'] === 'string' && typeof value['name'] === 'string' && isObject(value['input'])

const isMessage = (value: unknown): value is Message => {
  if (!isObject(value) || typeof value['content'] !== 'string' || !roles.includes(value['role'] ?? null)) return false
  const { tool_calls = [], tool_call_id = '' } = value
  return typeof tool_call_id === 'string' && Array.isArray(tool_calls) && tool_calls.every(isCall)
}

/** The messages as hooks settled them, or the turn's own where what came back is no list of messages. */
const settledMessages = (value: unknown, own: readonly Message[]): readonly Message[] =>
  Array.isArray(value) && value.every(isMessage) ? value : own

const asJson = (message: Message): JsonObject => {
  const { tool_calls, ...rest } = message
  return { ...rest, ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map((call) => ({ ...call })) }) }
}

const answerOf = async (state: TurnState, { text }: Thought): Promise<StepResult> => {
  const { mind, messages, hasRun } = state
  if (!mind.isClaim(text, hasRun)) return { kind: 'answer', text, isCapped: false }
  const claim = await claimDone({ summary: text, response: text }, state)
  if (claim.kind === 'passed') return { kind: 'answer', text, isCapped: false }
  if (claim.kind === 'capped') return { kind: 'answer', text: claim.text, isCapped: true }
  messages.push({ role: 'assistant', content: text }, { role: 'system', content: claim.text })
  return { kind: 'more', isRejected: false }
}

const act = async (state: TurnState): Promise<StepResult> => {
  const { mind, session, reporter, signal, system, messages } = state
  const { model } = mind
  const last_user_message = messages.findLast((message) => message.role === 'user')?.content ?? ''
  const before = await reporter.fire('pre_llm_call', { system, model, last_user_message, iteration: state.steps, messages: messages.map(asJson) }, signal)
  if (before.verdict !== 'allow' || before.stopsTurn) {
    await reporter.tell(`I was kept from thinking about that: ${before.reason}`, signal)
    return { kind: 'end', reason: 'hook_blocked' }
  }

  const contexts = [...state.contexts, before.context].filter((context) => context !== '')
  const view = { system, messages: settledMessages(before.payload['messages'], messages), contexts, isFollowup: state.isFollowup, lastMessage: session.lastMessage }
  const warn = async (message: string): Promise<void> => void (await reporter.fire('on_notification', { level: 'warning', message }, signal))
  const thought = await mind.think(view, { signal, warn })
  await reporter.fire('post_llm_call', { model, response: thought.text, usage: { ...thought.usage }, cost: thought.cost }, signal)
  return thought.calls.length === 0 ? answerOf(state, thought) : runCalls(state, thought)
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

import { claimDone } from './claim.ts'
import { closesRound, loopEnd, loopWords } from './loop.ts'
import type { CallAsked, Thought } from './decider.ts'
import { speak } from './speak.ts'
import { text } from '../tools/tool.ts'
import { callTool } from './tool-call.ts'
import type { StepResult, TurnState } from './turn-state.ts'

/** What became of one call: what the agent is told of it, and, if the step ends there, how. */
interface CalledTool {
  readonly told: string
  readonly end?: StepResult
  readonly isRejected?: boolean
}

/** The words of a call that the loop itself carries out; the call's fault if there are none. */
const wordsOf = (call: CallAsked, field: string): { readonly words: string } | { readonly fault: string } => {
  try {
    const words = text(call.input, field)
    return words.trim() === ''
      ? { fault: `Expected "${field}" to be words for the person, got an empty text.` }
      : { words }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

/** `done` runs nothing: it is a claim, and hooks judge it as one. */
const claim = async (state: TurnState, call: CallAsked, said: string): Promise<CalledTool> => {
  const summary = wordsOf(call, 'summary')
  if ('fault' in summary) return { told: summary.fault }
  const response = said.trim() === '' ? summary.words : said
  const claimed = await claimDone({ summary: summary.words, response }, state)
  switch (claimed.kind) {
    case 'passed':
      return { told: 'Accepted.', end: { kind: 'answer', text: response, isCapped: false } }
    case 'capped':
      return { told: claimed.text, end: { kind: 'answer', text: claimed.text, isCapped: true } }
    case 'refused':
      return { told: claimed.text }
  }
}

/** `ask_person` runs nothing either: the turn ends, and the next message is the answer. */
const ask = async (state: TurnState, call: CallAsked): Promise<CalledTool> => {
  const { session, reporter, signal } = state
  const question = wordsOf(call, 'question')
  if ('fault' in question) return { told: question.fault }
  await reporter.fire('on_user_input', { prompt: question.words }, signal)
  session.isAsking = true
  await speak(question.words, state)
  return {
    told: 'Asked. The next message of the person is the answer.',
    end: { kind: 'end', reason: 'normal' },
  }
}

/** What cannot be used as it was asked for has no input that a hook could judge; hooks hear of the failure alone. */
const refuse = async (
  { reporter, signal }: TurnState,
  { id, name, input, wrong = '' }: CallAsked,
): Promise<CalledTool> => {
  const { context } = await reporter.fire(
    'on_tool_error',
    { tool_name: name, tool_use_id: id, tool_input: input, error: wrong },
    signal,
  )
  return { told: [wrong, context].filter((text) => text !== '').join('\n') }
}

const carryOut = async (state: TurnState, call: CallAsked, said: string): Promise<CalledTool> => {
  if (call.wrong !== undefined) return refuse(state, call)
  if (call.name === 'done') return claim(state, call, said)
  if (call.name === 'ask_person') return ask(state, call)
  const { delegate, ...rest } = state
  const outcome = await callTool({
    ...rest,
    call,
    ...(delegate === undefined ? {} : { delegate: (task, name) => delegate(state, task, name) }),
  })
  if (outcome.kind !== 'rejected') state.hasRun = true
  if (outcome.kind !== 'ended') return { told: outcome.text, isRejected: outcome.kind === 'rejected' }
  await state.reporter.tell(outcome.said, state.signal)
  return { told: outcome.text, end: { kind: 'end', reason: 'hook_blocked' } }
}

/** The agent is told once that it goes round in a circle; the second time the turn ends. */
const breakLoop = async (
  { loop, reporter, messages, signal }: TurnState,
  isRejected: boolean,
): Promise<StepResult> => {
  await reporter.fire(
    'on_notification',
    { level: 'warning', message: 'the agent did the same thing over and over' },
    signal,
  )
  const isEnd = loop.rounds > 1
  messages.push(isEnd ? { role: 'assistant', content: loopEnd } : { role: 'system', content: loopWords })
  if (!isEnd) return { kind: 'more', isRejected, isLoop: true }
  await reporter.tell(loopEnd, signal)
  return { kind: 'end', reason: 'loop_detected' }
}

/**
 * Runs the tools of one thought in their order, one after another: each passes the gate knowing what the one before did.
 * Every call gets a result in the conversation, also those that a hook, a claim or the person kept from running.
 */
export const runCalls = async (state: TurnState, { text: said, calls }: Thought): Promise<StepResult> => {
  const { messages } = state
  messages.push({
    role: 'assistant',
    content: said,
    tool_calls: calls.map(({ id, name, input }) => ({ id, name, input })),
  })
  const answer = ({ id }: CallAsked, content: string): void =>
    void messages.push({ role: 'tool', tool_call_id: id, content })
  const left = [...calls]
  let isRejected = false
  const { rounds } = state.loop
  try {
    for (let call = left[0]; call !== undefined; call = left[0]) {
      const called = await carryOut(state, call, said)
      answer(call, called.told)
      left.shift()
      if (called.end !== undefined) return called.end
      isRejected = called.isRejected ?? false
      if (closesRound(state.loop, call, called.told)) break
    }
  } catch (error) {
    const [broken] = left.splice(0, 1)
    if (broken !== undefined)
      answer(
        broken,
        state.signal.aborted
          ? 'The person stopped this before it had ended.'
          : 'This broke off before it had ended.',
      )
    throw error
  } finally {
    for (const call of left)
      answer(
        call,
        state.loop.rounds > rounds
          ? 'Not run: the same thing was done too often before it.'
          : 'Not run: the turn ended before it.',
      )
  }
  if (state.loop.rounds > rounds) return breakLoop(state, isRejected)
  return { kind: 'more', isRejected }
}

import { claimDone } from './claim.ts'
import { closesRound, loopEnd, loopWords } from './loop.ts'
import type { RequestedCall, Thought } from './decider.ts'
import { speak } from './speak.ts'
import { isObject } from '../../core/model/base/json.ts'
import { text, texts } from '../tools/tool.ts'
import { callTool, lines } from './tool-call.ts'
import type { StepResult, TurnState } from './turn-state.ts'

/** The result of one call: the text for the agent, and how the step ends if it ends here. */
interface CalledTool {
  readonly result: string
  readonly end?: StepResult
  readonly isRejected?: boolean
}

/**
 * Reads a text field of a call that the loop itself carries out. Returns the fault if the field has no text.
 */
const wordsOf = (
  call: RequestedCall,
  field: string,
): { readonly words: string } | { readonly fault: string } => {
  try {
    const words = text(call.input, field)
    return words.trim() === ''
      ? { fault: `Expected "${field}" to be a text for the person, got an empty text.` }
      : { words }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

/** Handles `done`. It runs nothing: it is a claim, and hooks judge it. */
const claim = async (state: TurnState, call: RequestedCall, said: string): Promise<CalledTool> => {
  const summary = wordsOf(call, 'summary')
  if ('fault' in summary) return { result: summary.fault }
  const response = said.trim() === '' ? summary.words : said
  const claimed = await claimDone({ summary: summary.words, response }, state)
  switch (claimed.kind) {
    case 'passed':
      return { result: 'Accepted.', end: { kind: 'answer', text: response, isCapped: false } }
    case 'capped':
      return { result: claimed.text, end: { kind: 'answer', text: claimed.text, isCapped: true } }
    case 'refused':
      return { result: claimed.text }
  }
}

/** The options of a question. Returns the fault when they are no list of texts. */
const optionsOf = (call: RequestedCall): readonly string[] | { readonly fault: string } => {
  try {
    return (call.input['options'] ?? undefined) === undefined ? [] : texts(call.input, 'options')
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Puts a question with options to the people who may answer for this agent, on a card. Undefined: nobody
 * answered it there.
 */
const askOnCard = async (
  { reporter, signal }: TurnState,
  { id, name, input }: RequestedCall,
): Promise<CalledTool | undefined> => {
  const call = { tool_name: name, tool_use_id: id, tool_input: input }
  const { verdict, payload, reason, context } = await reporter.fire('pre_tool_call', call, signal)
  if (verdict !== 'allow') return { result: lines(reason, context), isRejected: true }
  const settled = payload['tool_input']
  const answers = isObject(settled) ? settled['answers'] : undefined
  if (!isObject(answers)) return undefined
  const [answer = ''] = Object.values(answers).filter((value) => typeof value === 'string')
  return { result: lines(`The person answered: ${answer}`, context) }
}

/**
 * Handles `ask_person`. It runs nothing: a person answers on a card, or the turn ends and the next message is
 * the answer.
 */
const ask = async (state: TurnState, call: RequestedCall): Promise<CalledTool> => {
  const { session, reporter, signal } = state
  const question = wordsOf(call, 'question')
  if ('fault' in question) return { result: question.fault }
  const options = optionsOf(call)
  if ('fault' in options) return { result: options.fault }
  await reporter.fire('on_user_input', { prompt: question.words }, signal)
  // In a group the question is for everybody there, and cards go to private chats.
  const isInGroup = state.messages.findLast(({ role }) => role === 'user')?.speaker !== undefined
  const answered = options.length === 0 || isInGroup ? undefined : await askOnCard(state, call)
  if (answered !== undefined) return answered
  session.isAsking = true
  await speak([question.words, ...options.map((option, at) => `${at + 1}. ${option}`)].join('\n'), state)
  return {
    result: 'The question was sent. The next message of the person is the answer.',
    end: { kind: 'end', reason: 'normal' },
  }
}

/**
 * Refuses a call with an invalid input. Hooks cannot judge such an input, so only the error event is fired.
 */
const refuse = async (
  { reporter, signal }: TurnState,
  { id, name, input, wrong = '' }: RequestedCall,
): Promise<CalledTool> => {
  const { context } = await reporter.fire(
    'on_tool_error',
    { tool_name: name, tool_use_id: id, tool_input: input, error: wrong },
    signal,
  )
  return { result: [wrong, context].filter((text) => text !== '').join('\n') }
}

const carryOut = async (state: TurnState, call: RequestedCall, said: string): Promise<CalledTool> => {
  if (call.wrong !== undefined) return refuse(state, call)
  if (call.name === 'done') return claim(state, call, said)
  if (call.name === 'ask_person') return ask(state, call)
  const { delegate, ...rest } = state
  const outcome = await callTool({
    ...rest,
    call,
    delegate: delegate && ((task, name) => delegate(state, task, name)),
  })
  if (outcome.kind !== 'rejected') state.hasRun = true
  state.shortResult = outcome.kind === 'rejected' ? outcome.short : undefined
  if (outcome.kind !== 'ended') return { result: outcome.text, isRejected: outcome.kind === 'rejected' }
  // A subagent's text goes to the agent, which nobody told.
  await state.reporter.tell(delegate === undefined ? outcome.text : outcome.said, state.signal)
  return { result: outcome.text, end: { kind: 'end', reason: 'hook_blocked' } }
}

/** Handles a loop. The first time the agent is told that it repeats itself. The second time the turn ends. */
const breakLoop = async (
  { loop, reporter, messages, signal }: TurnState,
  isRejected: boolean,
): Promise<StepResult> => {
  await reporter.fire(
    'on_notification',
    { level: 'warning', message: 'the agent repeated the same call' },
    signal,
  )
  const isEnd = loop.rounds > 1
  messages.push(isEnd ? { role: 'assistant', content: loopEnd } : { role: 'system', content: loopWords })
  if (!isEnd) return { kind: 'more', isRejected, isLoop: true }
  await reporter.tell(loopEnd, signal)
  return { kind: 'end', reason: 'loop_detected' }
}

/**
 * Runs the tool calls of one model answer in their order, one after another, so that hooks judge each one
 * after the call before it. Every call gets a result in the conversation, even when a hook, a claim or the
 * person prevented it.
 */
export const runCalls = async (state: TurnState, { text: said, calls }: Thought): Promise<StepResult> => {
  const { messages } = state
  messages.push({
    role: 'assistant',
    content: said,
    tool_calls: calls.map(({ id, name, input }) => ({ id, name, input })),
  })
  const answer = ({ id }: RequestedCall, content: string): void =>
    void messages.push({ role: 'tool', tool_call_id: id, content })
  const left = [...calls]
  let isRejected = false
  const { rounds } = state.loop
  // The text beside `done` is the answer itself, which is sent when the claim has passed.
  const isAnswer = calls.some(({ name }) => name === 'done')
  if (!isAnswer && said.trim() !== '') await speak(said, state)
  try {
    for (let call = left[0]; call !== undefined; call = left[0]) {
      const called = await carryOut(state, call, said)
      answer(call, called.result)
      left.shift()
      if (called.end !== undefined) return called.end
      isRejected = called.isRejected ?? false
      if (closesRound(state.loop, call, called.result)) break
    }
  } catch (error) {
    const [broken] = left.splice(0, 1)
    if (broken !== undefined)
      answer(
        broken,
        state.signal.aborted
          ? 'The person stopped this call before it ended.'
          : 'This call failed before it ended.',
      )
    throw error
  } finally {
    for (const call of left)
      answer(
        call,
        state.loop.rounds > rounds
          ? 'Not run: the same call was repeated too often before it.'
          : 'Not run: the turn ended before this call.',
      )
  }
  if (state.loop.rounds > rounds) return breakLoop(state, isRejected)
  return { kind: 'more', isRejected }
}

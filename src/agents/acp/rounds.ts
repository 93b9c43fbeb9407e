import { toolNames } from '../../model/evidence.ts'
import { soundsDone } from '../../model/claim.ts'
import { claimDone } from '../claim.ts'
import type { EndReason } from '../turn-state.ts'
import { askAgent } from './ask.ts'
import type { Limits } from './limits.ts'
import type { Live } from './live.ts'
import { settle } from './observed.ts'
import type { Running } from './program.ts'
import { tellWritten } from './voice.ts'

const maxStopBlocks = 3
/** How often in a turn an agent that stopped is told what was refused; beyond that its next prompt says it. */
const maxRefusalsTold = 3

export interface Talk {
  readonly running: Running
  /** The agent's own name of the session. */
  readonly id: string
  readonly name: string
  readonly limits: Limits
}

/** `text` is for the person where it is an answer, and for the agent where it goes on. */
type Judged = { readonly kind: 'again' | 'answer' | 'capped'; readonly text: string; readonly isStop?: boolean }

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n')

/** Whether an answer may stand: first as a claim that something is done, then as the end of the turn. `stops` is how often it did not. */
const judge = async (text: string, live: Live, stops: number): Promise<Judged> => {
  const { session, reporter, signal, hasTools } = live
  if (hasTools || session.isGoalSet || soundsDone(text)) {
    const claim = await claimDone({ summary: text, response: text }, live)
    if (claim.kind !== 'passed') return { kind: claim.kind === 'capped' ? 'capped' : 'again', text: claim.text }
  }
  const stop = await reporter.fire('on_stop', { response: text, tool_names: toolNames(session.tools), stop_hook_active: stops > 0, stop_reason: 'no_tool_calls', step_count: session.steps }, signal)
  if (stop.verdict === 'allow' || stop.stopsTurn) return { kind: 'answer', text }
  if (stops === maxStopBlocks) return { kind: 'capped', text: `${text}\n(I was asked ${maxStopBlocks} times to look again, and end here: ${stop.reason})` }
  return { kind: 'again', isStop: true, text: joined(stop.reason, stop.context) }
}

/** What the agent's own end of a prompt means beyond its answer. */
const endWords: Readonly<Record<string, string>> = {
  max_tokens: '(It ended here because the model may say no more at once.)',
  max_turn_requests: '(It ended here because the agent reached its own limit of steps.)',
  refusal: '(The agent refuses to go on with this.)',
  cancelled: '(The agent broke off here.)',
}

const settledPrompt = (value: unknown, own: string): string => {
  const messages: readonly unknown[] = Array.isArray(value) ? value : []
  const texts = messages.flatMap((message) => (typeof message === 'object' && message !== null && 'content' in message && typeof message.content === 'string' ? [message.content] : []))
  return texts.length === 0 ? own : texts.join('\n\n')
}

/** Works on one message until hooks let an answer stand. `contexts` go with the first prompt. */
export const workUntilAnswered = async ({ running, id, name, limits }: Talk, message: string, contexts: readonly string[], live: Live, step: (reason: string) => Promise<void>): Promise<EndReason> => {
  const { session, reporter, signal, voice, ending, later } = live
  let [stops, refusalsTold] = [0, 0]
  let [prompt, round] = [message, contexts]
  const endByHook = async (text: string): Promise<EndReason> => {
    if (text !== '') await tellWritten(text, live)
    await reporter.tell(String(ending.signal.reason), signal)
    await step('hook_blocked')
    return 'hook_blocked'
  }
  for (;;) {
    // By a command that ran on beside it.
    if (ending.signal.aborted) return endByHook('')
    session.steps++
    const before = await reporter.fire('pre_llm_call', { system: '', model: name, last_user_message: message, iteration: session.steps, messages: [{ role: 'user', content: prompt }] }, signal)
    if (before.verdict !== 'allow' || before.stopsTurn) {
      await reporter.tell(`I was kept from thinking about that: ${before.reason}`, signal)
      await step('hook_blocked')
      return 'hook_blocked'
    }
    const settled = settledPrompt(before.payload['messages'], prompt)
    // A command of the agent stands alone; what hooks have to say waits for the next words.
    const isCommand = settled.startsWith('/')
    if (isCommand) later.push(...round, before.context)
    const sent = isCommand ? settled : joined(settled, ...later.splice(0), ...round, before.context)
    const costBefore = live.cost
    const { stopReason, usage } = await askAgent(running, id, sent, live, limits)
    await settle(live)
    const text = await voice.take()
    if (usage !== undefined) await reporter.fire('post_llm_call', { model: name, response: text, usage: { ...usage }, cost: Math.max(0, live.cost - costBefore) }, signal)
    if (ending.signal.aborted) return endByHook(text)
    if (stopReason === 'max_turn_requests') {
      await reporter.fire('on_max_iterations', { iterations: session.steps })
      await reporter.fire('on_notification', { level: 'warning', message: `${name} reached its limit of steps` })
    }
    const refused = live.refused.splice(0).join('\n')
    if (refused !== '' && (stopReason === 'end_turn' || stopReason === 'cancelled') && refusalsTold < maxRefusalsTold) {
      if (text !== '') await tellWritten(text, live)
      await step('continue')
      refusalsTold++
      prompt = refused
      round = []
      continue
    }
    later.push(refused)
    const note = endWords[stopReason]
    const judged: Judged = note === undefined ? await judge(text, live, stops) : { kind: 'answer', text: joined(text, note) }
    await step(judged.kind === 'again' ? 'continue' : 'normal')
    if (judged.kind !== 'again') {
      const told = judged.text === '' ? undefined : await tellWritten(judged.text, live)
      if (told !== undefined) session.lastMessage = told
      return judged.kind === 'capped' ? 'capped' : 'normal'
    }
    prompt = judged.text
    round = []
    if (judged.isStop === true) stops++
  }
}

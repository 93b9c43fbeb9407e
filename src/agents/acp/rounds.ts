import { toolNames } from '../../model/events/evidence.ts'
import { soundsDone } from '../../model/gate/claim.ts'
import { isObject } from '../../model/base/json.ts'
import { asJson, type ModelMessage } from '../../model/chat/message.ts'
import { spokenInGroup, type Speaker } from '../../model/chat/speaker.ts'
import { claimDone } from '../loop/claim.ts'
import type { EndReason } from '../loop/turn-state.ts'
import { askAgent } from './ask.ts'
import type { Limits } from './limits.ts'
import type { Live } from './live.ts'
import { settle } from './calls/observed.ts'
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
type RoundEnd = {
  readonly kind: 'again' | 'answer' | 'capped'
  readonly text: string
  readonly isStop?: boolean
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n')

/** Whether an answer may stand: first as a claim that something is done, then as the end of the turn. `stops` is how often it did not. */
const judge = async (text: string, live: Live, stops: number): Promise<RoundEnd> => {
  const { session, reporter, signal, hasTools } = live
  if (hasTools || session.isGoalSet || soundsDone(text)) {
    const claim = await claimDone({ summary: text, response: text }, live)
    if (claim.kind !== 'passed')
      return { kind: claim.kind === 'capped' ? 'capped' : 'again', text: claim.text }
  }
  const stop = await reporter.fire(
    'on_stop',
    {
      response: text,
      tool_names: toolNames(session.tools),
      stop_hook_active: stops > 0,
      stop_reason: 'no_tool_calls',
      step_count: session.steps,
    },
    signal,
  )
  if (stop.verdict === 'allow' || stop.stopsTurn) return { kind: 'answer', text }
  if (stops === maxStopBlocks)
    return {
      kind: 'capped',
      text: `${text}\n(I was asked ${maxStopBlocks} times to look again, and end here: ${stop.reason})`,
    }
  return { kind: 'again', isStop: true, text: joined(stop.reason, stop.context) }
}

/** What the agent's own end of a prompt means beyond its answer. */
const endWords: Readonly<Record<string, string>> = {
  max_tokens: '(It ended here because the model may say no more at once.)',
  max_turn_requests: '(It ended here because the agent reached its own limit of steps.)',
  refusal: '(The agent refuses to go on with this.)',
  cancelled: '(The agent broke off here.)',
}

/** What hooks left of the prompt, with whether it is the person's. */
const settledMessages = (
  value: unknown,
  own: ModelMessage,
): readonly { readonly content: string; readonly isPerson: boolean }[] => {
  const messages: readonly unknown[] = Array.isArray(value) ? value : []
  const settled = messages.flatMap((message) =>
    isObject(message) && typeof message['content'] === 'string'
      ? [{ content: message['content'], isPerson: message['role'] !== 'system' }]
      : [],
  )
  return settled.length === 0 ? [{ content: own.content, isPerson: true }] : settled
}

/** A message of a person; `speaker` in a group alone. */
interface SpokenPrompt {
  readonly text: string
  readonly speaker: Speaker | undefined
}

/** Works on one message until hooks let an answer stand. `contexts` go with the first prompt. */
export const workUntilAnswered = async (
  { running, id, name, limits }: Talk,
  { text: message, speaker }: SpokenPrompt,
  contexts: readonly string[],
  live: Live,
  step: (reason: string) => Promise<void>,
): Promise<EndReason> => {
  const { session, reporter, signal, voice, ending, later } = live
  let [stops, refusalsTold] = [0, 0]
  let round = contexts
  /** The person's words first, and then ours. */
  let prompt: ModelMessage = { role: 'user', content: message, ...(speaker === undefined ? {} : { speaker }) }
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
    const before = await reporter.fire(
      'pre_llm_call',
      {
        system: '',
        model: name,
        last_user_message: message,
        iteration: session.steps,
        messages: [asJson(prompt)],
      },
      signal,
    )
    if (before.verdict !== 'allow' || before.stopsTurn) {
      await reporter.tell(`I was kept from thinking about that: ${before.reason}`, signal)
      await step('hook_blocked')
      return 'hook_blocked'
    }
    const messages = settledMessages(before.payload['messages'], prompt)
    const plain = messages.map(({ content }) => content).join('\n\n')
    // A command of the agent stands alone; what hooks have to say waits for the next words. In a group it is an owner's.
    const isCommand = plain.startsWith('/') && prompt.speaker?.is_owner !== false
    // Whatever a hook made of them, they are this speaker's: what it leaves out of a message does not take that away.
    const settled =
      isCommand || prompt.speaker === undefined
        ? plain
        : messages
            .map(({ content, isPerson }) => (isPerson ? spokenInGroup(content, prompt.speaker) : content))
            .join('\n\n')
    if (isCommand) later.push(...round, before.context)
    const sent = isCommand ? settled : joined(settled, ...later.splice(0), ...round, before.context)
    const costBefore = live.cost
    const { stopReason, usage } = await askAgent(running, id, sent, live, limits)
    await settle(live)
    const text = await voice.take()
    if (usage !== undefined)
      await reporter.fire(
        'post_llm_call',
        { model: name, response: text, usage: { ...usage }, cost: Math.max(0, live.cost - costBefore) },
        signal,
      )
    if (ending.signal.aborted) return endByHook(text)
    if (stopReason === 'max_turn_requests') {
      await reporter.fire('on_max_iterations', { iterations: session.steps })
      await reporter.fire('on_notification', {
        level: 'warning',
        message: `${name} reached its limit of steps`,
      })
    }
    const refused = live.refused.splice(0).join('\n')
    if (
      refused !== '' &&
      (stopReason === 'end_turn' || stopReason === 'cancelled') &&
      refusalsTold < maxRefusalsTold
    ) {
      if (text !== '') await tellWritten(text, live)
      await step('continue')
      refusalsTold++
      prompt = { role: 'user', content: refused }
      round = []
      continue
    }
    later.push(refused)
    const note = endWords[stopReason]
    const judged: RoundEnd =
      note === undefined ? await judge(text, live, stops) : { kind: 'answer', text: joined(text, note) }
    await step(judged.kind === 'again' ? 'continue' : 'normal')
    if (judged.kind !== 'again') {
      const told = judged.text === '' ? undefined : await tellWritten(judged.text, live)
      if (told !== undefined) session.lastMessage = told
      return judged.kind === 'capped' ? 'capped' : 'normal'
    }
    prompt = { role: 'user', content: judged.text }
    round = []
    if (judged.isStop === true) stops++
  }
}

import { soundsDone } from '../../shared/gate/claim.ts'
import { isObject } from '../../core/model/base/json.ts'
import { asJson, type ModelMessage } from '../../shared/chat/message.ts'
import { spokenInGroup, type Speaker } from '../../shared/chat/speaker.ts'
import { askStop, cappedWords, claimDone, maxStopBlocks, withheldWords } from '../loop/claim.ts'
import type { EndReason } from '../loop/turn-state.ts'
import { askAgent } from './ask.ts'
import type { Limits } from './limits.ts'
import type { Live } from './live.ts'
import { settle } from './calls/observed.ts'
import type { Running } from './program.ts'
import { offerMarkdown, tellMarkdown } from './voice.ts'
import type { Offered } from '../reporter.ts'

/** How often in a turn an agent that stopped is told what was refused. After that its next prompt says it. */
const maxRefusalsTold = 3

export interface AgentSession {
  readonly running: Running
  /** The agent's id of the session. */
  readonly id: string
  readonly name: string
  readonly limits: Limits
}

/** The result of one prompt. `text` is an answer for the person, or with `again` a text for the agent. */
type RoundEnd = {
  readonly kind: 'again' | 'answer' | 'capped'
  readonly text: string
  readonly isStop?: boolean
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n')

/**
 * Lets hooks judge an answer, first as a claim that something is done, and then as the end of the turn.
 * `stops` is how often `on_stop` has blocked in this turn.
 */
const judge = async (text: string, live: Live, stops: number): Promise<RoundEnd> => {
  const { session, hasTools } = live
  if (hasTools || session.isGoalSet || soundsDone(text)) {
    const claim = await claimDone({ summary: text, response: text }, live)
    if (claim.kind !== 'passed')
      return { kind: claim.kind === 'capped' ? 'capped' : 'again', text: claim.text }
  }
  const stop = await askStop(live, text, 'no_tool_calls', { blocks: stops, steps: session.steps })
  if (stop.verdict === 'allow' || stop.stopsTurn) return { kind: 'answer', text }
  if (stops === maxStopBlocks) return { kind: 'capped', text: `${text}${cappedWords(stop)}` }
  return { kind: 'again', isStop: true, text: joined(stop.reason, stop.context) }
}

/** Notes for the person about a prompt that did not end normally, by stop reason. */
const endWords: Readonly<Record<string, string>> = {
  max_tokens: '(The answer ends here because the model reached its output limit.)',
  max_turn_requests: '(The agent stopped here because it reached its own limit of steps.)',
  refusal: '(The agent refused to continue with this.)',
  cancelled: '(The agent stopped here before it was finished.)',
}

/** The prompt's messages after hooks. `isPerson` is true for the person's messages. */
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

/** Sends a judged answer. `mayRepeat`: the agent can write it again when a hook withholds it. */
const tellJudged = async (text: string, live: Live, mayRepeat: boolean): Promise<Offered> => {
  if (text === '') return {}
  if (mayRepeat) return offerMarkdown(text, live)
  return { id: await tellMarkdown(text, live) }
}

/** A message of a person. `speaker` is set only in a group. */
interface SpokenPrompt {
  readonly text: string
  readonly speaker: Speaker | undefined
}

/** Handles one message until hooks accept an answer. `contexts` go with the first prompt. */
export const workUntilAnswered = async (
  { running, id, name, limits }: AgentSession,
  { text: message, speaker }: SpokenPrompt,
  contexts: readonly string[],
  live: Live,
  step: (reason: string) => Promise<void>,
): Promise<EndReason> => {
  const { session, reporter, signal, voice, ending, later } = live
  let [stops, refusalsTold] = [0, 0]
  /** A hook withheld an answer, and the agent was asked for another. This happens once in a turn. */
  let hasRepeated = false
  let roundContexts = contexts
  /** The person's text in the first round, and hookgate's text in later rounds. */
  let prompt: ModelMessage = { role: 'user', content: message, speaker }
  const endByHook = async (text: string): Promise<EndReason> => {
    if (text !== '') await tellMarkdown(text, live)
    await reporter.tell(String(ending.signal.reason), signal)
    await step('hook_blocked')
    return 'hook_blocked'
  }
  for (;;) {
    // A command that was still running may have ended the turn.
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
      if (!before.isTold)
        await reporter.tell(`A hook blocked the request to the model: ${before.reason}`, signal)
      await step('hook_blocked')
      return 'hook_blocked'
    }
    const messages = settledMessages(before.payload['messages'], prompt)
    const plain = messages.map(({ content }) => content).join('\n\n')
    // A command of the agent is sent alone, and the texts of hooks wait for the next prompt. In a group only
    // an owner can give one.
    const isCommand = plain.startsWith('/') && prompt.speaker?.is_owner !== false
    // The text still belongs to this speaker after a hook changed it. A hook that omits the speaker cannot
    // remove the note.
    const settled =
      isCommand || prompt.speaker === undefined
        ? plain
        : messages
            .map(({ content, isPerson }) => (isPerson ? spokenInGroup(content, prompt.speaker) : content))
            .join('\n\n')
    if (isCommand) later.push(...roundContexts, before.context)
    const sent = isCommand ? settled : joined(settled, ...later.splice(0), ...roundContexts, before.context)
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
      if (text !== '') await tellMarkdown(text, live)
      await step('continue')
      refusalsTold++
      prompt = { role: 'user', content: refused }
      roundContexts = []
      continue
    }
    later.push(refused)
    const note = endWords[stopReason]
    const judged: RoundEnd =
      note === undefined ? await judge(text, live, stops) : { kind: 'answer', text: joined(text, note) }
    if (judged.kind !== 'again') {
      const mayRepeat = judged.kind === 'answer' && note === undefined && !hasRepeated
      const { id: messageId, withheldFor } = await tellJudged(judged.text, live, mayRepeat)
      await step(withheldFor === undefined ? 'normal' : 'continue')
      if (messageId !== undefined) session.lastMessage = messageId
      if (withheldFor !== undefined) {
        hasRepeated = true
        prompt = { role: 'user', content: withheldWords(withheldFor) }
        roundContexts = []
        continue
      }
      return judged.kind === 'capped' ? 'capped' : 'normal'
    }
    await step('continue')
    prompt = { role: 'user', content: judged.text }
    roundContexts = []
    if (judged.isStop === true) stops++
  }
}

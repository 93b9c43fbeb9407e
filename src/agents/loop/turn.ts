import type { GateClient } from '../client.ts'
import { createSteer, hear, type PromptLine, type WaitingLines } from '../hear.ts'
import { askStop, cappedWords, maxStopBlocks, withheldWords } from './claim.ts'
import { noLoop } from './loop.ts'
import type { Decider } from './decider.ts'
import { createReporter, endFailed } from '../reporter.ts'
import { newSession, openSession, type Session } from '../session/session.ts'
import type { SessionFiles } from '../session/session-file.ts'
import { offer, speak } from './speak.ts'
import { takeStep } from './step.ts'
import { runSubagent } from './subagent.ts'
import type { EndReason, TurnState } from './turn-state.ts'

/**
 * One conversation. `session` is absent before the first prompt, after `new`, and when a hook blocked its
 * start.
 */
export interface Chat {
  session?: Session
  /** Why the next session starts. */
  source: 'startup' | 'clear'
  readonly waiting: WaitingLines
}

export interface AgentParts {
  /** Stores conversations over restarts. Absent when they are not stored. */
  readonly sessions?: SessionFiles
  readonly agentId: string
  readonly decider: Decider
  readonly client: GateClient
  readonly workspace: string
  /** The complete environment of a tool. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Ends a turn that used all its steps, and says so. A hook cannot ask for more work here, so its objection is
 * added to the text.
 */
const endExhausted = async (state: TurnState, blocks: number): Promise<EndReason> => {
  const { reporter, signal, steps, messages } = state
  const text = `I stopped after ${steps} steps, which is the limit for one message. I am not finished. Write to me if I should continue.`
  await reporter.fire('on_max_iterations', { iterations: steps }, signal)
  await reporter.fire(
    'on_notification',
    { level: 'warning', message: `stopped after ${steps} steps` },
    signal,
  )
  const stop = await askStop(state, text, 'max_steps', { blocks, steps })
  messages.push({ role: 'assistant', content: text })
  await reporter.tell(
    stop.verdict === 'allow' ? text : `${text}\n(A hook wanted me to continue: ${stop.reason})`,
    signal,
  )
  return 'max_steps'
}

/**
 * Sends the answer to the person, and adds it to the conversation. Returns true when a hook withheld it and
 * the agent shall write it again, which happens once in a turn.
 */
const tellAnswer = async (state: TurnState, text: string, isLast: boolean): Promise<boolean> => {
  const { decider, session, messages } = state
  const mayRepeat = !isLast && decider.remembers && !state.hasRepeated && state.steps < decider.maxSteps
  const { id, withheldFor } = mayRepeat ? await offer(text, state) : { id: await speak(text, state) }
  if (withheldFor !== undefined) {
    state.hasRepeated = true
    messages.push(
      { role: 'assistant', content: text },
      { role: 'system', content: withheldWords(withheldFor) },
    )
    return true
  }
  const last = messages.at(-1)
  // A text that only repeats a tool's result does not become the last message.
  if (id !== undefined && (decider.remembers || last?.role !== 'tool' || last.content !== text))
    session.lastMessage = id
  messages.push({ role: 'assistant', content: text })
  if (id === undefined) messages.push({ role: 'system', content: 'That answer was not sent to the person.' })
  return false
}

/**
 * Runs steps until there is an answer and hooks let the turn end. Hooks can ask for more work three times in
 * a turn.
 */
const workUntilAnswered = async (state: TurnState): Promise<EndReason> => {
  const { decider, messages } = state
  let blocks = 0
  let isRejected = false
  for (;;) {
    if (state.steps >= decider.maxSteps) return endExhausted(state, blocks)
    const step = await takeStep(state)
    await state.save()
    if (step.kind === 'end') return step.reason
    if (step.kind === 'more') {
      isRejected = step.isRejected
      continue
    }
    const why = isRejected ? 'tool_rejected' : 'no_tool_calls'
    const stop = await askStop(state, step.text, why, { blocks, steps: state.steps })
    if (stop.verdict === 'allow' || stop.stopsTurn || blocks === maxStopBlocks) {
      const isCapped = stop.verdict !== 'allow' && !stop.stopsTurn
      const note = isCapped ? cappedWords(stop) : ''
      const isEnd = isCapped || step.isCapped
      if (await tellAnswer(state, `${step.text}${note}`, isEnd)) continue
      return isEnd ? 'capped' : 'normal'
    }
    blocks++
    messages.push({ role: 'assistant', content: step.text }, { role: 'system', content: stop.reason })
    state.contexts.push(stop.context)
  }
}

/** Handles one prompt of a person, from its arrival to on_turn_end, which is always fired. Never rejects. */
export const runTurn = async (
  chat: Chat,
  prompt: PromptLine,
  { agentId, decider, client, workspace, env, sessions }: AgentParts,
  signal: AbortSignal,
): Promise<void> => {
  const { channel, chat_id } = prompt
  const loaded =
    chat.session === undefined && chat.source === 'startup'
      ? await sessions?.load({ channel, chat_id })
      : undefined
  const session = chat.session ?? loaded ?? newSession()
  const reporter = createReporter(client, { ...prompt, session_id: session.id, cwd: workspace })
  const steering = createSteer(chat.waiting, client)
  const state: TurnState = {
    agentId,
    decider,
    session,
    reporter,
    workspace,
    env,
    signal,
    system: await decider.system(),
    isFollowup: session.isAsking,
    message_id: prompt.message_id,
    messages: decider.remembers ? session.messages : [],
    contexts: [],
    steps: 0,
    hasRun: false,
    nudges: 0,
    delegate: runSubagent,
    steer: decider.remembers ? steering.steer : undefined,
    save: async () => sessions?.save({ channel, chat_id }, session),
    hasCompacted: false,
    hasRepeated: false,
    loop: noLoop(),
  }
  let reason: EndReason
  try {
    const source = loaded === undefined ? chat.source : ('resume' as const)
    const start = { source, model: decider.model, prompt: prompt.text }
    const refusal =
      chat.session === undefined ? await openSession(session, reporter, start, signal) : undefined
    if (refusal === undefined) {
      chat.session = session
      state.contexts.push(...session.contexts)
      // A call that waits for a person names its session. After a restart the answer is found by that name.
      if (session.savedMessages === 0) await state.save()
      reason =
        (await hear(state, prompt, client, state.isFollowup ? 'followup' : 'message')) ??
        (await workUntilAnswered(state))
    } else {
      reason = 'hook_blocked'
      if (!refusal.isTold) await reporter.tellError(`I could not start a session: ${refusal.reason}`, signal)
    }
  } catch (error) {
    reason = await endFailed(reporter, error, signal)
  }
  if (chat.session !== undefined) await state.save()
  await steering.end(reporter)
  await reporter.fireSurely('on_turn_end', { reason, step_count: state.steps })
}

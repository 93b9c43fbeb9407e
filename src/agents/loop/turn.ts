import { toolNames } from '../../model/events/evidence.ts'
import type { GateClient } from '../client.ts'
import { createSteer, hear, type PromptLine, type WaitingLines } from '../hear.ts'
import { noLoop } from './loop.ts'
import type { Decider } from './decider.ts'
import { createReporter, type Reporter } from '../reporter.ts'
import { newSession, openSession, type Session } from '../session/session.ts'
import type { SessionFiles } from '../session/session-file.ts'
import { speak } from './speak.ts'
import { takeStep } from './step.ts'
import { runSubagent } from './subagent.ts'
import type { EndReason, TurnState } from './turn-state.ts'

const maxStopBlocks = 3

/** One conversation. `session` is absent before the first prompt, after `new`, and where a hook allowed none. */
export interface Chat {
  session?: Session
  /** How the next session comes to be. */
  source: 'startup' | 'clear'
  readonly waiting: WaitingLines
}

export interface AgentParts {
  /** Where conversations outlive this process; absent: nowhere. */
  readonly sessions?: SessionFiles
  readonly agentId: string
  readonly decider: Decider
  readonly client: GateClient
  readonly workspace: string
  /** The whole environment of a tool. */
  readonly env: Readonly<Record<string, string>>
}

/** The honest end of a turn that took as many steps as it may. Nothing can be done again: a hook that wants that is told about. */
const endExhausted = async (state: TurnState, stop_hook_active: boolean): Promise<EndReason> => {
  const { session, reporter, signal, steps, messages } = state
  const text = `I stopped after ${steps} steps, which is as many as one message gets, and I am not finished. Write to me if I am to go on.`
  await reporter.fire('on_max_iterations', { iterations: steps }, signal)
  await reporter.fire(
    'on_notification',
    { level: 'warning', message: `stopped after ${steps} steps` },
    signal,
  )
  const stop = await reporter.fire(
    'on_stop',
    {
      response: text,
      tool_names: toolNames(session.tools),
      stop_hook_active,
      stop_reason: 'max_steps',
      step_count: steps,
    },
    signal,
  )
  messages.push({ role: 'assistant', content: text })
  await reporter.tell(
    stop.verdict === 'allow' ? text : `${text}\n(A hook wanted me to go on: ${stop.reason})`,
    signal,
  )
  return 'max_steps'
}

/** The person is told the answer, and the agent remembers that it was. */
const tellAnswer = async (state: TurnState, text: string): Promise<void> => {
  const { decider, session, messages } = state
  const told = await speak(text, state)
  const last = messages.at(-1)
  // What only tells about a message does not take its place.
  if (told !== undefined && (decider.remembers || last?.role !== 'tool' || last.content !== text))
    session.lastMessage = told
  messages.push({ role: 'assistant', content: text })
  if (told === undefined) messages.push({ role: 'system', content: 'That answer did not reach the person.' })
}

/** Answers unless hooks want another round; they can three times a turn. */
const workUntilAnswered = async (state: TurnState): Promise<EndReason> => {
  const { decider, session, reporter, signal, messages } = state
  let blocks = 0
  let isRejected = false
  for (;;) {
    if (state.steps >= decider.maxSteps) return endExhausted(state, blocks > 0)
    const step = await takeStep(state)
    await state.save()
    if (step.kind === 'end') return step.reason
    if (step.kind === 'more') {
      isRejected = step.isRejected
      continue
    }
    const stop = await reporter.fire(
      'on_stop',
      {
        response: step.text,
        tool_names: toolNames(session.tools),
        stop_hook_active: blocks > 0,
        stop_reason: isRejected ? 'tool_rejected' : 'no_tool_calls',
        step_count: state.steps,
      },
      signal,
    )
    if (stop.verdict === 'allow' || stop.stopsTurn || blocks === maxStopBlocks) {
      const isCapped = stop.verdict !== 'allow' && !stop.stopsTurn
      const note = !isCapped
        ? ''
        : `\n(I was asked ${maxStopBlocks} times to look again, and end here: ${stop.reason})`
      await tellAnswer(state, `${step.text}${note}`)
      return isCapped || step.isCapped ? 'capped' : 'normal'
    }
    blocks++
    messages.push({ role: 'assistant', content: step.text }, { role: 'system', content: stop.reason })
    state.contexts.push(stop.context)
  }
}

/** Tells hooks and the person that the agent failed. */
export const explain = async (reporter: Reporter, error: unknown): Promise<void> => {
  const { message, name, stack = '' } = error instanceof Error ? error : new Error(String(error))
  await reporter.fire('on_error', { error: { message, name, stack } })
  await reporter.fire('on_notification', { level: 'error', message })
  // A model's fault says itself what to do.
  await reporter.tellError(
    name === 'ModelFault' ? message : `Sorry, something went wrong: ${message}. You can write to me again.`,
  )
}

/** One prompt of a person, from its arrival to on_turn_end, which is fired whatever happens. Never rejects. */
export const runTurn = async (
  chat: Chat,
  prompt: PromptLine,
  { agentId, decider, client, workspace, env, sessions }: AgentParts,
  signal: AbortSignal,
): Promise<void> => {
  const { channel, chat_id, prompt_id } = prompt
  const kept =
    chat.session === undefined && chat.source === 'startup'
      ? await sessions?.load({ channel, chat_id })
      : undefined
  const session = chat.session ?? kept ?? newSession()
  const reporter = createReporter(client, {
    channel,
    chat_id,
    prompt_id,
    session_id: session.id,
    cwd: workspace,
  })
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
    ...(prompt.message_id === undefined ? {} : { message_id: prompt.message_id }),
    messages: decider.remembers ? session.messages : [],
    contexts: [],
    steps: 0,
    hasRun: false,
    nudges: 0,
    delegate: runSubagent,
    steer: decider.remembers ? steering.steer : undefined,
    save: async () => sessions?.save({ channel, chat_id }, session),
    hasCompacted: false,
    loop: noLoop(),
  }
  let reason: EndReason
  try {
    const refusal =
      chat.session === undefined
        ? await openSession(
            session,
            reporter,
            {
              source: kept === undefined ? chat.source : 'resume',
              model: decider.model,
              prompt: prompt.text,
            },
            signal,
          )
        : undefined
    if (refusal === undefined) {
      chat.session = session
      state.contexts.push(...session.contexts)
      reason =
        (await hear(state, prompt, client, state.isFollowup ? 'followup' : 'message')) ??
        (await workUntilAnswered(state))
    } else {
      reason = 'hook_blocked'
      await reporter.tellError(`I could not start a session: ${refusal}`, signal)
    }
  } catch (error) {
    reason = signal.aborted ? 'canceled' : 'error'
    await (signal.aborted ? reporter.tell('Stopped.') : explain(reporter, error))
  }
  if (chat.session !== undefined) await state.save()
  await steering.end(reporter)
  await reporter.fireSurely('on_turn_end', { reason, step_count: state.steps })
}

import { toolNames } from '../../shared/events/evidence.ts'
import type { GateClient } from '../client.ts'
import { createSteer, hear, type PromptLine, type WaitingLines } from '../hear.ts'
import { noLoop } from './loop.ts'
import type { Decider } from './decider.ts'
import { createReporter, type Reporter } from '../reporter.ts'
import { newSession, openSession, type Session } from '../session/session.ts'
import type { SessionFiles } from '../session/session-file.ts'
import { offer, speak } from './speak.ts'
import { takeStep } from './step.ts'
import { runSubagent } from './subagent.ts'
import type { EndReason, TurnState } from './turn-state.ts'

const maxStopBlocks = 3

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
const endExhausted = async (state: TurnState, stop_hook_active: boolean): Promise<EndReason> => {
  const { session, reporter, signal, steps, messages } = state
  const text = `I stopped after ${steps} steps, which is the limit for one message. I am not finished. Write to me if I should continue.`
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
      {
        role: 'system',
        content: `The person did not get that answer, because a hook withheld it: ${withheldFor}\nAnswer once more, without what the hook objects to.`,
      },
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
        : `\n(Hooks asked me ${maxStopBlocks} times to continue, and I stop here: ${stop.reason})`
      const isEnd = isCapped || step.isCapped
      if (await tellAnswer(state, `${step.text}${note}`, isEnd)) continue
      return isEnd ? 'capped' : 'normal'
    }
    blocks++
    messages.push({ role: 'assistant', content: step.text }, { role: 'system', content: stop.reason })
    state.contexts.push(stop.context)
  }
}

/** Reports a failure of the agent to hooks and to the person. */
export const explain = async (reporter: Reporter, error: unknown): Promise<void> => {
  const { message, name, stack = '' } = error instanceof Error ? error : new Error(String(error))
  await reporter.fire('on_error', { error: { message, name, stack } })
  await reporter.fire('on_notification', { level: 'error', message })
  // The message of a model's fault already says what to do.
  await reporter.tellError(
    name === 'ModelFault' ? message : `Sorry, something went wrong: ${message}. You can write to me again.`,
  )
}

/** Handles one prompt of a person, from its arrival to on_turn_end, which is always fired. Never rejects. */
export const runTurn = async (
  chat: Chat,
  prompt: PromptLine,
  { agentId, decider, client, workspace, env, sessions }: AgentParts,
  signal: AbortSignal,
): Promise<void> => {
  const { channel, chat_id, prompt_id } = prompt
  const loaded =
    chat.session === undefined && chat.source === 'startup'
      ? await sessions?.load({ channel, chat_id })
      : undefined
  const session = chat.session ?? loaded ?? newSession()
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
    const refusal =
      chat.session === undefined
        ? await openSession(
            session,
            reporter,
            {
              source: loaded === undefined ? chat.source : 'resume',
              model: decider.model,
              prompt: prompt.text,
            },
            signal,
          )
        : undefined
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
    reason = signal.aborted ? 'canceled' : 'error'
    await (signal.aborted ? reporter.tell('Stopped.') : explain(reporter, error))
  }
  if (chat.session !== undefined) await state.save()
  await steering.end(reporter)
  await reporter.fireSurely('on_turn_end', { reason, step_count: state.steps })
}

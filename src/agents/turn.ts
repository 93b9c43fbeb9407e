import { toolNames } from '../model/evidence.ts'
import type { GateClient } from './client.ts'
import type { InboxLine } from '../model/record.ts'
import { isClaim } from './demo.ts'
import { saveFiles } from './inbox-files.ts'
import { createReporter, type Reporter } from './reporter.ts'
import { newSession, openSession, type Session } from './session.ts'
import { type EndReason, takeStep, type TurnState } from './step.ts'

const maxStopBlocks = 3

export type PromptLine = Extract<InboxLine, { type: 'prompt' }>

/** One conversation. `session` is absent before the first prompt, after `new`, and where a hook allowed none. */
export interface Chat {
  session?: Session
  /** How the next session comes to be. */
  source: 'startup' | 'clear'
}

export interface AgentParts {
  readonly client: GateClient
  readonly workspace: string
  /** The whole environment of a tool. */
  readonly env: Readonly<Record<string, string>>
}

/** Answers unless hooks want another round; they can three times a turn. */
const workUntilAnswered = async (state: TurnState): Promise<EndReason> => {
  const { session, reporter, signal } = state
  let blocks = 0
  let isRejected = false
  for (;;) {
    const step = await takeStep(state)
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
      const note = !isCapped ? '' : `\n(I was asked ${maxStopBlocks} times to look again, and end here: ${stop.reason})`
      const told = await reporter.tell(`${step.text}${note}`, signal)
      // What only tells about a message does not take its place.
      if (told !== undefined && state.messages.at(-1)?.role !== 'tool') session.lastMessage = told
      return isCapped || step.isCapped ? 'capped' : 'normal'
    }
    blocks++
    state.messages.push({ role: 'assistant', content: step.text }, { role: 'system', content: stop.reason })
    state.contexts.push(stop.context)
  }
}

const hear = async (state: TurnState, prompt: PromptLine, client: GateClient): Promise<EndReason> => {
  const { session, reporter, signal } = state
  const { channel, sender_id, text } = prompt
  const heard = await reporter.fire('on_user_message', { message: text, channel, sender_id, kind: state.isFollowup ? 'followup' : 'message' }, signal)
  if (heard.verdict !== 'allow' || heard.stopsTurn) {
    await reporter.tell(`Your message did not reach me: ${heard.reason}`, signal)
    return 'hook_blocked'
  }
  session.isAsking = false
  const settled = heard.payload['message']
  const message = typeof settled === 'string' ? settled : text
  const got = (await saveFiles(prompt.files ?? [], client, state.workspace)).join('\n')
  if (got !== '') {
    await reporter.tell(got, signal)
    if (message.trim() === '') return 'normal'
    state.contexts.push(got)
  }
  state.messages.push({ role: 'user', content: message })
  state.contexts.push(heard.context)
  if (!isClaim(message)) session.goal = message
  return workUntilAnswered(state)
}

/** Tells hooks and the person that the agent failed. */
export const explain = async (reporter: Reporter, error: unknown): Promise<void> => {
  const { message, name, stack = '' } = error instanceof Error ? error : new Error(String(error))
  await reporter.fire('on_error', { error: { message, name, stack } })
  await reporter.fire('on_notification', { level: 'error', message })
  await reporter.tellError(`Sorry, something went wrong: ${message}. You can write to me again.`)
}

/** One prompt of a person, from its arrival to on_turn_end, which is fired whatever happens. Never rejects. */
export const runTurn = async (chat: Chat, prompt: PromptLine, { client, workspace, env }: AgentParts, signal: AbortSignal): Promise<void> => {
  const session = chat.session ?? newSession()
  const { channel, chat_id, prompt_id } = prompt
  const reporter = createReporter(client, { channel, chat_id, prompt_id, session_id: session.id, cwd: workspace })
  const state: TurnState = { session, reporter, workspace, env, signal, isFollowup: session.isAsking, ...(prompt.message_id === undefined ? {} : { message_id: prompt.message_id }), messages: [], contexts: [], steps: 0 }
  let reason: EndReason
  try {
    const refusal = chat.session === undefined ? await openSession(session, reporter, chat.source, prompt.text, signal) : undefined
    if (refusal === undefined) {
      chat.session = session
      state.contexts.push(...session.contexts)
      reason = await hear(state, prompt, client)
    } else {
      reason = 'hook_blocked'
      await reporter.tellError(`I could not start a session: ${refusal}`, signal)
    }
  } catch (error) {
    reason = signal.aborted ? 'canceled' : 'error'
    await (signal.aborted ? reporter.tell('Stopped.') : explain(reporter, error))
  }
  await reporter.fireSurely('on_turn_end', { reason, step_count: state.steps })
}

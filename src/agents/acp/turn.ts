import { chatKey } from '../../core/model/chat/push.ts'
import type { RunTurn } from '../chats.ts'
import { speakerOf } from '../../shared/chat/speaker.ts'
import type { GateClient } from '../client.ts'
import { judgePrompt } from '../hear.ts'
import { createReporter, endFailed } from '../reporter.ts'
import { newSession, openSession, type Session, type SessionRefusal } from '../session/session.ts'
import type { EndReason } from '../loop/turn-state.ts'
import type { Limits } from './limits.ts'
import { createLive, type Live } from './live.ts'
import type { ChatMemory } from './memory.ts'
import { isAtWork } from './calls/observed.ts'
import type { AcpProgram } from './program.ts'
import { workUntilAnswered } from './rounds.ts'
import type { Sessions } from './sessions.ts'
import { tellMarkdown } from './voice.ts'

export interface TurnParts {
  readonly client: GateClient
  readonly workspace: string
  readonly program: AcpProgram
  readonly sessions: Sessions
  readonly memory: ChatMemory
  readonly limits: Limits
  /** Marks the agent's session as working on a prompt of a chat. The returned function ends that. */
  begin(chat: string, session: string, live: Live): () => void
}

/** Resolves like `work`, but rejects when the person stops the turn first. */
const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Handles one prompt of a person with a foreign agent. */
export const createTurns = ({
  client,
  workspace,
  program,
  sessions,
  memory,
  limits,
  begin,
}: TurnParts): RunTurn => {
  /** The texts that each conversation's next prompt gives to the agent. */
  const laters = new WeakMap<Session, string[]>()

  return async (chat, prompt, signal) => {
    const key = chatKey(prompt)
    const before = chat.session === undefined && chat.source === 'startup' ? await memory.get(key) : undefined
    const kept = before?.isOver === true ? undefined : before
    const session =
      chat.session ?? (kept === undefined ? newSession() : { ...newSession(), id: kept.session })
    const stepsBefore = session.steps
    const reporter = createReporter(client, { ...prompt, session_id: session.id, cwd: workspace })
    const later = laters.get(session) ?? []
    laters.set(session, later)

    const open = async (): Promise<SessionRefusal | undefined> => {
      if (chat.session !== undefined) return undefined
      const refusal = await openSession(
        session,
        reporter,
        { source: kept === undefined ? chat.source : 'resume', model: program.name, prompt: prompt.text },
        signal,
      )
      if (refusal !== undefined) return refusal
      later.push(...session.contexts)
      chat.session = session
      return undefined
    }

    const work = async (): Promise<EndReason> => {
      const refused = await open()
      if (refused !== undefined) {
        if (!refused.isTold)
          await reporter.tellError(`I could not start a session: ${refused.reason}`, signal)
        return 'hook_blocked'
      }
      const heard = await judgePrompt(prompt, 'message', { reporter, signal, workspace }, client)
      if (heard === undefined) return 'hook_blocked'
      const { message, note, context } = heard
      if (message.trim() === '') {
        later.push(note, context)
        return 'normal'
      }
      if (prompt.isGoal === true) session.isGoalSet = true
      if (prompt.isGoal === true || !session.isGoalSet) session.goal = message

      const running = await unlessAborted(program.running(signal), signal)
      const found = await unlessAborted(sessions.find(running, key, session.id), signal)
      if (found.isLost) {
        await reporter.tell('I was restarted and have lost our earlier conversation.', signal)
        later.push(...session.contexts)
      }
      const live = createLive(session, reporter, signal, later)
      const end = begin(key, found.id, live)
      try {
        return await workUntilAnswered(
          { running, id: found.id, name: program.name, limits },
          { text: message, speaker: speakerOf(prompt) },
          [note, context],
          live,
          async (reason) => {
            await reporter.fire('on_step_end', { reason })
          },
        )
      } catch (error) {
        // The text that the agent wrote before the failure is still sent.
        const text = signal.aborted ? '' : await live.voice.take()
        if (text !== '') await tellMarkdown(text, live).catch(() => undefined)
        await reporter.fire('on_step_end', { reason: signal.aborted ? 'canceled' : 'error' })
        throw error
      } finally {
        for (const { timer } of live.announced.values()) clearTimeout(timer)
        if ((signal.aborted || live.ending.signal.aborted) && isAtWork(live))
          await sessions.rest(running, found.id)
        end()
      }
    }

    let reason: EndReason
    try {
      reason = await work()
    } catch (error) {
      reason = await endFailed(reporter, error, signal)
    }
    await reporter.fireSurely('on_turn_end', { reason, step_count: session.steps - stepsBefore })
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { methods, type NewSessionRequest, RequestError } from '@agentclientprotocol/sdk'
import type { Limits } from './limits.ts'
import type { ChatMemory } from './memory.ts'
import type { Running } from './program.ts'

/**
 * An agent that resumes a session sends its history again, and some agents do so after they reported that
 * they are ready. The history has ended when nothing came for this time, in milliseconds.
 */
const historyQuietMs = 200
const historyMaxMs = 5_000
const needsLogin = -32_000

export interface FoundSession {
  readonly id: string
  /** `new` means that the agent knows nothing of this conversation. */
  readonly kind: 'known' | 'resumed' | 'new'
  /** True when the conversation had another session before, and the agent has lost it. */
  readonly isLost: boolean
}

export interface SessionsPorts {
  readonly workspace: string
  readonly memory: ChatMemory
  readonly limits: Limits
  /** When the session last sent something, in milliseconds of `performance.now`. */
  heardAt(session: string): number
}

const explained = (error: unknown): Error => {
  if (error instanceof RequestError && error.code === needsLogin)
    return new Error(
      `the agent requires a login (${error.message}). Name the variable that holds its key in gate.yaml, under agents, env`,
    )
  return error instanceof Error ? error : new Error(String(error))
}

/** Finds the agent's session for a conversation: the one that it has open, a resumed one, or a new one. */
export const createSessions = ({ workspace, memory, limits, heardAt }: SessionsPorts) => {
  const location: NewSessionRequest = { cwd: workspace, mcpServers: [] }

  const settle = async (id: string): Promise<void> => {
    const startedAtMs = performance.now()
    for (;;) {
      const nowMs = performance.now()
      const quietMs = nowMs - Math.max(heardAt(id), startedAtMs)
      if (quietMs >= historyQuietMs || nowMs - startedAtMs > historyMaxMs) return
      await delay(historyQuietMs - quietMs + 1)
    }
  }

  const resume = async (running: Running, id: string): Promise<boolean> => {
    if (!running.canLoad) return false
    try {
      await running.within(
        running.agent.request(methods.agent.session.load, { sessionId: id, ...location }),
        limits.sessionMs,
        'resume the session',
      )
      await settle(id)
      return true
    } catch {
      running.gone.throwIfAborted()
      return false
    }
  }

  const find = async (running: Running, chat: string, session: string): Promise<FoundSession> => {
    const before = await memory.get(chat)
    const isOurs = before?.session === session
    if (isOurs && running.sessions.has(before.acp)) return { id: before.acp, kind: 'known', isLost: false }
    if (isOurs && (await resume(running, before.acp))) {
      running.sessions.add(before.acp)
      return { id: before.acp, kind: 'resumed', isLost: false }
    }
    if (!isOurs && before !== undefined && running.canClose && running.sessions.delete(before.acp)) {
      // The session counts as closed even when the agent reports an error.
      running.agent.request(methods.agent.session.close, { sessionId: before.acp }).catch(() => undefined)
    }
    try {
      const asked = running.agent.request(methods.agent.session.new, location)
      const { sessionId } = await running.within(asked, limits.sessionMs, 'open a session')
      running.sessions.add(sessionId)
      await memory.set(chat, { session, acp: sessionId })
      return { id: sessionId, kind: 'new', isLost: isOurs }
    } catch (error) {
      throw explained(error)
    }
  }

  /**
   * Closes a session so that the commands that it still runs end. Its next prompt resumes it. An agent that
   * cannot both close and resume sessions keeps the session open.
   */
  const rest = async (running: Running, id: string): Promise<void> => {
    if (!running.canClose || !running.canLoad || !running.sessions.delete(id)) return
    await running
      .within(
        running.agent.request(methods.agent.session.close, { sessionId: id }),
        limits.sessionMs,
        'close the session',
      )
      .catch(() => undefined)
  }

  return { find, rest }
}

export type Sessions = ReturnType<typeof createSessions>

import type { JsonObject } from '../model/base/json.ts'
import type { InboxLine } from '../model/events/record.ts'

/** An agent has few questions at once. More than this many waiting questions of one agent are a fault. */
const maxWaiting = 64

type BuiltinLine = Extract<InboxLine, { type: 'builtin' }>

export type BuiltinReply =
  | { readonly kind: 'answer'; readonly body: JsonObject }
  /** `away`: no agent host follows the inbox, or it disconnected while the question waited. */
  | { readonly kind: 'away' | 'late' | 'stopped' | 'busy' }

interface WaitingBuiltin {
  readonly agentId: string
  settle(reply: BuiltinReply): void
}

/**
 * Sends questions to agent hosts outside their prompts. Each answer is accepted once, and only from the agent
 * that was asked.
 */
export interface BuiltinExchange {
  /** Never rejects. */
  ask(
    agentId: string,
    question: Omit<BuiltinLine, 'type' | 'id'>,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<BuiltinReply>
  /** Registers the connection of an agent host. The returned function ends the registration. */
  subscribe(agentId: string, send: (line: InboxLine) => void): () => void
  /** Returns false when no question with this id waits for this agent. */
  answer(agentId: string, id: string, body: JsonObject): boolean
}

/** `newId` returns ids that nobody can guess. */
export const createBuiltinExchange = ({ newId }: { newId(): string }): BuiltinExchange => {
  const senders = new Map<string, (line: InboxLine) => void>()
  const waiting = new Map<string, WaitingBuiltin>()
  const waitingOf = (agentId: string): readonly WaitingBuiltin[] =>
    [...waiting.values()].filter((one) => one.agentId === agentId)

  const ask: BuiltinExchange['ask'] = (agentId, question, { timeoutMs, signal }) => {
    const send = senders.get(agentId)
    if (send === undefined) return Promise.resolve({ kind: 'away' })
    if (signal?.aborted === true) return Promise.resolve({ kind: 'stopped' })
    if (waitingOf(agentId).length >= maxWaiting) return Promise.resolve({ kind: 'busy' })
    const id = newId()
    const { promise, resolve } = Promise.withResolvers<BuiltinReply>()
    const settle = (reply: BuiltinReply): void => {
      waiting.delete(id)
      clearTimeout(timer)
      signal?.removeEventListener('abort', stopped)
      resolve(reply)
    }
    const stopped = (): void => settle({ kind: 'stopped' })
    const timer = setTimeout(settle, timeoutMs, { kind: 'late' })
    signal?.addEventListener('abort', stopped, { once: true })
    waiting.set(id, { agentId, settle })
    send({ type: 'builtin', id, ...question })
    return promise
  }

  return {
    ask,
    subscribe: (agentId, send) => {
      senders.set(agentId, send)
      return () => {
        if (senders.get(agentId) !== send) return
        senders.delete(agentId)
        for (const one of waitingOf(agentId)) one.settle({ kind: 'away' })
      }
    },
    answer: (agentId, id, body) => {
      const one = waiting.get(id)
      if (one?.agentId !== agentId) return false
      one.settle({ kind: 'answer', body })
      return true
    },
  }
}

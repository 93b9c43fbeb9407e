import type { JsonObject } from '../core/model/base/json.ts'
import type { InboxLine } from '../shared/events/inbox-line.ts'

/** An agent or a node has few questions at once. More than this many waiting questions of one are a fault. */
const maxWaiting = 64

type BuiltinLine = Extract<InboxLine, { type: 'builtin' }>

export type ExchangeReply =
  | { readonly kind: 'answer'; readonly body: JsonObject }
  /** `away`: nobody follows the stream, or the connection ended while the question waited. */
  | { readonly kind: 'away' | 'late' | 'stopped' | 'busy' }

interface WaitingQuestion {
  readonly who: string
  settle(reply: ExchangeReply): void
}

/**
 * Sends questions over streams, and gets their answers by requests. Each answer is accepted once, and only
 * from the one that was asked.
 */
export interface Exchange<Question, Line> {
  /** `who`: the agent or the node that is asked. Never rejects. */
  ask(
    who: string,
    question: Question,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<ExchangeReply>
  /** Registers the stream of one that can be asked. The returned function ends the registration. */
  subscribe(who: string, send: (line: Line) => void): () => void
  /** True while this one can be asked. */
  isHere(who: string): boolean
  /** Returns false when no question with this id waits for this one. */
  answer(who: string, id: string, body: JsonObject): boolean
}

export interface ExchangeOptions<Question, Line> {
  /** Returns ids that nobody can guess. */
  newId(): string
  lineOf(id: string, question: Question): Line
  /** The line that takes a question back, which nobody waits for any more. Absent: there is none. */
  endOf?(id: string): Line
}

export const createExchange = <Question, Line>({
  newId,
  lineOf,
  endOf,
}: ExchangeOptions<Question, Line>): Exchange<Question, Line> => {
  const senders = new Map<string, (line: Line) => void>()
  const waiting = new Map<string, WaitingQuestion>()
  const waitingOf = (who: string): readonly WaitingQuestion[] =>
    [...waiting.values()].filter((one) => one.who === who)

  const ask: Exchange<Question, Line>['ask'] = (who, question, { timeoutMs, signal }) => {
    const send = senders.get(who)
    if (send === undefined) return Promise.resolve({ kind: 'away' })
    if (signal?.aborted === true) return Promise.resolve({ kind: 'stopped' })
    if (waitingOf(who).length >= maxWaiting) return Promise.resolve({ kind: 'busy' })
    const id = newId()
    const { promise, resolve } = Promise.withResolvers<ExchangeReply>()
    const settle = (reply: ExchangeReply): void => {
      waiting.delete(id)
      clearTimeout(timer)
      signal?.removeEventListener('abort', stopped)
      if (endOf !== undefined && (reply.kind === 'late' || reply.kind === 'stopped'))
        senders.get(who)?.(endOf(id))
      resolve(reply)
    }
    const stopped = (): void => settle({ kind: 'stopped' })
    const timer = setTimeout(settle, timeoutMs, { kind: 'late' })
    signal?.addEventListener('abort', stopped, { once: true })
    waiting.set(id, { who, settle })
    send(lineOf(id, question))
    return promise
  }

  return {
    ask,
    subscribe: (who, send) => {
      senders.set(who, send)
      return () => {
        if (senders.get(who) !== send) return
        senders.delete(who)
        for (const one of waitingOf(who)) one.settle({ kind: 'away' })
      }
    },
    isHere: (who) => senders.has(who),
    answer: (who, id, body) => {
      const one = waiting.get(id)
      if (one?.who !== who) return false
      one.settle({ kind: 'answer', body })
      return true
    },
  }
}

/** The questions to agent hosts outside their prompts. */
export type BuiltinExchange = Exchange<Omit<BuiltinLine, 'type' | 'id'>, InboxLine>

export const createBuiltinExchange = ({ newId }: { newId(): string }): BuiltinExchange =>
  createExchange({ newId, lineOf: (id, question) => ({ type: 'builtin', id, ...question }) })

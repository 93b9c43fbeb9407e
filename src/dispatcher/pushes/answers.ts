import type { PushReply } from '../../model/chat/push.ts'
import { createDeadlines } from '../door/deadlines.ts'

/** How long a request for a push waits for its outcome, in milliseconds. */
const answerWithinMs = 10_000

export interface AnswerPorts {
  after(delayMs: number, run: () => void): void
  elapsedMs(): number
}

/** Manages the requests that wait for the outcome of their push. They do not survive a restart. */
export const createAnswers = (ports: AnswerPorts) => {
  const deadlines = createDeadlines(answerWithinMs, ports)
  const waiting = new Map<string, { readonly eventId: string; resolve(reply: PushReply): void }>()
  return {
    /**
     * Resolves with the outcome of the push, or with `queued` when the time is over. `eventId`: the event in
     * which it was judged.
     */
    wait: (id: string, eventId: string): Promise<PushReply> => {
      const { promise, resolve } = Promise.withResolvers<PushReply>()
      waiting.set(id, { eventId, resolve })
      deadlines.start(id, () => resolve({ outcome: 'queued', event_id: eventId }))
      return promise
    },
    /** The event in which the push was judged when it was requested. Empty when it is no longer known. */
    eventOf: (id: string): string => waiting.get(id)?.eventId ?? '',
    /** The outcome is on disk. */
    give: (id: string, reply: PushReply): void => {
      deadlines.end(id)
      waiting.get(id)?.resolve(reply)
      waiting.delete(id)
    },
  }
}

export type Answers = ReturnType<typeof createAnswers>

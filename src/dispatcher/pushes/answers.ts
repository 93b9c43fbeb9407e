import type { PushReply } from '../../model/chat/push.ts'
import { createDeadlines } from '../door/deadlines.ts'

/** How long a request for a push waits to learn what became of it, in milliseconds. */
const answerWithinMs = 10_000

export interface AnswerPorts {
  after(delayMs: number, run: () => void): void
  elapsedMs(): number
}

/** The requests for pushes that wait to learn what became of theirs, as long as this process lives. */
export const createAnswers = (ports: AnswerPorts) => {
  const patience = createDeadlines(answerWithinMs, ports)
  const waiting = new Map<string, { readonly eventId: string; resolve(reply: PushReply): void }>()
  return {
    /** Resolves with what became of the push, or with `queued` when that takes too long. `eventId`: in which it was judged. */
    wait: (id: string, eventId: string): Promise<PushReply> => {
      const { promise, resolve } = Promise.withResolvers<PushReply>()
      waiting.set(id, { eventId, resolve })
      patience.start(id, () => resolve({ outcome: 'queued', event_id: eventId }))
      return promise
    },
    /** The event in which it was judged when it was asked for; empty where that is not known any more. */
    eventOf: (id: string): string => waiting.get(id)?.eventId ?? '',
    /** Its end is known and soon on disk: `queued` is not answered any more. */
    endPatience: (id: string): void => patience.end(id),
    give: (id: string, reply: PushReply): void => {
      waiting.get(id)?.resolve(reply)
      waiting.delete(id)
    },
  }
}

export type Answers = ReturnType<typeof createAnswers>

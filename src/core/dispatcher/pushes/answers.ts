import type { PushReply } from '../../model/chat/push.ts'

/** How long a request for a push waits for its outcome, in milliseconds. */
const answerWithinMs = 10_000

export interface AnswerPorts {
  after(delayMs: number, run: () => void): void
  elapsedMs(): number
}

/**
 * Manages the requests that wait for the outcome of their push. They do not survive a restart. One timer is
 * for all: a timer for each would keep its push in memory until it fires.
 */
export const createAnswers = ({ after, elapsedMs }: AnswerPorts) => {
  /** The oldest is first, since all wait equally long. */
  const waiting = new Map<string, { readonly endsAtMs: number; answer(reply?: PushReply): void }>()
  let isTimerSet = false
  const setTimer = (): void => {
    if (isTimerSet) return
    const [next] = waiting.values()
    if (next === undefined) return
    isTimerSet = true
    after(Math.max(1, next.endsAtMs - elapsedMs()), () => {
      isTimerSet = false
      for (const [id, { endsAtMs, answer }] of waiting) {
        if (endsAtMs > elapsedMs()) break
        waiting.delete(id)
        answer()
      }
      setTimer()
    })
  }
  return {
    /**
     * Resolves with the outcome of the push, or with `queued` when the time is over. `eventId`: the event in
     * which it was judged.
     */
    wait: (id: string, eventId: string): Promise<PushReply> => {
      const { promise, resolve } = Promise.withResolvers<PushReply>()
      waiting.set(id, {
        endsAtMs: elapsedMs() + answerWithinMs,
        answer: (reply = { outcome: 'queued', event_id: eventId }) => resolve(reply),
      })
      setTimer()
      return promise
    },
    /** The outcome is on disk. */
    give: (id: string, reply: PushReply): void => {
      waiting.get(id)?.answer(reply)
      waiting.delete(id)
    },
  }
}

export type Answers = ReturnType<typeof createAnswers>

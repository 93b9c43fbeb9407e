import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import type { PostgresClient } from './client.ts'
import { createRequests, type Pulse } from './requests.ts'

/** A database that gave no answer for so long is silent, in milliseconds. */
const silentMs = 500
/** How often it is asked, in milliseconds. A question that waits is not asked again. */
const askEveryMs = 100
/** The looks without an answer that make it silent. The first of them can be as old as a question. */
const mostMissed = silentMs / askEveryMs - 1

/** What looks whether the database answers. */
export interface RunningPulse extends Pulse {
  /** The listener is called each time when it answers again. */
  onAnswer(listener: () => void): void
  /** Never rejects. */
  stop(): Promise<void>
}

/**
 * Asks the database again and again over a connection of its own. Only a turn of the event loop in which an
 * answer could have been read counts as a look, so a busy gate does not take its own pause for silence.
 */
export const startPulse = (connect: () => PostgresClient): RunningPulse => {
  const { request, stop } = createRequests({ connect, what: 'a question whether it answers' })
  const [silences, answers] = [new Set<() => void>(), new Set<() => void>()]
  let missed = 0
  let asking: Promise<void> | undefined
  let isOver = false
  const isAnswering = (): boolean => missed < mostMissed

  const ask = async (): Promise<void> => {
    try {
      await request(({ query }) => query('SELECT 1'))
      const wasAnswering = isAnswering()
      missed = -1
      if (!wasAnswering && !isOver) for (const listener of answers) listener()
    } catch {
      // A refusal is no answer either. The next look asks again.
    } finally {
      asking = undefined
    }
  }
  const look = async (): Promise<void> => {
    for (;;) {
      asking ??= ask()
      await pause(askEveryMs, undefined, { ref: false })
      // What has arrived is read first.
      await turn()
      if (isOver) return
      missed += 1
      if (missed === mostMissed) for (const listener of silences) listener()
    }
  }
  void look()

  return {
    isAnswering,
    onSilent: (listener) => {
      silences.add(listener)
      return () => void silences.delete(listener)
    },
    onAnswer: (listener) => void answers.add(listener),
    stop: async () => {
      isOver = true
      await asking
      await stop()
    },
  }
}

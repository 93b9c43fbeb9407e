import type { Api } from 'grammy'
import type { ChannelPorts } from '../../src/model/channel.ts'
import { failureFields, readFailure } from './failure.ts'
import { type Timers, within } from './timers.ts'

/** A phone shows its spinner for longer than that by itself; a later answer is worth little. */
const answerTimeoutMs = 5000
/** Whoever presses faster than Telegram answers waits for their own phone. */
const maxUnderway = 100

export interface AnswerPorts extends Pick<ChannelPorts, 'log'> {
  readonly api: Api
  readonly token: string
  readonly timers: Timers
}

/** Tells Telegram that a press arrived, so that the phone stops waiting. It says nothing of what became of it, and nothing depends on it. */
export const createAnswers = (ports: AnswerPorts) => {
  const underway = new Set<Promise<void>>()

  const answer = async (id: string, life: AbortSignal): Promise<void> => {
    try {
      await within(ports.timers, answerTimeoutMs, (signal) => ports.api.raw.answerCallbackQuery({ callback_query_id: id }, signal), life)
    } catch (error) {
      ports.log('debug', 'telegram press not answered', { method: 'answerCallbackQuery', ...failureFields(readFailure(error, [ports.token])) })
    }
  }

  return {
    /** Returns at once. */
    answer: (id: string, life: AbortSignal): void => {
      if (underway.size >= maxUnderway) return ports.log('debug', 'telegram press not answered', { underway: underway.size })
      const one = answer(id, life)
      underway.add(one)
      void one.then(() => underway.delete(one))
    },
    /** Resolves when none is under way; never rejects. */
    settled: async (): Promise<void> => void (await Promise.all(underway)),
  }
}
export type Answers = ReturnType<typeof createAnswers>

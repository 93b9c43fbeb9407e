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

/**
 * Tells Telegram that a press arrived, so that the phone stops waiting. It says nothing of what became of it, and nothing
 * depends on it. The returned function returns at once and never throws; `life` ends what is under way.
 */
export const createAnswers = (ports: AnswerPorts) => {
  let underway = 0

  const answer = async (id: string, life: AbortSignal): Promise<void> => {
    underway++
    try {
      await within(
        ports.timers,
        answerTimeoutMs,
        (signal) => ports.api.raw.answerCallbackQuery({ callback_query_id: id }, signal),
        life,
      )
    } catch (error) {
      ports.log('debug', 'telegram press not answered', {
        method: 'answerCallbackQuery',
        ...failureFields(readFailure(error, [ports.token])),
      })
    } finally {
      underway--
    }
  }

  return (id: string, life: AbortSignal): void => {
    if (underway < maxUnderway) void answer(id, life)
    else ports.log('debug', 'telegram press not answered', { underway })
  }
}

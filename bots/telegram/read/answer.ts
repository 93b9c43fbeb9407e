import type { Api } from 'grammy'
import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { failureFields } from '../../../src/shared/chat/connection.ts'
import { readFailure } from '../failure.ts'
import { type Timers, within } from '../timers.ts'

/** Telegram's apps stop waiting by themselves some time after this, so a later answer has no use. */
const answerTimeoutMs = 5000
/** Presses above this number get no answer. Their phones stop waiting by themselves. */
const maxUnderway = 100

export interface AnswerPorts extends Pick<ChannelPorts, 'log'> {
  readonly api: Api
  readonly token: string
  readonly timers: Timers
}

/**
 * Tells Telegram that a press arrived, so that the phone stops waiting. The answer does not say what the
 * press caused. The returned function returns at once and never throws. Aborting `stopSignal` ends the calls
 * that are running.
 */
export const createAnswers = (ports: AnswerPorts) => {
  let underway = 0

  const answer = async (id: string, stopSignal: AbortSignal): Promise<void> => {
    underway++
    try {
      await within(
        ports.timers,
        answerTimeoutMs,
        (signal) => ports.api.raw.answerCallbackQuery({ callback_query_id: id }, signal),
        stopSignal,
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

  return (id: string, stopSignal: AbortSignal): void => {
    if (underway < maxUnderway) void answer(id, stopSignal)
    else ports.log('debug', 'telegram press not answered', { underway })
  }
}

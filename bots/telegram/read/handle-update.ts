import { isUnkept, type ChannelPorts, type Unkept } from '../../../src/core/model/chat/channel.ts'
import type { FetchFile } from './files.ts'
import { readPress } from './press.ts'
import { readUpdate, type Me } from './message.ts'

export interface UpdatePorts extends Pick<ChannelPorts, 'receive' | 'log'> {
  /** Tells the phone that a press arrived. It does not wait for the result. */
  answer(queryId: string, stopSignal: AbortSignal): void
  readonly fetchFile: FetchFile
}

/**
 * Handles one update of the poll or the webhook. `notBeforeMs` is a time at which no press in the update had
 * happened yet. Resolves when the message is on disk or done with, or with why Telegram has to keep it. Never
 * rejects.
 */
export type HandleUpdate = (
  update: unknown,
  self: Me,
  notBeforeMs: number,
  stopSignal: AbortSignal,
) => Promise<Unkept | undefined>

export const createUpdateHandler =
  (ports: UpdatePorts): HandleUpdate =>
  async (update, self, notBeforeMs, stopSignal) => {
    const press = readPress(update, self, notBeforeMs)
    if (press !== undefined) ports.answer(press.queryId, stopSignal)
    const message = press === undefined ? readUpdate(update, self, ports.fetchFile) : press.message
    if (message === undefined) {
      ports.log('debug', 'telegram update ignored')
      return undefined
    }
    // A receiver that throws or rejects is a bug in hookgate. It must not end the connection or the process.
    const received = await new Promise((resolve) => {
      resolve(ports.receive(message))
    }).catch(() =>
      ports.log('error', 'telegram message could not be received', { message_id: message.message_id }),
    )
    return isUnkept(received) ? received : undefined
  }

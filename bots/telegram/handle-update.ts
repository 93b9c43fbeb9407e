import type { ChannelPorts } from '../../src/model/channel.ts'
import type { FetchFile } from './read/files.ts'
import { readPress } from './read/press.ts'
import { readUpdate, type Me } from './read/message.ts'

export interface UpdatePorts extends Pick<ChannelPorts, 'receive' | 'log'> {
  /** Tells the phone that a press arrived, without waiting. */
  answer(queryId: string, life: AbortSignal): void
  readonly fetchFile: FetchFile
}

/** One update, however it came. `notBeforeMs`: when no press in it had happened yet. Resolves when what it brought is on disk; never rejects. */
export type HandleUpdate = (
  update: unknown,
  self: Me,
  notBeforeMs: number,
  life: AbortSignal,
) => Promise<void>

export const createUpdateHandler =
  (ports: UpdatePorts): HandleUpdate =>
  async (update, self, notBeforeMs, life) => {
    const press = readPress(update, self, notBeforeMs)
    if (press !== undefined) ports.answer(press.queryId, life)
    const message = press === undefined ? readUpdate(update, self, ports.fetchFile) : press.message
    if (message === undefined) {
      ports.log('debug', 'telegram update passed over')
      return
    }
    // A receiver that throws or rejects is a mistake of ours; it must end neither the connection nor the process.
    await new Promise((resolve) => {
      resolve(ports.receive(message))
    }).catch(() => ports.log('error', 'telegram message not taken', { message_id: message.message_id }))
  }

import { setImmediate } from 'node:timers/promises'
import type { Channel, Rehearsal } from '../../src/model/channel.ts'
import type { Chat } from './chat.ts'

/** A page that is served to nobody, with one tab that records what it is shown. */
export const rehearse = (make: (lend: (chat: Pick<Chat, 'open'>) => void) => Channel): Rehearsal => {
  let shown = ''
  const record = async (tab: ReadableStream<Uint8Array> | undefined): Promise<void> => {
    for await (const bytes of tab ?? []) shown += Buffer.from(bytes).toString('latin1')
  }
  const channel = make((chat) => void record(chat.open('rehearsal')))
  return {
    channel,
    chats: ['main'],
    taken: async () => {
      // The tab reads one turn after it is written to.
      await setImmediate()
      const taken = shown
      shown = ''
      return taken
    },
    hand: (parcel) => channel.deliver(parcel),
    ways: {},
  }
}

import { createMemory } from '../../../../bots/memory/memory.ts'
import type { ChannelPorts } from '../../../../src/core/model/chat/channel.ts'
import type { Parcel } from '../../../../src/core/model/chat/push.ts'
import type { Rehearsal } from '../rehearsal.ts'

/** The memory channel once more. What it delivers is all that there is to record. */
export const memoryTwin = (
  { name, maxUnits }: { readonly name: string; readonly maxUnits: number },
  ports: ChannelPorts,
): Rehearsal => {
  const twin = createMemory({ name, maxUnits }, ports)
  const delivered: Parcel[] = []
  twin.onSent((parcel) => void delivered.push(parcel))
  return {
    // Named, so that it can be edited.
    channel: {
      ...twin,
      deliver: async (parcel) => ({ message_id: parcel.parcel_id, ...(await twin.deliver(parcel)) }),
    },
    chats: ['main'],
    taken: async () => {
      const taken = delivered
        .splice(0)
        .map(async (parcel) => [
          Buffer.from(JSON.stringify(parcel)),
          ...(await Promise.all(parcel.files.map((file) => file.arrayBuffer()))).map((bytes) =>
            Buffer.from(bytes),
          ),
        ])
      return Buffer.concat((await Promise.all(taken)).flat()).toString('latin1')
    },
    hand: (parcel) => twin.deliver(parcel),
    ways: {},
  }
}

import { createMemory } from '../../../../bots/memory/memory.ts'
import type { ChannelPorts } from '../../../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import type { Rehearsal } from '../rehearsal.ts'

/** The memory channel once more. What it delivers is all that there is to record. */
export const memoryTwin = (
  { name, maxUnits }: { readonly name: string; readonly maxUnits: number },
  ports: ChannelPorts,
): Rehearsal => {
  const twin = createMemory({ name, maxUnits }, ports)
  const delivered: OutgoingMessage[] = []
  twin.onSent((outgoing) => void delivered.push(outgoing))
  return {
    // Named, so that it can be edited.
    channel: {
      ...twin,
      deliver: async (outgoing) => ({ message_id: outgoing.outgoing_id, ...(await twin.deliver(outgoing)) }),
    },
    chats: ['main'],
    taken: async () => {
      const taken = delivered
        .splice(0)
        .map(async (outgoing) => [
          Buffer.from(JSON.stringify(outgoing)),
          ...(await Promise.all(outgoing.files.map((file) => file.arrayBuffer()))).map((bytes) =>
            Buffer.from(bytes),
          ),
        ])
      return Buffer.concat((await Promise.all(taken)).flat()).toString('latin1')
    },
    hand: (outgoing) => twin.deliver(outgoing),
    ways: {},
  }
}

import { fixed, joinProse, prose, type Prose } from '../model/chat/prose.ts'
import { chatKey, type Address } from '../model/chat/push.ts'
import type { EventRecord } from '../model/events/record.ts'
import type { Asking } from './prompt-room.ts'

export interface OverflowPorts {
  isOwner(asking: Asking): boolean
  notify(address: Address, text: Prose): Promise<void>
  tellOwners(text: Prose): void
  record(record: EventRecord): void
  newId(): string
  now(): number
}

const chatText = [
  'Too many messages wait for the agent. Your last one was not kept.',
  'Neither is what comes until it has caught up; send it again then.',
].join('\n')
const ownerText = (count: number): string =>
  [
    'Too many of your messages wait for the agent.',
    count === 1 ? 'The last one was not kept.' : `${count} were not kept by now.`,
    'Commands work: /stop ends its turn.',
  ].join('\n')
const ownersText = ({ channel, chat_id, sender_id, sender_name }: Asking): Prose =>
  joinProse(
    [
      prose`⚠ ${sender_name} (${channel}:${sender_id}) writes faster in ${channel}:${chat_id} than the agent can read.`,
      fixed(
        'What is too much is not kept. Take that chat out of gate.yaml if you do not want it to be served.',
      ),
    ],
    '\n',
  )

/**
 * Says that a message was not kept: to a chat and about it once, and to an owner at each doubling of what was lost,
 * until the agent has caught up.
 */
export const createOverflow = (ports: OverflowPorts) => {
  /** How many messages of each chat were not kept; owners' apart. */
  const lost = new Map<string, number>()

  return {
    tell: async (asking: Asking): Promise<void> => {
      const { channel, chat_id, sender_id } = asking
      const isOwner = ports.isOwner(asking)
      const key = `${isOwner ? 'owner' : 'others'} ${chatKey(asking)}`
      const count = (lost.get(key) ?? 0) + 1
      const isFirst = lost.size === 0
      lost.set(key, count)
      // Each doubling has a record: enough of them to see the flood, and too few to be one.
      if (!Number.isInteger(Math.log2(count))) return
      ports.record({
        event_id: ports.newId(),
        atMs: ports.now(),
        kind: 'refusal',
        subject: 'message',
        outcome: 'refused',
        reason: `too_many from ${channel}:${sender_id}, ${count} not kept in this chat`,
        channel,
        chat_id,
        length: asking.text.length,
      })
      if (isOwner) return ports.notify({ channel, chat_id }, fixed(ownerText(count)))
      if (count > 1) return
      if (isFirst) ports.tellOwners(ownersText(asking))
      await ports.notify({ channel, chat_id }, fixed(chatText))
    },
    /** The agent has caught up: what comes too fast from now on is told again. */
    end: (): void => lost.clear(),
  }
}

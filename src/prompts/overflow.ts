import { fixed, joinProse, prose, type Prose } from '../core/model/chat/prose.ts'
import { chatKey, type Address } from '../core/model/chat/push.ts'
import { shownName } from '../core/model/chat/speaker.ts'
import type { EventRecord } from '../core/model/events/record.ts'
import type { Asking } from './prompt-room.ts'

export interface OverflowPorts {
  isOwner(asking: Asking): boolean
  notify(address: Address, text: Prose): Promise<void>
  tellOwners(text: Prose): void
  record(record: EventRecord): void
  newId(): string
  now(): number
}

const chatText = fixed(
  'Too many messages are waiting for the agent. Your last message was dropped.\nNew messages are dropped until the agent has caught up. Send yours again later.',
)
const ownerText = (count: number): Prose =>
  joinProse(
    [
      fixed('Too many of your messages are waiting for the agent.'),
      count === 1 ? fixed('The last one was dropped.') : prose`${count} messages were dropped so far.`,
      fixed('Commands still work: /stop ends the turn.'),
    ],
    '\n',
  )
const ownersText = ({ channel, chat_id, sender_id, sender_name }: Asking): Prose =>
  joinProse(
    [
      prose`⚠ ${shownName(sender_name)} (${channel}:${sender_id}) sends messages to ${channel}:${chat_id} faster than the agent can read them.`,
      fixed(
        'Further messages are dropped. If you do not want the agent to serve that chat, remove it from gate.yaml.',
      ),
    ],
    '\n',
  )

/**
 * Reports dropped messages until the agent has caught up: once to the chat, once to the owners about that
 * chat, and to an owner who writes each time the number of dropped messages doubles.
 */
export const createOverflow = (ports: OverflowPorts) => {
  /** The number of dropped messages of each chat, with owners' messages counted separately. */
  const lost = new Map<string, number>()

  return {
    tell: async (asking: Asking): Promise<void> => {
      const { channel, chat_id, sender_id } = asking
      const isOwner = ports.isOwner(asking)
      const key = `${isOwner ? 'owner' : 'others'} ${chatKey(asking)}`
      const count = (lost.get(key) ?? 0) + 1
      const isFirst = lost.size === 0
      lost.set(key, count)
      // Only each doubling is recorded. This shows the flood in the history without flooding the history.
      if (!Number.isInteger(Math.log2(count))) return
      ports.record({
        event_id: ports.newId(),
        atMs: ports.now(),
        kind: 'refusal',
        subject: 'message',
        outcome: 'refused',
        reason: `too_many from ${channel}:${sender_id}, ${count} dropped in this chat`,
        channel,
        chat_id,
        length: asking.text.length,
      })
      if (isOwner) return ports.notify({ channel, chat_id }, ownerText(count))
      if (count > 1) return
      if (isFirst) ports.tellOwners(ownersText(asking))
      await ports.notify({ channel, chat_id }, chatText)
    },
    /** The agent has caught up. Messages that are dropped from now on are reported again. */
    end: (): void => lost.clear(),
  }
}

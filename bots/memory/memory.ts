import type { Channel, ChannelPorts, Delivery, Limit, Message } from '../../src/core/model/chat/channel.ts'
import { PUSH_TYPES } from '../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'

export interface MemoryOptions {
  /** The default is `memory`. */
  readonly name?: string
  /** The longest text, in UTF-16 units. The default is 4096. */
  readonly maxUnits?: number
  readonly limits?: readonly Limit[]
  /** True: the channel can pin an anchor. */
  readonly canPin?: true
}

export interface MemoryChannel extends Channel {
  /** The text of the pinned anchor, by chat id. */
  readonly pinned: Map<string, string>
  /**
   * Receives a message of a person. It is plain text from `owner` in the private chat `main`, unless
   * `overrides`
   * changes that.
   */
  say(text: string, overrides?: Partial<Message>): void
  /** Receives a press of a button. `on_message_id` is the message id of the notice that has the button. */
  press(data: string, on_message_id: string, overrides?: Partial<Message>): void
  /** The delivered messages. The oldest comes first. */
  sent(): readonly OutgoingMessage[]
  /** Removes the delivered messages from the list. */
  forget(): void
  /**
   * Calls `listener` with each message when it is delivered, and waits for it. Returns a function that
   * removes the listener.
   */
  onSent(listener: (outgoing: OutgoingMessage) => unknown): () => void
  /** Gives the next message this outcome instead of delivering it. Several calls form a queue. */
  fail(outcome: Delivery): void
  /** True when no planned outcome is left in the queue. */
  isHealed(): boolean
}

/**
 * Makes a messenger without a network for tests and the benchmark. Like every bot, it delivers only messages
 * that the dispatcher admitted.
 */
export const createMemory = (options: MemoryOptions | undefined, ports: ChannelPorts): MemoryChannel => {
  const name = options?.name ?? 'memory'
  const maxUnits = options?.maxUnits ?? 4096
  const delivered: OutgoingMessage[] = []
  const listeners = new Set<(outgoing: OutgoingMessage) => unknown>()
  const plannedOutcomes: Delivery[] = []
  const pinned = new Map<string, string>()
  let count = 0

  const tell = async (outgoing: OutgoingMessage): Promise<void> => {
    for (const listener of listeners) {
      try {
        await listener(outgoing)
      } catch {
        ports.log('error', 'memory: a listener failed')
      }
    }
  }

  const say: MemoryChannel['say'] = (text, overrides) => {
    count += 1
    ports.receive({
      channel: name,
      chat_id: 'main',
      message_id: String(count),
      sender_id: 'owner',
      sender_name: 'Owner',
      isPrivate: true,
      origin: 'plain',
      sentAtMs: ports.now(),
      text,
      ...overrides,
    })
  }

  return {
    name,
    maxUnits,
    forms: PUSH_TYPES,
    limits: options?.limits,
    groupOf: (chatId) => (chatId.startsWith('group') ? chatId.split('/', 1)[0] : undefined),
    hasButtons: true,
    pinned,
    ...(options?.canPin === true
      ? { readAnchor: (chatId: string) => Promise.resolve(pinned.get(chatId)) }
      : {}),
    async start() {},
    async stop() {},
    async deliver(outgoing) {
      if (!ports.isAdmitted(outgoing)) {
        ports.tripped(name, 'deliver')
        return { kind: 'failed', why: 'The message did not come through the dispatcher, so it was refused.' }
      }
      if (outgoing.text.length > maxUnits) {
        return {
          kind: 'failed',
          why: `Expected a message of at most ${maxUnits} units, got ${outgoing.text.length}. Split it.`,
        }
      }
      const outcome = plannedOutcomes.shift() ?? {
        kind: 'delivered',
        ...(outgoing.kind === 'notice' ? { message_id: outgoing.outgoing_id } : {}),
      }
      if (outcome.kind === 'delivered') {
        delivered.push(outgoing)
        if (outgoing.isAnchor === true) pinned.set(outgoing.chat_id, outgoing.text)
        await tell(outgoing)
      }
      return outcome
    },
    say,
    press: (data, on_message_id, overrides) => say('', { press: { data, on_message_id }, ...overrides }),
    sent: () => [...delivered],
    forget: () => void delivered.splice(0),
    onSent(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    fail(outcome) {
      plannedOutcomes.push(outcome)
    },
    isHealed: () => plannedOutcomes.length === 0,
  }
}

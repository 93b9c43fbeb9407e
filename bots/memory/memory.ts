import type { Channel, ChannelPorts, Delivery, Limit, Message } from '../../src/model/channel.ts'
import { PUSH_TYPES } from '../../src/model/content.ts'
import type { Parcel } from '../../src/model/push.ts'

export interface MemoryOptions {
  /** Default `memory`. */
  readonly name?: string
  /** In UTF-16 units; default 4096. */
  readonly maxUnits?: number
  readonly limits?: readonly Limit[]
  /** It can keep an anchor. */
  readonly canPin?: true
}

export interface MemoryChannel extends Channel {
  /** What is pinned in each chat. */
  readonly pinned: Map<string, string>
  /** A person writes: plain text from `owner` in the private chat `main`, unless `overrides` says otherwise. */
  say(text: string, overrides?: Partial<Message>): void
  /** A person taps a button. A notice's parcel id names the message under which it stands. */
  press(data: string, on_message_id: string, overrides?: Partial<Message>): void
  /** What was delivered, the oldest first. */
  sent(): readonly Parcel[]
  /** Forgets what was delivered so far. */
  forget(): void
  /** Hears of each parcel as it is delivered. Returns what ends the listening. */
  onSent(listener: (parcel: Parcel) => void): () => void
  /** The next parcel comes to this end instead; calls queue up. */
  fail(next: Delivery): void
  /** True: every planned end has come. */
  isHealed(): boolean
}

/** A messenger without a network, on which tests and the bench run the whole plane. Like every bot it takes admitted parcels only. */
export const createMemory = (options: MemoryOptions | undefined, ports: ChannelPorts): MemoryChannel => {
  const name = options?.name ?? 'memory'
  const maxUnits = options?.maxUnits ?? 4096
  const delivered: Parcel[] = []
  const listeners = new Set<(parcel: Parcel) => void>()
  const ends: Delivery[] = []
  const pinned = new Map<string, string>()
  let count = 0

  const tell = (parcel: Parcel): void => {
    for (const listener of listeners) {
      try {
        listener(parcel)
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
    ...(options?.limits === undefined ? {} : { limits: options.limits }),
    groupOf: (chatId) => (chatId.startsWith('group') ? chatId.split('/', 1)[0] : undefined),
    hasButtons: true,
    pinned,
    ...(options?.canPin === true
      ? { readAnchor: (chatId: string) => Promise.resolve(pinned.get(chatId)) }
      : {}),
    async start() {},
    async stop() {},
    async deliver(parcel) {
      if (!ports.isAdmitted(parcel)) {
        ports.tripped(name, 'deliver')
        return { kind: 'failed', why: 'The message did not come through the dispatcher, so it was refused.' }
      }
      if (parcel.text.length > maxUnits) {
        return {
          kind: 'failed',
          why: `Expected a message of at most ${maxUnits} units, got ${parcel.text.length}. Split it.`,
        }
      }
      const end = ends.shift() ?? {
        kind: 'delivered',
        ...(parcel.kind === 'notice' ? { message_id: parcel.parcel_id } : {}),
      }
      if (end.kind === 'delivered') {
        delivered.push(parcel)
        if (parcel.isAnchor === true) pinned.set(parcel.chat_id, parcel.text)
        tell(parcel)
      }
      return end
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
    fail(next) {
      ends.push(next)
    },
    isHealed: () => ends.length === 0,
  }
}

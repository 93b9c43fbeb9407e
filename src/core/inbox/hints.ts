import type { Message } from '../model/chat/channel.ts'
import { fixed, joinProse, type Prose } from '../model/chat/prose.ts'
import type { Address } from '../model/chat/push.ts'

export interface HintPorts {
  /** True when somebody owns the gate. */
  isClaimed(): boolean
  notify(address: Address, text: Prose): Promise<void>
  /** The time in epoch milliseconds. */
  now(): number
}

/** A person gets each kind of hint once in this time, in milliseconds. */
const quietMs = 10 * 60 * 1000
/** All people together get so many hints in that time. */
export const maxHints = 20

/** The way to pair, for a person who may sit at the console. */
export const howToPair = (): Prose =>
  joinProse(
    [
      fixed('The console where hookgate was started shows a code. Enter there prints a new one.'),
      fixed('Type here: /pair <code>'),
    ],
    '\n',
  )

/**
 * Helps people who are not owners while nobody owns the gate. As soon as somebody owns it, and in every chat
 * with others, a stranger is told nothing.
 */
export const createHints = (ports: HintPorts) => {
  /** The times of the hints, by kind and sender. It has at most `maxHints` keys. */
  const given = new Map<string, number>()

  return async (message: Message, kind: 'start' | 'pair', text: Prose): Promise<void> => {
    if (ports.isClaimed() || !message.isPrivate || message.origin !== 'plain') return
    const now = ports.now()
    for (const [key, atMs] of given) if (Math.abs(now - atMs) >= quietMs) given.delete(key)
    const key = `${kind} ${message.channel}:${message.sender_id}`
    if (given.has(key) || given.size >= maxHints) return
    given.set(key, now)
    await ports.notify({ channel: message.channel, chat_id: message.chat_id }, text)
  }
}

export type Hint = ReturnType<typeof createHints>

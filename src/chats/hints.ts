import type { Message } from '../core/model/chat/channel.ts'
import { fixed, joinProse, type Prose } from '../core/model/chat/prose.ts'

export interface HintPorts {
  /** True when somebody owns the gate. */
  isClaimed(): boolean
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

  /** Returns the hint where its sender gets one now. */
  return (message: Message, kind: 'start' | 'pair', text: Prose): Prose | undefined => {
    if (ports.isClaimed() || !message.isPrivate || message.origin !== 'plain') return undefined
    const now = ports.now()
    for (const [key, atMs] of given) if (Math.abs(now - atMs) >= quietMs) given.delete(key)
    const key = `${kind} ${message.channel}:${message.sender_id}`
    if (given.has(key) || given.size >= maxHints) return undefined
    given.set(key, now)
    return text
  }
}

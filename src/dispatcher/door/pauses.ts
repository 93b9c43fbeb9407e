import type { Delivery } from '../../model/chat/channel.ts'
import type { Address } from '../../model/chat/push.ts'

/** A messenger that wants to be left alone for longer is asked again after this. */
export const maxPauseMs = 60 * 60 * 1000
/** A messenger that cannot be reached is tried at least this often. */
export const maxBackoffMs = 30_000

/**
 * How long to wait after `tries` sends in vain, in milliseconds: twice as long each time, and apart from each other, so
 * that many chats do not come back at once.
 */
const backoffMs = (firstMs: number, tries: number): number => {
  if (tries <= 1) return firstMs
  return (
    Math.min(firstMs * 2 ** Math.min(tries - 1, 16), Math.max(firstMs, maxBackoffMs)) *
    (0.75 + Math.random() / 4)
  )
}

export interface Pauses {
  /** How long a chat is left alone after something could not be sent there, `tries` times in a row. In milliseconds. */
  restMs(address: Address, delivery: Extract<Delivery, { kind: 'retry' }>, tries: number): number
  /** True: nothing leaves on this channel. */
  isClosed(channel: string): boolean
}

/**
 * A messenger that asks for a pause does not say whether it means one chat or all: Telegram counts both. It counts for
 * its chat, and when a second chat is asked for one meanwhile, for all.
 */
export const createPauses = (ports: {
  after(delayMs: number, run: () => void): void
  over(channel: string): void
}): Pauses => {
  const asked = new Map<string, Set<string>>()
  const closed = new Map<string, number>()

  const note = ({ channel, chat_id }: Address, forMs: number): void => {
    const chats = asked.get(channel) ?? new Set()
    asked.set(channel, chats.add(chat_id))
    ports.after(forMs, () => void chats.delete(chat_id))
    if (chats.size < 2) return
    closed.set(channel, (closed.get(channel) ?? 0) + 1)
    ports.after(forMs, () => {
      const left = (closed.get(channel) ?? 1) - 1
      closed.set(channel, left)
      if (left === 0) ports.over(channel)
    })
  }

  return {
    restMs: (address, { afterMs, isLimit }, tries) => {
      if (isLimit !== true) return backoffMs(afterMs, tries)
      const forMs = Math.min(afterMs, maxPauseMs)
      note(address, forMs)
      return forMs
    },
    isClosed: (channel) => (closed.get(channel) ?? 0) > 0,
  }
}

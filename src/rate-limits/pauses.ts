import type { Delivery } from '../core/model/chat/channel.ts'
import type { Address } from '../core/model/chat/push.ts'

/** The longest pause that a messenger can ask for, in milliseconds. After it the messenger is tried again. */
export const maxPauseMs = 60 * 60 * 1000
/** The longest wait between two tries of a messenger that cannot be reached, in milliseconds. */
export const maxBackoffMs = 30_000

/**
 * Exponential backoff with jitter, in milliseconds. Each of the `tries` failed sends doubles the wait. The
 * jitter keeps many chats from trying again at the same moment.
 */
const backoffMs = (firstMs: number, tries: number): number => {
  if (tries <= 1) return firstMs
  return (
    Math.min(firstMs * 2 ** Math.min(tries - 1, 16), Math.max(firstMs, maxBackoffMs)) *
    (0.75 + Math.random() / 4)
  )
}

/**
 * Counts the pauses that messengers ask for. A messenger does not say whether it means one chat or all chats;
 * Telegram limits both. The pause counts for its chat. When a second chat is asked to pause at the same time,
 * it counts for all chats.
 */
export const createPauses = (ports: { after(delayMs: number, run: () => void): void }) => {
  const listeners = new Set<(channel: string) => void>()
  const pausedChats = new Map<string, Set<string>>()
  const closed = new Map<string, number>()

  const countPause = ({ channel, chat_id }: Address, forMs: number): void => {
    const chats = pausedChats.get(channel) ?? new Set()
    pausedChats.set(channel, chats.add(chat_id))
    ports.after(forMs, () => void chats.delete(chat_id))
    if (chats.size < 2) return
    closed.set(channel, (closed.get(channel) ?? 0) + 1)
    ports.after(forMs, () => {
      const left = (closed.get(channel) ?? 1) - 1
      closed.set(channel, left)
      if (left === 0) for (const listener of listeners) listener(channel)
    })
  }

  return {
    /** The pause of a chat after `tries` failed sends in a row, in milliseconds. */
    restMs: (
      address: Address,
      { afterMs, isLimit }: Extract<Delivery, { kind: 'retry' }>,
      tries: number,
    ): number => {
      if (isLimit !== true) return backoffMs(afterMs, tries)
      const forMs = Math.min(afterMs, maxPauseMs)
      countPause(address, forMs)
      return forMs
    },
    /** True while nothing may leave on this channel. */
    isClosed: (channel: string): boolean => (closed.get(channel) ?? 0) > 0,
    /** The listener is called when something may leave on a channel again. */
    onOpen: (listener: (channel: string) => void): void => void listeners.add(listener),
  }
}

import type { Said } from '../model/notice.ts'
import { fixed } from '../model/prose.ts'
import type { Address } from '../model/push.ts'

const windowMs = 60_000
const maxUnasked = 20

/**
 * Tells the same thing once in a while, not each time: the first at once, and after `quietMs` how often it came again.
 * Bounded: the oldest of more than 500 remembered things is forgotten.
 */
export const createCoalescer = (quietMs: number, now: () => number) => {
  const told = new Map<string, { atMs: number; again: number }>()
  return (key: string): { readonly again: number } | undefined => {
    const last = told.get(key)
    if (last !== undefined && now() - last.atMs < quietMs) {
      last.again += 1
      return undefined
    }
    told.delete(key)
    told.set(key, { atMs: now(), again: 0 })
    const oldest = told.size > 500 ? told.keys().next().value : undefined
    if (oldest !== undefined) told.delete(oldest)
    return { again: last?.again ?? 0 }
  }
}

/**
 * Lets through what a chat did not ask for, at most 20 notices a minute. What is beyond is counted and told as one when
 * the minute ends: no flood that an agent can cause stands before the answers to its owner's commands.
 */
export const createBurst = (ports: { tell(address: Address, said: Said): void; after(delayMs: number, run: () => void): void }) => {
  const windows = new Map<string, { told: number; left: number }>()
  return (address: Address, said: Said): void => {
    const key = JSON.stringify([address.channel, address.chat_id])
    const window = windows.get(key) ?? { told: 0, left: 0 }
    if (window.told === 0) {
      windows.set(key, window)
      ports.after(windowMs, () => {
        windows.delete(key)
        if (window.left > 0) ports.tell(address, fixed(`There ${window.left === 1 ? 'was 1 more notice' : `were ${window.left} more notices`} within a minute.\n→ /hooks log`))
      })
    }
    if (window.told >= maxUnasked) {
      window.left += 1
      return
    }
    window.told += 1
    ports.tell(address, said)
  }
}

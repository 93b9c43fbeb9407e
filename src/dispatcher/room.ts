import { chatKey, type Address } from '../model/push.ts'

/** What may wait to leave: in one chat, and in all of them. */
export const roomOf = { chat: { pushes: 1000, bytes: 8_000_000 }, all: { pushes: 5000, bytes: 32_000_000 } } as const

export interface Room {
  /** Where one more does not fit, or undefined. */
  lacks(address: Address, bytes: number): keyof typeof roomOf | undefined
  take(id: string, address: Address, bytes: number): void
  has(id: string): boolean
  /** Once it has left or never will. Does nothing a second time. */
  give(id: string): void
}

interface Filled {
  pushes: number
  bytes: number
}

/** Counts what agents say from when it was taken until it has left, so that none of them can fill memory or disk. */
export const createRoom = (): Room => {
  const held = new Map<string, { readonly chat: string; readonly bytes: number }>()
  const chats = new Map<string, Filled>()
  const all: Filled = { pushes: 0, bytes: 0 }
  const isFull = ({ pushes, bytes }: Filled, room: (typeof roomOf)[keyof typeof roomOf], more: number): boolean => pushes >= room.pushes || bytes + more > room.bytes
  const add = (filled: Filled, pushes: number, bytes: number): void => {
    filled.pushes += pushes
    filled.bytes += bytes
  }
  return {
    lacks: (address, bytes) => {
      if (isFull(chats.get(chatKey(address)) ?? { pushes: 0, bytes: 0 }, roomOf.chat, bytes)) return 'chat'
      return isFull(all, roomOf.all, bytes) ? 'all' : undefined
    },
    take: (id, address, bytes) => {
      const chat = chatKey(address)
      held.set(id, { chat, bytes })
      const filled = chats.get(chat) ?? { pushes: 0, bytes: 0 }
      chats.set(chat, filled)
      add(filled, 1, bytes)
      add(all, 1, bytes)
    },
    has: (id) => held.has(id),
    give: (id) => {
      const taken = held.get(id)
      if (taken === undefined) return
      held.delete(id)
      add(all, -1, -taken.bytes)
      const filled = chats.get(taken.chat)
      if (filled === undefined) return
      add(filled, -1, -taken.bytes)
      if (filled.pushes === 0) chats.delete(taken.chat)
    },
  }
}

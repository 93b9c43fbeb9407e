import { chatKey, type Address } from '../../model/chat/push.ts'

/** The largest number and size of waiting pushes, for one chat and for all chats. */
export const roomOf = {
  chat: { pushes: 1000, bytes: 8_000_000, fileBytes: 50_000_000 },
  all: { pushes: 5000, bytes: 32_000_000, fileBytes: 250_000_000 },
} as const

export interface Room {
  /** The limit that one more push would exceed, or undefined. */
  lacks(address: Address, bytes: number, fileBytes?: number): keyof typeof roomOf | undefined
  take(id: string, address: Address, bytes: number, fileBytes?: number): void
  has(id: string): boolean
  /** Frees the space of a push that has ended. A second call does nothing. */
  give(id: string): void
}

interface Filled {
  pushes: number
  bytes: number
  fileBytes: number
}

const nothing: Filled = { pushes: 0, bytes: 0, fileBytes: 0 }

/** Counts pushes from their request until their end, so that no agent can fill memory or disk. */
export const createRoom = (): Room => {
  const held = new Map<string, { readonly chat: string; readonly more: Filled }>()
  const chats = new Map<string, Filled>()
  const all: Filled = { ...nothing }
  const isFull = (filled: Filled, room: (typeof roomOf)[keyof typeof roomOf], more: Filled): boolean =>
    filled.pushes + more.pushes > room.pushes ||
    filled.bytes + more.bytes > room.bytes ||
    filled.fileBytes + more.fileBytes > room.fileBytes
  const add = (filled: Filled, sign: 1 | -1, more: Filled): void => {
    filled.pushes += sign * more.pushes
    filled.bytes += sign * more.bytes
    filled.fileBytes += sign * more.fileBytes
  }
  return {
    lacks: (address, bytes, fileBytes = 0) => {
      const more = { pushes: 1, bytes, fileBytes }
      if (isFull(chats.get(chatKey(address)) ?? nothing, roomOf.chat, more)) return 'chat'
      return isFull(all, roomOf.all, more) ? 'all' : undefined
    },
    take: (id, address, bytes, fileBytes = 0) => {
      const chat = chatKey(address)
      const more = { pushes: 1, bytes, fileBytes }
      held.set(id, { chat, more })
      const filled = chats.get(chat) ?? { ...nothing }
      chats.set(chat, filled)
      add(filled, 1, more)
      add(all, 1, more)
    },
    has: (id) => held.has(id),
    give: (id) => {
      const taken = held.get(id)
      if (taken === undefined) return
      held.delete(id)
      add(all, -1, taken.more)
      const filled = chats.get(taken.chat)
      if (filled === undefined) return
      add(filled, -1, taken.more)
      if (filled.pushes === 0) chats.delete(taken.chat)
    },
  }
}

import type { Push } from '../../model/chat/push.ts'

/** The largest number and size of waiting pushes, for one chat and for all chats. */
export const roomOf = {
  chat: { pushes: 1000, bytes: 8_000_000, fileBytes: 50_000_000 },
  all: { pushes: 5000, bytes: 32_000_000, fileBytes: 250_000_000 },
} as const

interface UsedSpace {
  pushes: number
  bytes: number
  fileBytes: number
}

const nothing: UsedSpace = { pushes: 0, bytes: 0, fileBytes: 0 }

/** What a push takes up. `bytes`: the size of its text. */
export const spaceOf = (push: Pick<Push, 'files'> | undefined, bytes: number): UsedSpace => ({
  pushes: 1,
  bytes,
  fileBytes: push?.files.reduce((sum, { size }) => sum + size, 0) ?? 0,
})

/** Counts pushes from their request until their end, so that no agent can fill memory or disk. */
export const createRoom = () => {
  const entries = new Map<string, { readonly chat: string; readonly added: UsedSpace }>()
  const chats = new Map<string, UsedSpace>()
  const all: UsedSpace = { ...nothing }
  const isFull = (used: UsedSpace, room: UsedSpace, added: UsedSpace): boolean =>
    used.pushes + added.pushes > room.pushes ||
    used.bytes + added.bytes > room.bytes ||
    used.fileBytes + added.fileBytes > room.fileBytes
  const add = (used: UsedSpace, sign: 1 | -1, added: UsedSpace): void => {
    used.pushes += sign * added.pushes
    used.bytes += sign * added.bytes
    used.fileBytes += sign * added.fileBytes
  }
  return {
    /** The limit that one more push would exceed, or undefined. */
    lacks: (chat: string, added: UsedSpace): keyof typeof roomOf | undefined => {
      if (isFull(chats.get(chat) ?? nothing, roomOf.chat, added)) return 'chat'
      return isFull(all, roomOf.all, added) ? 'all' : undefined
    },
    take: (id: string, chat: string, added: UsedSpace): void => {
      entries.set(id, { chat, added })
      const used = chats.get(chat) ?? { ...nothing }
      chats.set(chat, used)
      add(used, 1, added)
      add(all, 1, added)
    },
    has: (id: string): boolean => entries.has(id),
    /** Frees the space of a push that has ended. A second call does nothing. */
    give: (id: string): void => {
      const entry = entries.get(id)
      if (entry === undefined) return
      entries.delete(id)
      add(all, -1, entry.added)
      const used = chats.get(entry.chat)
      if (used === undefined) return
      add(used, -1, entry.added)
      if (used.pushes === 0) chats.delete(entry.chat)
    },
  }
}

export type Room = ReturnType<typeof createRoom>

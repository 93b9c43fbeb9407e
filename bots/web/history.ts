import type { ChatMessage } from './stream.ts'

const maxMessages = 200
/** In UTF-16 units of what a tab is sent, over the whole history. */
const maxUnits = 2_000_000

export interface History {
  all(): readonly ChatMessage[]
  find(id: string): ChatMessage | undefined
  /** At the end, or in the place of the one with its id. */
  put(message: ChatMessage): void
}

/** The last messages of the chat, bounded in number and size; the newest always stays. */
export const createHistory = (dropped: (message: ChatMessage) => void): History => {
  const kept = new Map<string, { readonly message: ChatMessage; readonly units: number }>()
  let units = 0
  return {
    all: () => Array.from(kept.values(), ({ message }) => message),
    find: (id) => kept.get(id)?.message,
    put: (message) => {
      const more = JSON.stringify(message).length
      units += more - (kept.get(message.id)?.units ?? 0)
      kept.set(message.id, { message, units: more })
      for (const [id, old] of kept) {
        if (kept.size === 1 || (kept.size <= maxMessages && units <= maxUnits)) return
        kept.delete(id)
        units -= old.units
        dropped(old.message)
      }
    },
  }
}

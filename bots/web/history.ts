import type { ChatMessage } from './stream.ts'

/**
 * How much of the chat is kept, by who said it; `units` are UTF-16 units of what a tab is sent. A message makes room for
 * itself among older ones of the same speaker alone: what an agent says takes no notice and no word of the person away.
 */
export const pageBounds = {
  hookgate: { messages: 200, units: 1_000_000 },
  agent: { messages: 200, units: 1_000_000 },
  you: { messages: 100, units: 500_000 },
} as const satisfies Readonly<
  Record<ChatMessage['from'], { readonly messages: number; readonly units: number }>
>

export interface History {
  all(): readonly ChatMessage[]
  find(id: string): ChatMessage | undefined
  /** At the end, or in the place of the one with its id. */
  put(message: ChatMessage): void
}

/** The last messages of the chat, bounded in number and size for each speaker; the newest of each always stays. */
export const createHistory = (dropped: (message: ChatMessage) => void): History => {
  const kept = new Map<string, { readonly message: ChatMessage; readonly units: number }>()
  const taken = {
    hookgate: { messages: 0, units: 0 },
    agent: { messages: 0, units: 0 },
    you: { messages: 0, units: 0 },
  }
  const count = (
    { message: { from }, units }: { readonly message: ChatMessage; readonly units: number },
    more: 1 | -1,
  ): void => {
    taken[from].messages += more
    taken[from].units += more * units
  }
  const isFull = (from: ChatMessage['from']): boolean => {
    const { messages, units } = taken[from]
    return messages > 1 && (messages > pageBounds[from].messages || units > pageBounds[from].units)
  }
  return {
    all: () => Array.from(kept.values(), ({ message }) => message),
    find: (id) => kept.get(id)?.message,
    put: (message) => {
      const old = kept.get(message.id)
      if (old !== undefined) count(old, -1)
      const added = { message, units: JSON.stringify(message).length }
      kept.set(message.id, added)
      count(added, 1)
      for (const [id, each] of kept) {
        if (!isFull(message.from)) return
        if (each.message.from !== message.from) continue
        kept.delete(id)
        count(each, -1)
        dropped(each.message)
      }
    },
  }
}

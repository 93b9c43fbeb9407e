import type { ChatMessage } from './stream.ts'

/**
 * How many messages of each sender the chat keeps. `units` are UTF-16 units of the JSON that a tab gets. A
 * new message only removes older messages of the same sender. So an agent's messages never remove a notice or
 * a message of the person.
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
  /** Adds a message at the end, or replaces the message with the same id. */
  put(message: ChatMessage): void
}

/**
 * Holds the last messages of the chat. Their number and size are bounded for each sender. The newest message
 * of each sender always stays.
 */
export const createHistory = (dropped: (message: ChatMessage) => void): History => {
  const entries = new Map<string, { readonly message: ChatMessage; readonly units: number }>()
  const usage = {
    hookgate: { messages: 0, units: 0 },
    agent: { messages: 0, units: 0 },
    you: { messages: 0, units: 0 },
  }
  const count = (
    { message: { from }, units }: { readonly message: ChatMessage; readonly units: number },
    more: 1 | -1,
  ): void => {
    usage[from].messages += more
    usage[from].units += more * units
  }
  const isFull = (from: ChatMessage['from']): boolean => {
    const { messages, units } = usage[from]
    return messages > 1 && (messages > pageBounds[from].messages || units > pageBounds[from].units)
  }
  return {
    all: () => Array.from(entries.values(), ({ message }) => message),
    find: (id) => entries.get(id)?.message,
    put: (message) => {
      const old = entries.get(message.id)
      if (old !== undefined) count(old, -1)
      const added = { message, units: JSON.stringify(message).length }
      entries.set(message.id, added)
      count(added, 1)
      for (const [id, each] of entries) {
        if (!isFull(message.from)) return
        if (each.message.from !== message.from) continue
        entries.delete(id)
        count(each, -1)
        dropped(each.message)
      }
    },
  }
}

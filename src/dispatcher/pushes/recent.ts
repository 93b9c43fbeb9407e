/** How long a sent text is shown to hooks together with later ones, in milliseconds. */
const shownForMs = 60 * 60 * 1000
/**
 * The largest number of characters shown for each chat. A short message counts as `leastUnits`, so the number
 * of messages is bounded, too.
 */
const maxUnits = 8000
const leastUnits = 50
/**
 * The number of characters stored of one message. Its end is stored, since a secret may continue in the next
 * one.
 */
const maxUnitsOfOne = 4000
/** The number of chats that are remembered. The one that was silent longest is removed first. */
const maxChats = 1000

interface RecentText {
  readonly id: string
  readonly atMs: number
  text: string
  isWaiting: boolean
}

/** The texts of a chat, oldest first: those that left recently, and all that wait. */
interface ChatTexts {
  readonly texts: RecentText[]
  /** The size of those that left. */
  sentUnits: number
}

const sizeOf = ({ text }: RecentText): number => Math.max(text.length, leastUnits)

/**
 * Stores what each chat received recently and what waits to leave to it. A secret in pieces would pass if
 * hooks saw each piece alone. The bound is on characters and time, not on messages, since an agent can send
 * many.
 */
export const createRecent = (monotonicMs: () => number = () => performance.now()) => {
  /** Those that were silent longest are first. */
  const chats = new Map<string, ChatTexts>()
  const of = (chat: string): ChatTexts => {
    const known = chats.get(chat) ?? { texts: [], sentUnits: 0 }
    chats.delete(chat)
    chats.set(chat, known)
    if (chats.size > maxChats) {
      const silent = chats.entries().find(([, { texts }]) => texts.every(({ isWaiting }) => !isWaiting))
      if (silent !== undefined) chats.delete(silent[0])
    }
    return known
  }
  /** Removes the oldest sent texts until the rest is within the bounds. Waiting texts stay. */
  const dropOldest = (chat: ChatTexts): void => {
    const sinceMs = monotonicMs() - shownForMs
    for (;;) {
      const at = chat.texts.findIndex(({ isWaiting }) => !isWaiting)
      const oldest = chat.texts[at]
      if (oldest === undefined || (chat.sentUnits <= maxUnits && oldest.atMs >= sinceMs)) return
      chat.sentUnits -= sizeOf(oldest)
      chat.texts.splice(at, 1)
    }
  }
  return {
    waits: (chat: string, id: string, text: string): void =>
      void of(chat).texts.push({
        id,
        atMs: monotonicMs(),
        text: text.slice(-maxUnitsOfOne),
        isWaiting: true,
      }),
    /** The texts before this one, oldest first. */
    before: (chat: string, id: string): readonly string[] => {
      const texts = chats.get(chat)?.texts ?? []
      const own = texts.findLastIndex((one) => one.id === id)
      const sinceMs = monotonicMs() - shownForMs
      const shown: string[] = []
      let left = maxUnits
      for (let at = own === -1 ? texts.length : own; at > 0; at--) {
        const one = texts[at - 1]
        if (one === undefined || (left -= sizeOf(one)) < 0) break
        if (one.isWaiting || one.atMs >= sinceMs) shown.push(one.text)
      }
      return shown.reverse()
    },
    /** The text of a push, if it was sent recently. */
    textOf: (chat: string, id: string): string | undefined =>
      chats.get(chat)?.texts.findLast((one) => one.id === id)?.text,
    /** Stores the `text` of a waiting push as it left, or may have left. Undefined: it did not leave. */
    settled: (chat: string, id: string, text: string | undefined): void => {
      const stored = chats.get(chat)
      const at = stored?.texts.findIndex((one) => one.isWaiting && one.id === id) ?? -1
      const one = stored?.texts[at]
      if (stored === undefined || one === undefined) return
      if (text === undefined) stored.texts.splice(at, 1)
      else {
        one.text = text.slice(-maxUnitsOfOne)
        one.isWaiting = false
        stored.sentUnits += sizeOf(one)
        dropOldest(stored)
      }
    },
  }
}

export type Recent = ReturnType<typeof createRecent>

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

/** A text of a chat that waits to leave, or that left. */
export interface RecentText {
  readonly id: string
  readonly chat: ChatTexts
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
    waits: (chatKey: string, id: string, text: string): RecentText => {
      const chat = chats.get(chatKey) ?? { texts: [], sentUnits: 0 }
      const one = { id, chat, atMs: monotonicMs(), text: text.slice(-maxUnitsOfOne), isWaiting: true }
      chat.texts.push(one)
      chats.delete(chatKey)
      chats.set(chatKey, chat)
      if (chats.size > maxChats) {
        const silent = chats.entries().find(([, { texts }]) => texts.every(({ isWaiting }) => !isWaiting))
        if (silent !== undefined) chats.delete(silent[0])
      }
      return one
    },
    /** The texts before this one, oldest first. */
    before: (own: RecentText): readonly string[] => {
      const { texts } = own.chat
      const sinceMs = monotonicMs() - shownForMs
      const shown: string[] = []
      let left = maxUnits
      for (let at = texts.lastIndexOf(own); at > 0; at--) {
        const one = texts[at - 1]
        if (one === undefined || (left -= sizeOf(one)) < 0) break
        if (one.isWaiting || one.atMs >= sinceMs) shown.push(one.text)
      }
      return shown.reverse()
    },
    /** The text of a push, if it was sent recently. */
    textOf: (chatKey: string, id: string): string | undefined =>
      chats.get(chatKey)?.texts.findLast((one) => one.id === id)?.text,
    /** Stores the `text` of a waiting push as it left, or may have left. Undefined: it did not leave. */
    settled: (one: RecentText, text: string | undefined): void => {
      const { chat } = one
      if (!one.isWaiting) return
      one.isWaiting = false
      if (text === undefined) chat.texts.splice(chat.texts.lastIndexOf(one), 1)
      else {
        one.text = text.slice(-maxUnitsOfOne)
        chat.sentUnits += sizeOf(one)
        dropOldest(chat)
      }
    },
  }
}

export type Recent = ReturnType<typeof createRecent>

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

const sizeOf = ({ text }: RecentText): number => Math.max(text.length, leastUnits)

/**
 * Stores what each chat received recently and what waits to leave to it. A secret in pieces would pass if
 * hooks saw each piece alone. The bound is on characters and time, not on messages, since an agent can send
 * many.
 */
export const createRecent = (monotonicMs: () => number = () => performance.now()) => {
  /** The texts of each chat, oldest first: those that left recently, and all that wait. */
  const chats = new Map<string, RecentText[]>()
  const of = (chat: string): RecentText[] => {
    const known = chats.get(chat) ?? []
    chats.delete(chat)
    chats.set(chat, known)
    if (chats.size > maxChats) {
      const silent = chats.entries().find(([, stored]) => stored.every(({ isWaiting }) => !isWaiting))
      if (silent !== undefined) chats.delete(silent[0])
    }
    return known
  }
  const isOld = ({ atMs }: RecentText, nowMs: number): boolean => nowMs - atMs > shownForMs
  /** Removes the oldest sent texts until the rest is within the bounds. Waiting texts stay. */
  const dropOldest = (stored: RecentText[]): void => {
    let units = 0
    for (const one of stored) units += one.isWaiting ? 0 : sizeOf(one)
    const nowMs = monotonicMs()
    for (;;) {
      const at = stored.findIndex(({ isWaiting }) => !isWaiting)
      const oldest = stored[at]
      if (oldest === undefined || (units <= maxUnits && !isOld(oldest, nowMs))) return
      units -= sizeOf(oldest)
      stored.splice(at, 1)
    }
  }
  return {
    waits: (chat: string, id: string, text: string): void =>
      void of(chat).push({ id, atMs: monotonicMs(), text: text.slice(-maxUnitsOfOne), isWaiting: true }),
    /** The texts before this one, oldest first. */
    before: (chat: string, id: string): readonly string[] => {
      const stored = of(chat)
      const at = stored.findLastIndex((one) => one.id === id)
      const texts: string[] = []
      const nowMs = monotonicMs()
      let left = maxUnits
      for (let index = (at === -1 ? stored.length : at) - 1; index >= 0; index--) {
        const one = stored[index]
        if (one === undefined || (left -= sizeOf(one)) < 0) break
        if (one.isWaiting || !isOld(one, nowMs)) texts.push(one.text)
      }
      return texts.reverse()
    },
    /** The text of a push, if it was sent recently. */
    textOf: (chat: string, id: string): string | undefined =>
      chats.get(chat)?.findLast((one) => one.id === id)?.text,
    /** Stores `text` as it left, or may have left. Undefined: it did not leave. */
    settled: (chat: string, id: string, text: string | undefined): void => {
      const stored = of(chat)
      const at = stored.findIndex((one) => one.id === id)
      const one = stored[at]
      if (one === undefined) return
      if (text === undefined) stored.splice(at, 1)
      else {
        one.text = text.slice(-maxUnitsOfOne)
        one.isWaiting = false
        dropOldest(stored)
      }
    },
  }
}

export type Recent = ReturnType<typeof createRecent>

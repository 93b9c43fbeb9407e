/** How long what was said is told to hooks together with what is said next, in milliseconds. */
const toldForMs = 60 * 60 * 1000
/**
 * How many characters of it, for each chat. A short message counts as `leastUnits`, so their number is
 * bounded.
 */
const maxUnits = 8000
const leastUnits = 50
/** How much of one message: its end, since what it began may go on in the next. */
const maxUnitsOfOne = 4000
/** How many chats are remembered; the one that was silent longest goes first. */
const maxChats = 1000

interface SaidText {
  readonly id: string
  readonly atMs: number
  text: string
  isWaiting: boolean
}

const sizeOf = ({ text }: SaidText): number => Math.max(text.length, leastUnits)

/**
 * What each chat was told of late, and what waits to leave to it: a secret in pieces would pass if each
 * piece were judged while nothing is known of the others. It is bounded by characters and time, not by
 * messages, of which an agent can send many.
 */
export const createRecent = (monotonicMs: () => number = () => performance.now()) => {
  /** Oldest first: what left of late, and all that waits. */
  const chats = new Map<string, SaidText[]>()
  const of = (chat: string): SaidText[] => {
    const known = chats.get(chat) ?? []
    chats.delete(chat)
    chats.set(chat, known)
    if (chats.size > maxChats) {
      const silent = chats.entries().find(([, told]) => told.every(({ isWaiting }) => !isWaiting))
      if (silent !== undefined) chats.delete(silent[0])
    }
    return known
  }
  const isOld = ({ atMs }: SaidText): boolean => monotonicMs() - atMs > toldForMs
  /** Of what left, the oldest goes until the rest is within the bounds. What waits stays. */
  const dropOldest = (told: SaidText[]): void => {
    let units = 0
    for (const one of told) units += one.isWaiting ? 0 : sizeOf(one)
    for (;;) {
      const at = told.findIndex(({ isWaiting }) => !isWaiting)
      const oldest = told[at]
      if (oldest === undefined || (units <= maxUnits && !isOld(oldest))) return
      units -= sizeOf(oldest)
      told.splice(at, 1)
    }
  }
  return {
    waits: (chat: string, id: string, text: string): void =>
      void of(chat).push({ id, atMs: monotonicMs(), text: text.slice(-maxUnitsOfOne), isWaiting: true }),
    /** The texts before this one, oldest first. */
    before: (chat: string, id: string): readonly string[] => {
      const told = of(chat)
      const at = told.findLastIndex((one) => one.id === id)
      const texts: string[] = []
      let left = maxUnits
      for (let place = (at === -1 ? told.length : at) - 1; place >= 0; place--) {
        const one = told[place]
        if (one === undefined || (left -= sizeOf(one)) < 0) break
        if (one.isWaiting || !isOld(one)) texts.push(one.text)
      }
      return texts.reverse()
    },
    /** What one said, if it is not too long ago. */
    textOf: (chat: string, id: string): string | undefined =>
      chats.get(chat)?.findLast((one) => one.id === id)?.text,
    /** `text` as it left, or may have; undefined when it did not. */
    settled: (chat: string, id: string, text: string | undefined): void => {
      const told = of(chat)
      const at = told.findIndex((one) => one.id === id)
      const one = told[at]
      if (one === undefined) return
      if (text === undefined) told.splice(at, 1)
      else {
        one.text = text.slice(-maxUnitsOfOne)
        one.isWaiting = false
        dropOldest(told)
      }
    },
  }
}

export type Recent = ReturnType<typeof createRecent>

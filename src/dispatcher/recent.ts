/** How many texts a hook is shown beside the one that is judged, and how much of each: its end, since what it began may go on in the next. */
const maxTexts = 5
const maxUnits = 2000

interface Told {
  readonly id: string
  text: string
  isWaiting: boolean
}

/**
 * What each chat was told last, and what waits to leave to it: a secret in two halves would pass if the second were
 * judged while nothing is known of the first.
 */
export const createRecent = () => {
  /** Oldest first: at most `maxTexts` that left, and all that waits. */
  const chats = new Map<string, Told[]>()
  const of = (chat: string): Told[] => {
    const known = chats.get(chat)
    if (known !== undefined) return known
    const fresh: Told[] = []
    chats.set(chat, fresh)
    return fresh
  }
  const dropOldest = (told: Told[]): void => {
    let past = 0
    for (const { isWaiting } of told) past += isWaiting ? 0 : 1
    if (past > maxTexts) told.splice(told.findIndex(({ isWaiting }) => !isWaiting), 1)
  }
  return {
    waits: (chat: string, id: string, text: string): void => void of(chat).push({ id, text: text.slice(-maxUnits), isWaiting: true }),
    /** The texts before this one, oldest first. */
    before: (chat: string, id: string): readonly string[] => {
      const told = of(chat)
      const at = told.findLastIndex((one) => one.id === id)
      const texts: string[] = []
      for (let place = (at === -1 ? told.length : at) - 1; place >= 0 && texts.length < maxTexts; place--) {
        const one = told[place]
        if (one !== undefined) texts.unshift(one.text)
      }
      return texts
    },
    /** What one said, if it is not too long ago. */
    textOf: (chat: string, id: string): string | undefined => chats.get(chat)?.findLast((one) => one.id === id)?.text,
    /** `text` as it left, or may have; undefined when it did not. */
    settled: (chat: string, id: string, text: string | undefined): void => {
      const told = of(chat)
      const at = told.findIndex((one) => one.id === id)
      const one = told[at]
      if (one === undefined) return
      if (text === undefined) told.splice(at, 1)
      else {
        one.text = text.slice(-maxUnits)
        one.isWaiting = false
        dropOldest(told)
      }
    },
  }
}

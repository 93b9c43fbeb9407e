/** How many texts a hook is shown beside the one that is judged, and how much of each: its end, since what it began may go on in the next. */
const maxTexts = 5
const maxUnits = 2000

interface Told {
  readonly id: string
  readonly text: string
  readonly isWaiting: boolean
}

/**
 * What each chat was told last, and what waits to leave to it: a secret in two halves would pass if the second were
 * judged while nothing is known of the first.
 */
export const createRecent = () => {
  const chats = new Map<string, readonly Told[]>()
  const of = (chat: string): readonly Told[] => chats.get(chat) ?? []
  return {
    waits: (chat: string, id: string, text: string): void => void chats.set(chat, [...of(chat), { id, text: text.slice(-maxUnits), isWaiting: true }]),
    /** The texts before this one, oldest first; the one in whose place it comes, if there is one, is the last. */
    before: (chat: string, id: string, replaced?: string): readonly string[] => {
      const at = of(chat).findIndex((told) => told.id === id)
      const before = of(chat).slice(0, at === -1 ? undefined : at)
      const inPlace = before.filter((told) => told.id === replaced)
      return [...before.filter((told) => told.id !== replaced).slice(inPlace.length - maxTexts), ...inPlace.slice(-1)].map(({ text }) => text)
    },
    /** `text` as it left, or may have; undefined when it did not. */
    settled: (chat: string, id: string, text: string | undefined): void => {
      const now = of(chat).flatMap((told) => (told.id !== id ? [told] : text === undefined ? [] : [{ id, text: text.slice(-maxUnits), isWaiting: false }]))
      const past = new Set(now.filter(({ isWaiting }) => !isWaiting).slice(0, -maxTexts))
      chats.set(chat, now.filter((told) => !past.has(told)))
    },
  }
}

/** What came in since the start, by its ids, until what was there before has been told from it. */
export const createNewcomers = () => {
  const ids = new Set<string>()
  let isOver = false
  return {
    add: (id: string): void => {
      if (!isOver) ids.add(id)
    },
    /** What of all that is kept was there before. It is asked once: whatever comes in later is not remembered. */
    without: <Kept>(kept: readonly Kept[], idOf: (one: Kept) => string): readonly Kept[] => {
      const before = kept.filter((one) => !ids.has(idOf(one)))
      isOver = true
      ids.clear()
      return before
    },
  }
}

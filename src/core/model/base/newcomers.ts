/** Remembers the ids of items that arrived since the start, until the older items were read from disk. */
export const createNewcomers = () => {
  const ids = new Set<string>()
  let isOver = false
  return {
    add: (id: string): void => {
      if (!isOver) ids.add(id)
    },
    /**
     * The stored items that are older than the start. It is called once; later arrivals are not remembered.
     */
    without: <Kept>(kept: readonly Kept[], idOf: (one: Kept) => string): readonly Kept[] => {
      const before = kept.filter((one) => !ids.has(idOf(one)))
      isOver = true
      ids.clear()
      return before
    },
  }
}

/**
 * Tells the same thing once in a while, not each time: the first at once, and after `quietMs` how often it came again.
 * Bounded: the oldest of more than 500 remembered things is forgotten.
 */
export const createCoalescer = (quietMs: number, now: () => number) => {
  const told = new Map<string, { atMs: number; again: number }>()
  return (key: string): { readonly again: number } | undefined => {
    const last = told.get(key)
    if (last !== undefined && now() - last.atMs < quietMs) {
      last.again += 1
      return undefined
    }
    told.delete(key)
    told.set(key, { atMs: now(), again: 0 })
    const oldest = told.size > 500 ? told.keys().next().value : undefined
    if (oldest !== undefined) told.delete(oldest)
    return { again: last?.again ?? 0 }
  }
}

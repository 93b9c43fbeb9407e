/**
 * A map with a largest number of entries. When it is full, a new entry replaces the one that was set longest
 * ago. Setting a key again makes its entry the newest.
 */
export interface BoundedMap<K, V> {
  get(key: K): V | undefined
  has(key: K): boolean
  set(key: K, value: V): void
  /** Returns the value and removes the entry. */
  take(key: K): V | undefined
  delete(key: K): boolean
  entries(): MapIterator<[K, V]>
  readonly size: number
}

export const createBoundedMap = <K, V>(max: number): BoundedMap<K, V> => {
  const entries = new Map<K, V>()
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set: (key, value) => {
      entries.delete(key)
      entries.set(key, value)
      for (const oldest of entries.keys()) {
        if (entries.size <= max) break
        entries.delete(oldest)
      }
    },
    take: (key) => {
      const value = entries.get(key)
      entries.delete(key)
      return value
    },
    delete: (key) => entries.delete(key),
    entries: () => entries.entries(),
    get size() {
      return entries.size
    },
  }
}

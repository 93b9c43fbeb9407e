import type { Row } from '../model/catalogue.ts'

/** Which bytes each owner was last shown for an entry: what they type next is taken to mean those. */
export const createShown = () => {
  const shown = new Map<string, string>()
  const keyOf = (owner: string, row: Row): string => JSON.stringify([owner, row.event, row.command, row.entry?.origin, row.entry?.matcher])
  return {
    note: (owner: string, row: Row): void => {
      if (row.proposed !== undefined) shown.set(keyOf(owner, row), row.proposed)
      const oldest = shown.size > 10_000 ? shown.keys().next().value : undefined
      if (oldest !== undefined) shown.delete(oldest)
    },
    /** True when this owner has seen this entry with other bytes than it has now. */
    hasOther: (owner: string, row: Row): boolean => {
      const last = shown.get(keyOf(owner, row))
      return last !== undefined && last !== row.proposed
    },
  }
}
export type Shown = ReturnType<typeof createShown>

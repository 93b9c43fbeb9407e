import type { Row } from '../model/catalogue.ts'

/** Which bytes each owner was last shown for an entry: what they type next is taken to mean those. */
export const createShown = () => {
  /** Several proposals can stand at one place, with other options. */
  const shown = new Map<string, ReadonlySet<string>>()
  const keyOf = (owner: string, row: Row): string => JSON.stringify([owner, row.event, row.command, row.entry?.origin, row.entry?.matcher])
  const note = (owner: string, row: Row, rows: readonly Row[]): void => {
    if (row.proposed === undefined) return
    const key = keyOf(owner, row)
    const now = rows.filter((other) => keyOf(owner, other) === key).map(({ proposed }) => proposed)
    const kept = [...(shown.get(key) ?? [])].filter((fingerprint) => now.includes(fingerprint))
    shown.set(key, new Set([...kept, row.proposed]))
    const oldest = shown.size > 10_000 ? shown.keys().next().value : undefined
    if (oldest !== undefined) shown.delete(oldest)
  }
  return {
    /** What this owner sees now, out of the rows as they stand. What was seen and is no more is forgotten. */
    note: (owner: string, seen: readonly Row[], rows: readonly Row[]): void => {
      for (const row of seen) note(owner, row, rows)
    },
    /** True when this owner has seen this entry as it is now. */
    has: (owner: string, row: Row): boolean => row.proposed !== undefined && shown.get(keyOf(owner, row))?.has(row.proposed) === true,
    /** True when this owner has seen this entry with other bytes than it has now. */
    hasOther: (owner: string, row: Row): boolean => {
      const last = shown.get(keyOf(owner, row))
      return last !== undefined && row.proposed !== undefined && !last.has(row.proposed)
    },
  }
}
export type Shown = ReturnType<typeof createShown>

import { createHash } from 'node:crypto'
import type { FileFacts, Row } from '../model/catalogue.ts'

/** A larger file is not kept for what may be asked later, in bytes. */
const maxFileBytes = 32 * 1024
const maxKept = 256

/** Files of what was shown, so that it can be told what changed since: by hash, the oldest forgotten first. */
const createKept = (read: (name: string) => Buffer | undefined) => {
  const kept = new Map<string, Buffer>()
  return {
    keep: ({ path, sha256, bytes }: FileFacts): void => {
      if (bytes > maxFileBytes || kept.has(sha256)) return
      const content = read(path)
      if (content === undefined || createHash('sha256').update(content).digest('hex') !== sha256) return
      kept.set(sha256, Buffer.from(content))
      const oldest = kept.size > maxKept ? kept.keys().next().value : undefined
      if (oldest !== undefined) kept.delete(oldest)
    },
    bytes: ({ sha256 }: FileFacts): Buffer | undefined => kept.get(sha256),
  }
}

/** Which bytes each owner was last shown for an entry: what they type next is taken to mean those. */
export const createShown = (read: (name: string) => Buffer | undefined) => {
  const { keep, bytes } = createKept(read)
  /** By fingerprint, the latest last. Several proposals can stand at one place, with other options. */
  const shown = new Map<string, ReadonlyMap<string, Row>>()
  const keyOf = (owner: string, row: Row): string => JSON.stringify([owner, row.event, row.command, row.entry?.origin, row.entry?.matcher, row.entry?.condition])
  const note = (owner: string, row: Row, rows: readonly Row[]): void => {
    if (row.proposed === undefined) return
    const key = keyOf(owner, row)
    const now = rows.filter((other) => keyOf(owner, other) === key).map(({ proposed }) => proposed)
    const kept = [...(shown.get(key) ?? [])].filter(([fingerprint]) => now.includes(fingerprint) && fingerprint !== row.proposed)
    shown.set(key, new Map([...kept, [row.proposed, row]]))
    for (const file of row.files) keep(file)
    const oldest = shown.size > 10_000 ? shown.keys().next().value : undefined
    if (oldest !== undefined) shown.delete(oldest)
  }
  return {
    /** What this owner sees now, out of the rows as they stand. What was seen and is no more is forgotten. */
    note: (owner: string, seen: readonly Row[], rows: readonly Row[]): void => {
      for (const row of seen) note(owner, row, rows)
    },
    /** The last that this owner saw of this entry, whatever it is now. */
    lastSeen: (owner: string, row: Row): Row | undefined => [...(shown.get(keyOf(owner, row))?.values() ?? [])].at(-1),
    /** The bytes of a file that somebody was shown, if they are still at hand. */
    bytes,
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

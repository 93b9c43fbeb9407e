import type { Ending } from '../model/permission.ts'

/** More are forgotten, the oldest first, and asked about again. */
const maxKept = 1000
const keptMs = 24 * 60 * 60_000

/** What was said about calls whose caller had ended, each until that very call comes again, and only once. In memory. */
export const createKept = ({ now, isOwner }: { now(): number; isOwner(id: string): boolean }) => {
  const kept = new Map<string, { readonly ending: Ending; readonly untilMs: number }>()
  return {
    keep: (mark: string, ending: Ending): void => {
      kept.delete(mark)
      kept.set(mark, { ending, untilMs: now() + keptMs })
      const oldest = kept.size > maxKept ? kept.keys().next().value : undefined
      if (oldest !== undefined) kept.delete(oldest)
    },
    /** Nobody's word whose word does not count any more. */
    take: (mark: string): Ending | undefined => {
      const found = kept.get(mark)
      kept.delete(mark)
      return found !== undefined &&
        found.untilMs > now() &&
        (!('by' in found.ending) || isOwner(found.ending.by))
        ? found.ending
        : undefined
    },
  }
}

import type { Entry } from '../../model/entry.ts'
import type { Problem } from '../../model/problem.ts'

/** One place in a source: a hook that could be read, or one that could not, with what it said of itself. */
export type Proposed =
  /** `remarks`: what of it is not taken as its own system would, as sentences for the person. */
  | { readonly kind: 'entry'; readonly entry: Entry; readonly remarks?: readonly string[] }
  | { readonly kind: 'invalid'; readonly event: string; readonly command: string; readonly problem: Problem }

/** What a source proposes. A `problem` means that the file as a whole cannot be read, and nothing in it counts. */
export interface Source {
  readonly proposed: readonly Proposed[]
  readonly problem?: Problem
}

/** A file or folder that cannot be read, for one of the reasons that a port gives. */
export const unreadable = (
  file: string,
  why: string,
  what: 'file' | 'folder' = 'file',
): Source & { readonly problem: Problem } => ({
  proposed: [],
  problem: {
    code: 'source.unreadable',
    file,
    message: `Expected a readable ${what}, but it is ${why}.`,
    fix: 'Mend it; what was approved stays in force.',
  },
})

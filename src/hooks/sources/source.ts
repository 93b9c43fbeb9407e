import type { ProposedHook } from '../../model/hooks/entry.ts'
import type { Problem } from '../../model/gate/problem.ts'

/** What a source proposes. A `problem` means that the file as a whole cannot be read, and nothing in it counts. */
export interface Source {
  readonly proposed: readonly ProposedHook[]
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

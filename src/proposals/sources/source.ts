import type { ProposedHook } from '../../shared/gate/catalogue.ts'
import type { Problem } from '../../core/model/gate/problem.ts'

/**
 * The hooks that a source proposes. A `problem` means that the whole file cannot be read, so nothing in it
 * counts.
 */
export interface Source {
  readonly proposed: readonly ProposedHook[]
  readonly problem?: Problem
}

export const correctFix = 'Correct it in its file.'

/** The result for a file that is wrong as a whole. */
export const wrongFile = (
  file: string,
  code: string,
  message: string,
): Source & { readonly problem: Problem } => ({
  proposed: [],
  problem: { code: `source.${code}`, file, message, fix: correctFix },
})

/** The result for a file or folder that cannot be read. `why` is the reason that a port gave. */
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
    fix: 'Make it readable. Approved hooks stay in force.',
  },
})

/** The most hooks of one file of another system. */
export const maxForeignHooks = 1000

export const tooMany = (file: string, count: number): Source =>
  wrongFile(file, 'hooks', `Expected at most ${maxForeignHooks} hooks, got ${count}.`)

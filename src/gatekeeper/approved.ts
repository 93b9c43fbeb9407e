import path from 'node:path'
import { SHELLS, type Shell } from '../model/hooks/dialect.ts'
import type { Entry } from '../model/hooks/entry.ts'
import type { ChoiceFacts } from '../model/hooks/fault.ts'
import type { SealedFile, Surroundings } from './seal/canonical.ts'
import { hasParts, type ProgramWord } from './program/program.ts'

/**
 * An owner's consent to one fingerprint, as the ledger keeps it: no path in it depends on where the gate's folder or the
 * workspace lies.
 */
export interface ApprovedHook extends Surroundings, ChoiceFacts {
  readonly fingerprint: string
  readonly entry: Entry
  readonly by: string
  /** ISO 8601. */
  readonly at: string
  /** What to execute; none for what is no program. */
  readonly words: readonly ProgramWord[]
  /** The real path of a program from the fixed PATH, pinned. */
  readonly interpreter?: string
  readonly unsealed: readonly string[]
  /** The folder that the program came from, relative to the workspace or absolute outside it. */
  readonly hookDir: string
  readonly files: readonly SealedFile[]
}

/** What the ledger's line says itself, beside who wrote it and when. */
export type ApprovalRecord = Omit<ApprovedHook, 'by' | 'at'>

/** The shell that reads the approved text; undefined when it runs without one. */
export const underOf = ({ entry, words }: Pick<ApprovedHook, 'entry' | 'words'>): Shell | undefined => {
  const [found, flag, text] = words
  // A word made of parts names sealed copies where the entry's text names files.
  const hasItsText = text === entry.command || words.some(hasParts)
  if (entry.shell === undefined || flag !== '-c' || !hasItsText) return undefined
  const program = typeof found === 'string' ? path.basename(found) : ''
  return SHELLS.find((shell) => shell === program) ?? entry.shell
}

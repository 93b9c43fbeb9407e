import path from 'node:path'
import { SHELLS, type Shell } from '../hooks/dialect.ts'
import type { Entry } from '../hooks/entry.ts'
import type { ChoiceFacts } from '../hooks/fault.ts'
import type { SealedFile, Surroundings } from './canonical.ts'

/** A part of a text. A sealed part stands for the path of the sealed copy of that file or folder. */
export type TextPart = string | { readonly sealed: string }

/** One word of a hook's argv: plain text, a sealed copy, or a text that contains sealed copies. */
export type ProgramWord = TextPart | { readonly text: readonly TextPart[] }
export const hasParts = (word: ProgramWord): word is Extract<ProgramWord, { readonly text: unknown }> =>
  typeof word === 'object' && 'text' in word

/**
 * An owner's consent to one fingerprint, as the ledger stores it. No path in it depends on the location of
 * the gate's folder or of the workspace.
 */
export interface ApprovedHook extends Surroundings, ChoiceFacts {
  readonly fingerprint: string
  readonly entry: Entry
  readonly by: string
  /** ISO 8601. */
  readonly at: string
  /** The words to execute. Empty for a handler that is no program. */
  readonly words: readonly ProgramWord[]
  /** The pinned real path of a program from the fixed PATH. */
  readonly interpreter?: string
  readonly unsealed: readonly string[]
  /** The folder that the program came from, relative to the workspace or absolute outside it. */
  readonly hookDir: string
  readonly files: readonly SealedFile[]
  /**
   * Present when its seal has links to the project: the names that no link may have. They follow from the
   * bound bytes. Older approvals have no links.
   */
  readonly unlinked?: readonly string[]
}

/** The data of an approval's ledger line, without its author and time. */
export type ApprovalRecord = Omit<ApprovedHook, 'by' | 'at'>

/** The record that an approval binds, with the bytes that were hashed for it. */
export interface Prepared {
  readonly record: ApprovalRecord
  readonly contents: readonly (SealedFile & { readonly content: Buffer })[]
}

/** The shell that reads the approved text. Undefined when the words run without a shell. */
export const underOf = ({ entry, words }: Pick<ApprovedHook, 'entry' | 'words'>): Shell | undefined => {
  const [found, flag, text] = words
  // A word made of parts names sealed copies where the entry's text names files.
  const hasItsText = text === entry.command || words.some(hasParts)
  if (entry.shell === undefined || flag !== '-c' || !hasItsText) return undefined
  const program = typeof found === 'string' ? path.basename(found) : ''
  return SHELLS.find((shell) => shell === program) ?? entry.shell
}

/**
 * Replaces the paths of files in a shell's text by other paths. `left` are the files that the text uses at
 * their own path, too.
 */
export type RenameFiles = (
  text: string,
  entry: Entry,
  paths: ReadonlyMap<string, string>,
  folders: { readonly workspace: string; readonly cwd: string },
) => { readonly text: string; readonly files: ReadonlySet<string>; readonly left: readonly string[] }

import { codeOf, ProblemError } from '../../model/gate/problem.ts'
import { chainOf, formatLine, noLine, type Act, type LedgerEntry } from './lines.ts'
import type { Survey } from './read.ts'
import type { Reserve } from './reserve.ts'

/** Written lines, and the chain hash of each. */
export interface Written {
  readonly entries: readonly LedgerEntry[]
  readonly heads: readonly string[]
}

/** A good ledger that can be appended to. */
export interface Ledger {
  readonly key: Buffer
  /**
   * Appends all acts in one write. They are on disk when this resolves. “moved”: another gate has appended
   * lines that `news` gives, and nothing was written. When it cannot write, it rejects with a ProblemError
   * and nothing has changed.
   */
  append(acts: readonly Act[]): Promise<Written | 'moved'>
  /** The verified lines that other gates have appended since. A file has no others. */
  news(): Promise<Written>
  /**
   * Checks before other steps that `append` will find the ledger unchanged. When it is not, calls `onDamage`
   * and rejects with a ProblemError.
   */
  verify(): Promise<void>
}

/** The result of opening the ledger on disk. */
export type OpenedLedger =
  | { readonly kind: 'empty' }
  | ({ readonly kind: 'good'; readonly ledger: Ledger } & Written)
  /** `rest` holds the bytes after the good part. */
  | ({
      readonly kind: 'damaged'
      readonly why: string
      readonly rest?: { readonly bytes: Buffer; readonly key: Buffer }
    } & Written)

/** The good part of an older ledger from which a new one resumes. */
export interface Prefix {
  readonly bytes: Buffer
  readonly heads: readonly string[]
}

/** Where the lines of the ledger are kept. */
export interface LedgerPlace {
  /**
   * Reads and verifies the ledger, and removes an incomplete last line that was never acknowledged. Repairs
   * nothing else.
   */
  open(ports: LedgerPorts): Promise<OpenedLedger>
  /**
   * Replaces the ledger by a new one in one step: `prefix`, if given, and then `acts`. `trusted`: the key
   * that signed the prefix.
   */
  begin(
    acts: readonly Act[],
    ports: LedgerPorts,
    trusted?: Buffer,
    prefix?: Prefix,
  ): Promise<Written & { readonly ledger: Ledger }>
  /** Reads and verifies the ledger without changing it. Never rejects. */
  survey(): Promise<Survey>
  /** Keeps the damaged ledger beside the new one, and resolves with its name. Undefined: there is none. */
  keepDamaged(nowMs: number): Promise<string | undefined>
}

export interface LedgerPorts {
  readonly now: () => number
  /**
   * Called when the ledger is not what was last written, so another program writes to it. `survey` is how it
   * is now.
   */
  readonly onDamage: (why: string, survey: Survey) => void
  /**
   * Reserved disk space that is released when the disk is full, so that an owner's act can still be written.
   */
  readonly reserve?: Reserve
}

export const cannotWrite = (error: unknown): ProblemError =>
  new ProblemError({
    code: 'ledger.write',
    message: `The ledger cannot be written (${codeOf(error) ?? String(error)}).`,
    fix: "Make room on the disk and give hookgate's user the right to write its folder, then try again. Nothing was changed.",
  })

/** A ledger that was read and has a problem. */
export const damagedLedger = ({
  key,
  bytes,
  found: { entries, heads, goodBytes },
  problem = '',
}: Extract<Survey, { readonly kind: 'read' }>): OpenedLedger => ({
  kind: 'damaged',
  entries,
  heads,
  why: problem,
  rest: { bytes: bytes.subarray(goodBytes), key },
})

/** Lines that are signed and not written yet. */
export interface Formatted extends Written {
  readonly text: string
  readonly lastLine: string
}

/** Signs acts as the lines after line `from`, whose chain hash is `prev`. */
export const formatAll = (
  acts: readonly Act[],
  from: number,
  prev: string | undefined,
  now: number,
  key: Buffer,
): Formatted => {
  const at = new Date(now).toISOString()
  const heads: string[] = []
  let lastLine = ''
  let text = ''
  const entries = acts.map((act, index): LedgerEntry => {
    const n = from + index + 1
    lastLine = formatLine(n, at, act, heads.at(-1) ?? prev ?? noLine, key)
    heads.push(chainOf(lastLine))
    text += `${lastLine}\n`
    return { n, at, act: act.act, by: act.by, data: act.data }
  })
  return { entries, heads, text, lastLine }
}

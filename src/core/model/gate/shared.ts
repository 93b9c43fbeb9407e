/** The end of a ledger: its last line, and how often a ledger was begun anew. */
export interface LedgerEnd {
  /** 1 for the first ledger. Each recovery of an owner begins the next one. */
  readonly generation: number
  /** The number of lines. */
  readonly revision: number
  /** The chain hash of the last line, in hex. */
  readonly head: string
}

/** How far a gate knows the ledger. `why`: what is wrong with it. */
export interface KnownLedger {
  readonly end?: LedgerEnd
  readonly why?: string
}

/** Lines of one ledger, as they were written, each without its newline. */
export interface LedgerLines {
  readonly end: LedgerEnd
  readonly lines: readonly string[]
}

/**
 * The lines of a ledger that several gates share. It keeps them and checks none of them. A method rejects
 * with a ProblemError when the lines cannot be reached.
 */
export interface SharedLines {
  /**
   * The lines of the newest ledger after line `after`, by default all of them. Undefined: no ledger was begun
   * yet.
   */
  read(after?: number): Promise<LedgerLines | undefined>
  /**
   * Writes lines after the end `at`, in one transaction. “moved”: the ledger ends elsewhere now, and nothing
   * was written.
   */
  append(at: LedgerEnd, lines: readonly string[]): Promise<'written' | 'moved'>
  /**
   * Begins the next ledger with these lines, in one transaction. Without `at` it begins the first one. The
   * lines of older ledgers stay. “moved”: another gate was faster.
   */
  begin(at: LedgerEnd | undefined, lines: readonly string[]): Promise<'written' | 'moved'>
  /** Ends the connection. Never rejects. */
  stop(): Promise<void>
}

/**
 * The bytes of sealed files, which the gates of one database give each other. It keeps bytes and checks none
 * of them: a reader has to compare their digest. A method rejects with a ProblemError when the bytes cannot
 * be reached.
 */
export interface SharedFiles {
  /** Keeps each file under its SHA-256 in hex. Bytes that are kept already stay as they are. */
  put(files: readonly { readonly sha256: string; readonly content: Buffer }[]): Promise<void>
  /** The bytes with this SHA-256 in hex. Undefined: nobody has put them there. */
  get(sha256: string): Promise<Buffer | undefined>
  /**
   * Removes all files but these. Only the gate that works may call it, and only at its start: later on, a
   * file is put before its approval is in the ledger.
   */
  keepOnly(sha256s: readonly string[]): Promise<void>
  /** Ends the connection. Never rejects. */
  stop(): Promise<void>
}

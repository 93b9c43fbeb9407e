/**
 * One file of a hook. `text` is the content as far as it is shown. Absent: `why` says why it is not shown.
 */
export interface SourceFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly text?: string
  /** How many UTF-16 units of the text are not shown. */
  readonly leftUnits?: number
  /**
   * `binary`: it is not text. `unreadable`: it cannot be read now. `too_much`: the limit was reached before.
   */
  readonly why?: 'binary' | 'unreadable' | 'too_much'
}

/** The files of a hook as an approval now would seal them, or as they were sealed. */
export interface HookSource {
  readonly from: 'proposed' | 'sealed'
  /** What changed since the approval. Empty when nothing did, or when it was never approved. */
  readonly difference: readonly string[]
  readonly files: readonly SourceFile[]
}

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** True when the write failed because the disk or the quota is full. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && fullCodes.has(error.code)

/** Disk space that is reserved for owners' acts. */
export interface Reserve {
  /** Frees a part of it. False when none is left. */
  give(): boolean
}

/**
 * Repeats the write after each released piece while the disk is full. Throws the last error when no piece is
 * left.
 */
export const withReserve = <T>(reserve: Reserve | undefined, write: () => T): T => {
  for (;;) {
    try {
      return write()
    } catch (error) {
      if (!isFull(error) || reserve?.give() !== true) throw error
    }
  }
}

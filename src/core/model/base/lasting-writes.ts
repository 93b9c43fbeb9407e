import { ProblemError } from '../gate/problem.ts'

export interface LastingPorts {
  after(delayMs: number, run: () => void): void
  /** Called when the first try of a write has failed. */
  onFailed(error: unknown): void
}

interface LastingWrite {
  readonly run: () => Promise<void>
  hasFailed: boolean
}

/** How long the writes that failed wait for the next try, in milliseconds. */
const againAfterMs = 1000
/** At most this many are tried again, so that memory is bounded while the store is away. */
const maxFailed = 20_000

/** The store is closed, or another gate works with it. Then this gate changes nothing more. */
const isFinal = (error: unknown): boolean =>
  error instanceof ProblemError && ['store.closed', 'store.lease'].includes(error.problem.code)

/**
 * Writes of which the store must know in the end, such as that a row is done with: the next start would take
 * up a row that was left. A write that failed is tried again until it succeeds. There is one write for each
 * key, and a newer one takes the place of an older one.
 */
export const createLastingWrites = ({ after, onFailed }: LastingPorts) => {
  const writes = new Map<string, LastingWrite>()
  let isTimed = false

  const attempt = async (key: string, write: LastingWrite): Promise<boolean> => {
    try {
      await write.run()
      if (writes.get(key) === write) writes.delete(key)
      return true
    } catch (error) {
      if (!write.hasFailed) onFailed(error)
      write.hasFailed = true
      if (writes.get(key) !== write) return false
      if (isFinal(error) || writes.size > maxFailed) writes.delete(key)
      else tryLater()
      return false
    }
  }
  const tryLater = (): void => {
    if (isTimed) return
    isTimed = true
    after(againAfterMs, () => {
      isTimed = false
      for (const [key, write] of writes) if (write.hasFailed) void attempt(key, write)
    })
  }

  return {
    /** Resolves with true when it is written, or with false when the first try has failed. Never rejects. */
    write: (key: string, run: () => Promise<void>): Promise<boolean> => {
      const write = { run, hasFailed: false }
      writes.set(key, write)
      return attempt(key, write)
    },
    /** What the key names is written anew, so an older write must not be tried again. */
    cancel: (key: string): void => void writes.delete(key),
  }
}

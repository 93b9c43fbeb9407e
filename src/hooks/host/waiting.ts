import { startProgram, type Ears, type HookProcess } from './program.ts'
import type { StartRequest } from './protocol.ts'

/**
 * A program that was started before anyone asks it, and waits at its stdin. It is killed before that is closed; only when
 * the hook host itself is killed does it see an end of its input, for the moment until the gate has noticed.
 */
export interface WarmProcess {
  readonly pid: number | undefined
  /** Resolves, at most once in its life, with the program when it still waits and has said nothing; from then on it is the caller's. */
  take(): Promise<HookProcess | undefined>
  kill(): void
}

/** `onSpoiled` comes when it exited, spoke or was killed before anyone took it: it is gone, and good for nothing any more. Throws like a start. */
export const startWaiting = (request: StartRequest, onSpoiled: (what: string) => void): WarmProcess => {
  let isOver = false
  const spoil = (what: string): void => {
    if (isOver) return
    isOver = true
    program.close()
    onSpoiled(what)
  }
  const ears: Ears = {
    failed: (error) => spoil(`it did not start: ${error.message}`),
    exited: (code, signal) => spoil(`it exited (${signal ?? `exit code ${code}`})`),
    closed: () => spoil('it closed its output'),
    stdout: () => spoil('it wrote to stdout'),
    stderr: () => spoil('it wrote to stderr'),
  }
  const program = startProgram(request, ears)
  return {
    pid: program.pid,
    take: async () => {
      // Behind the second one this process has looked anew: what it did up to now has been heard by then.
      await new Promise((resolve) => setImmediate(setImmediate, resolve))
      if (isOver) return undefined
      isOver = true
      return program
    },
    kill: () => spoil('it was ended'),
  }
}

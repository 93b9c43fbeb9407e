import { startProgram, type ProgramListener, type HookProcess } from './program.ts'
import type { StartRequest } from './protocol.ts'

/**
 * A program that was started before it is asked and waits at its stdin. It is killed before its stdin is
 * closed. It sees an end of its input only when the hook host itself is killed, until the gate has noticed.
 */
export interface WarmProcess {
  readonly pid: number | undefined
  /**
   * Gives the program, at most once, when it still waits and has written nothing. From then on it belongs to
   * the caller.
   */
  take(): Promise<HookProcess | undefined>
  kill(): void
}

/**
 * `onSpoiled` is called when the program exited, wrote output or was killed before it was taken: it cannot be
 * used any more. Throws like a start.
 */
export const startWaiting = (request: StartRequest, onSpoiled: (what: string) => void): WarmProcess => {
  let isOver = false
  const spoil = (what: string): void => {
    if (isOver) return
    isOver = true
    program.close()
    onSpoiled(what)
  }
  const listener: ProgramListener = {
    failed: (error) => spoil(`it did not start: ${error.message}`),
    exited: (code, signal) => spoil(`it exited (${signal ?? `exit code ${code}`})`),
    closed: () => spoil('it closed its output'),
    stdout: () => spoil('it wrote to stdout'),
    stderr: () => spoil('it wrote to stderr'),
  }
  const program = startProgram(request, listener)
  return {
    pid: program.pid,
    take: async () => {
      // After the second turn of the event loop, everything that the program did so far has been reported.
      await new Promise((resolve) => setImmediate(setImmediate, resolve))
      if (isOver) return undefined
      isOver = true
      return program
    },
    kill: () => spoil('it was ended'),
  }
}

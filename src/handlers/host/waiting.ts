import { startProgram, type ProgramListener, type HookProcess } from './program.ts'
import type { StartRequest, Waits } from './protocol.ts'

/**
 * A process that was started before its event. Here it is the program of a warm hook, which waits at its
 * stdin. In `ahead.ts` it is a shell that becomes the program. It is killed before its stdin is closed. It
 * sees an end of its input only when the hook host itself is killed, until the gate has noticed.
 */
export interface WaitingProgram {
  readonly pid: number | undefined
  /**
   * Gives the program for this request, at most once. From then on it belongs to the caller. Undefined when
   * it cannot answer the request: then it is gone, and it has been given nothing of the event.
   */
  take(request: StartRequest): Promise<HookProcess | undefined>
  kill(): void
}

/**
 * Starts a process that waits. `onSpoiled` is called when it exited, wrote output or was killed before it was
 * taken: it cannot be used any more. Throws like a start.
 */
export const startWaiting = (
  request: StartRequest,
  onSpoiled: (what: string) => void,
  waits: Waits = 'program',
): WaitingProgram => {
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
  const program = startProgram(request, listener, waits)
  return {
    pid: program.pid,
    take: async () => {
      // After the second turn of the event loop, everything that the program did so far has been reported.
      await new Promise((resolve) => setImmediate(setImmediate, resolve))
      if (!isOver && !program.isUntouched()) spoil('somebody wrote into its input')
      if (isOver) return undefined
      isOver = true
      return program
    },
    kill: () => spoil('it was ended'),
  }
}

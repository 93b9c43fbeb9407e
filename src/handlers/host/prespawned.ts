import { startProgram, type ProgramListener, type HookProcess } from './program.ts'
import type { StartRequest, Waits } from './protocol.ts'
import { makePluginData } from './spawn/hooks-home.ts'
import { readRow } from './spawn/process-table.ts'
import { canStart } from './spawn/start-failure.ts'
import { waitingShellFor } from './spawn/waiting-shell.ts'

/**
 * A process that was started before its event: the program of a warm hook, which waits at its stdin, or a
 * shell that becomes the program. It is killed before its stdin is closed. It sees an end of its input only
 * when the hook host itself is killed, until the gate has noticed.
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

/**
 * True while the process sleeps, as it does when it has read all that there is. One that has ended or was
 * stopped does not, nor does one that has a signal to handle, because the signal wakes it.
 */
const isAsleep = (pid: number | undefined): boolean => pid !== undefined && readRow(pid)?.state === 'S'

/**
 * Starts a shell that waits and becomes the program of `request`. `varying` names the variables whose values
 * come with the event. Gives undefined when no shell can wait for this program without being noticed. Throws
 * like a start.
 *
 * An event is given to one process, once. Before that, `take` looks whether the shell waits and whether the
 * program can start. If not, the shell is killed, and the caller starts the program. From then on the shell
 * counts as the program: nothing is started in its place, and when it fails, the hook has failed.
 */
export const startPrespawned = (
  request: StartRequest,
  varying: readonly string[],
  onSpoiled: (what: string) => void,
): WaitingProgram | undefined => {
  const shell = waitingShellFor(request, varying)
  if (shell === undefined) return undefined
  const { pid, kill, take } = startWaiting(shell.start, onSpoiled, 'shell')
  return {
    pid,
    kill,
    take: async (asked) => {
      const lines = shell.lines(asked)
      const program = lines !== undefined && isAsleep(pid) && canStart(asked) ? await take(asked) : undefined
      if (program === undefined) {
        kill()
        return undefined
      }
      makePluginData(asked.env)
      return { ...program, feed: (stdin) => program.feed(stdin, lines) }
    },
  }
}

import type { StartRequest } from './protocol.ts'
import { makePluginData } from './spawn/hooks-home.ts'
import { readRow } from './spawn/process-table.ts'
import { canStart } from './spawn/start-failure.ts'
import { waitingShellFor } from './spawn/waiting-shell.ts'
import { startWaiting, type WaitingProgram } from './waiting.ts'

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
export const startAhead = (
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

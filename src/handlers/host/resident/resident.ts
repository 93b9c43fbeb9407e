import type { RunFailure } from '../../../core/model/hooks/run-result.ts'
import { Socket } from 'node:net'
import { startProgram, type HookProcess } from '../program.ts'
import type { Meeting, ResidentListener, StartRequest } from '../protocol.ts'
import { failureOfStart } from '../spawn/start-failure.ts'

const maxStderrBytes = 4 * 1024
/** The shortest time between two reports of stderr. */
const tellEveryMs = 1000
const meetTimeoutMs = 5000
const lastWordsMs = 50

/**
 * Starts a resident program with a connection to the gate as its stdin and stdout, so that requests and
 * answers do not pass through this process. The first line on that connection is the token; the program uses
 * the connection after that. When `listener.ended` is called, the process group is gone.
 */
export const startResident = (
  request: StartRequest,
  { path, token }: Meeting,
  listener: ResidentListener,
): { readonly kill: () => void } => {
  const socket = new Socket()
  let program: HookProcess | undefined
  let isOver = false
  let stderr: Buffer = Buffer.alloc(0)
  let telling: NodeJS.Timeout | undefined

  const tell = (): void => {
    clearTimeout(telling)
    if (telling !== undefined) listener.stderr(stderr.toString())
    telling = undefined
  }
  const finish = (failure: RunFailure): void => {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    program?.close()
    socket.destroy()
    tell()
    listener.ended(failure)
  }
  const deadline = setTimeout(finish, meetTimeoutMs, {
    kind: 'host',
    detail: `The gate did not take the connection of the resident hook within ${meetTimeoutMs / 1000} s. Try again.`,
  })

  const begin = (): void => {
    if (isOver) return
    clearTimeout(deadline)
    let end = (): void => undefined
    try {
      program = startProgram(
        request,
        {
          failed: (error) => finish(failureOfStart(request, error)),
          exited: (code, signal) => {
            const how = signal ?? `exit code ${code}`
            const detail = `It ended with ${how}, and a resident hook has to keep running. Its stderr says why.`
            end = () => finish({ kind: 'killed', detail })
            // The rest of stderr is read first. A grandchild that holds it open does not delay the report.
            setTimeout(end, lastWordsMs)
          },
          closed: () => end(),
          stdout: () => undefined,
          stderr: (chunk) => {
            stderr = Buffer.concat([stderr, chunk.subarray(-maxStderrBytes)]).subarray(-maxStderrBytes)
            telling ??= setTimeout(tell, tellEveryMs)
          },
        },
        socket,
      )
      if (program.pid !== undefined) listener.started(program.pid)
    } catch (error) {
      finish(failureOfStart(request, error))
    }
    // From now on the program holds the connection. This process closes its copy without writing anything.
    socket.destroy()
  }

  // An unpaused socket would read data that is meant for the program.
  socket.pause()
  socket.on('error', (error) =>
    finish({
      kind: 'host',
      detail: `The hook host cannot reach the gate at ${path} (${error.message}). Let the hooks' user enter that folder.`,
    }),
  )
  socket.connect(path, () => socket.write(`${token}\n`, begin))
  return {
    kill: () =>
      finish({ kind: 'killed', detail: 'The resident hook was ended because it is no longer in force.' }),
  }
}

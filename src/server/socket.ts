import { chmod, chown, lstat, mkdir, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { ProblemError } from '../core/model/gate/problem.ts'

/** The kernel allows 103 bytes on macOS and 107 on Linux. */
const maxPathBytes = 100

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/**
 * Removes a socket file on which no process listens. Throws a ProblemError for anything else at that path,
 * and leaves it unchanged.
 */
const clearStale = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket()) {
    throw new ProblemError({
      code: 'server.socket_path',
      message: `Expected nothing or an old socket at "${path}", got something else.`,
      fix: 'Move it away.',
      file: path,
    })
  }
  if (await isAnswered(path)) {
    throw new ProblemError({
      code: 'server.socket_busy',
      message: `Expected nobody to listen at "${path}", got an answer.`,
      fix: 'Stop the other hookgate first.',
      file: path,
    })
  }
  await unlink(path)
}

/** Listens on a Unix socket that only `owner` can open (absent: this user). Throws a ProblemError. */
export const listenPrivately = async (
  server: Server,
  path: string,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<void> => {
  const bytes = Buffer.byteLength(path)
  if (bytes > maxPathBytes) {
    throw new ProblemError({
      code: 'server.socket_path',
      message: `Expected the socket's path to be at most ${maxPathBytes} bytes, got ${bytes}: "${path}".`,
      fix: 'Set HOOKGATE_HOME to a folder with a shorter path.',
      file: path,
    })
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await clearStale(path)
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o600)
  // This is the last step, because afterwards this process may no longer change the file.
  if (owner !== undefined) await chown(path, owner.uid, owner.gid)
}

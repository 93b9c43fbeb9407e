import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, mkdir, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { User } from '../spawn/group.ts'
import type { Meeting } from '../protocol.ts'

/**
 * Expects one connection that sends the meeting's token, until `signal` aborts; `arrived` is called at most
 * once. Rejects when it cannot listen.
 */
export type Accept = (arrived: (socket: Socket) => void, signal: AbortSignal) => Promise<Meeting>

/** The kernel allows 103 bytes on macOS and 107 on Linux. */
const maxPathBytes = 103
const tokenBytes = 32
const tokenLength = 2 * tokenBytes
/** The number of connections that have not sent their token yet. */
const maxStrangers = 16
const introductionTimeoutMs = 2000

/**
 * The socket on which resident programs connect to the gate. It listens only while one is expected. `folder`
 * is created for the gate. Only the gate, and `user` if given, can enter it.
 */
export const createAccept = (folder: string, user?: User): Accept => {
  const path = join(folder, 's')
  const expected = new Map<string, (socket: Socket) => void>()
  const strangers = new Set<Socket>()
  let listening: Promise<Server> | undefined

  const forget = (token: string): void => {
    expected.delete(token)
    if (expected.size > 0) return
    void listening?.then(
      (server) => server.close(),
      () => undefined,
    )
    listening = undefined
    for (const stranger of strangers) stranger.destroy()
  }

  const introduce = (socket: Socket): void => {
    if (strangers.size >= maxStrangers) return void socket.destroy()
    strangers.add(socket)
    const listen = (): void => {
      // A token comes in one piece.
      const line: Buffer | null = socket.read(tokenLength + 1) ?? socket.read()
      if (line === null) return
      const token = line.toString('latin1', 0, tokenLength)
      const arrived = expected.get(token)
      if (arrived === undefined) return void socket.destroy()
      strangers.delete(socket)
      socket.off('readable', listen).setTimeout(0)
      forget(token)
      arrived(socket)
    }
    socket
      .setTimeout(introductionTimeoutMs, () => socket.destroy())
      .on('readable', listen)
      .on('error', () => undefined)
      .on('close', () => strangers.delete(socket))
  }

  const listen = async (): Promise<Server> => {
    const bytes = Buffer.byteLength(path)
    if (bytes > maxPathBytes)
      throw new Error(
        `the path ${path} has ${bytes} bytes and may have ${maxPathBytes}: set HOOKGATE_HOME to a folder with a shorter one`,
      )
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, user === undefined ? 0o700 : 0o710)
    if (user !== undefined) await chown(folder, process.getuid?.() ?? 0, user.gid)
    // The socket of a gate that was killed is removed.
    await rm(path, { force: true })
    const server = createServer(introduce)
    server.listen(path)
    await once(server, 'listening')
    if (user !== undefined) await chown(path, user.uid, user.gid)
    return server
  }

  return async (arrived, signal) => {
    const token = randomBytes(tokenBytes).toString('hex')
    expected.set(token, arrived)
    signal.addEventListener('abort', () => forget(token))
    listening ??= listen()
    await listening
    return { path, token }
  }
}

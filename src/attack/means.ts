import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { request } from '../model/base/http.ts'
import {
  done,
  open,
  refused,
  type Guard,
  type ForgeryReport,
  type Target,
  type WaitingCards,
} from './forgery.ts'

/** What attempts have in common. All of it is what any program of the agent's user could do. */

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

const maxReadBytes = 4_000_000

/** Never waits on a FIFO, and reads no more than a few megabytes. */
export const read = (file: string): Buffer => {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  try {
    const buffer = Buffer.alloc(maxReadBytes)
    let length = 0
    for (let got = -1; got !== 0 && length < maxReadBytes; length += got)
      got = fs.readSync(fd, buffer, length, maxReadBytes - length, null)
    return buffer.subarray(0, length)
  } finally {
    fs.closeSync(fd)
  }
}

/** Reads each file; what it could read is told by hash, and the gate's side compares. */
export const readAll = (files: readonly string[]): ForgeryReport => {
  const got = files.flatMap((file) => {
    try {
      return [sha256(read(file))]
    } catch {
      return []
    }
  })
  if (got.length === 0) return refused(files.length === 0 ? 'nothing there' : 'not readable')
  return open(`${got.length} of ${files.length} files could be read`, got)
}

export const inodeOf = (file: string): string => {
  const { dev, ino } = fs.lstatSync(file, { bigint: true })
  return `${dev} ${ino}`
}

/** That a way is open, with the file that shows it. */
export const openAt = (file: string, what: string): ForgeryReport => ({
  outcome: 'open',
  what,
  at: { path: file, inode: inodeOf(file) },
})

/** Whether a file's bytes could be changed, without changing them. Throws when not. */
export const mayWrite = (file: string): ForgeryReport => {
  fs.closeSync(fs.openSync(file, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK))
  return openAt(file, `${path.basename(file)} can be written`)
}

/** Whether what lies in a folder could be replaced or removed: a file that is left there says so, and the gate's side takes it away. Throws when not. */
export const mayReplaceIn = (folder: string, mark: string): ForgeryReport => {
  const file = path.join(folder, `.${mark}`)
  fs.closeSync(fs.openSync(file, 'wx'))
  return openAt(file, `files in ${folder} can be replaced`)
}

/** An attempt that does something, and tells that it was done. */
export const carryOut =
  (what: string) =>
  (act: (target: Target) => void) =>
  (target: Target): ForgeryReport => {
    act(target)
    return done(what)
  }

const canListen = async (host: string, port: number, reusePort: boolean): Promise<boolean> => {
  const server = createServer()
  try {
    server.listen({ host, port, reusePort })
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** At which of these addresses a port can be listened on, alone or beside somebody else (SO_REUSEPORT). */
export const listensAt = async (port: number, hosts: readonly string[]): Promise<readonly string[]> => {
  const taken: string[] = []
  for (const host of hosts)
    for (const reusePort of [false, true]) if (await canListen(host, port, reusePort)) taken.push(host)
  return taken
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const maxAnswerChars = 100_000

interface HttpRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number
}

/** Names under `localhost` are found as browsers find them: no name server is asked. */
export const placeOf = (origin: string) => {
  const { hostname, host, port } = new URL(origin)
  return { where: { host: hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, port }, host: { host } }
}

/** One request, to a Unix socket or an origin; any header may be forged. Ends at the first bytes of an endless answer. */
export const ask = (
  to: { readonly socketPath: string } | { readonly origin: string },
  { method = 'GET', path: at, headers = {}, body, timeoutMs = 3000 }: HttpRequest,
): Promise<HttpAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
  const { where, host } = 'socketPath' in to ? { where: to, host: {} } : placeOf(to.origin)
  const asked = request(
    {
      ...where,
      method,
      path: at,
      headers: {
        ...host,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
      timeout: timeoutMs,
      agent: false,
    },
    (response) => {
      let text = ''
      const end = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxAnswerChars) asked.destroy()
      })
      response.on('end', end).on('close', end)
      setTimeout(() => asked.destroy(), timeoutMs).unref()
    },
  )
  asked.on('timeout', () => asked.destroy(new Error('no answer')))
  asked.on('upgrade', (response, socket) => {
    socket.destroy()
    resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '' })
  })
  asked.on('error', reject)
  asked.end(body)
  return promise
}

export const json = { 'content-type': 'application/json' }

/** The agent's own socket. */
export const own = ({ sockets: [socketPath = ''] }: Target): { readonly socketPath: string } => ({
  socketPath,
})

/** Whether a socket lets one in; nothing is asked of it. */
export const answersAt = async (socketPath: string): Promise<ForgeryReport> =>
  open(`it was answered (${(await ask({ socketPath }, { path: '/v1/none' })).status})`)

/**
 * Listens in a socket's place, with the same answer to whoever asks. It does so until this process ends: a close would
 * remove the path, and by then a gate's own socket may be there.
 */
export const takePlaceOf = async (socketPath: string, answer: string): Promise<ForgeryReport> => {
  fs.unlinkSync(socketPath)
  await once(
    createServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`),
    ).listen(socketPath),
    'listening',
  )
  return done('another listens there now')
}

/** The harmful step that the guard is there for, as an agent would report it. */
export const harmful = (guard: Guard, more = ''): Readonly<Record<string, unknown>> => ({
  session_id: 'attack',
  cwd: '/',
  tool_name: 'bash',
  tool_input: { command: `${guard.word}${more}` },
})

/** Reports a step over the agent's own socket and returns the verdict: `allow`, `ask`, `block`, or the status of a refusal. */
export const fire = async (
  target: Target,
  body: object,
  headers: Readonly<Record<string, string>> = {},
  timeoutMs = 8000,
): Promise<string> => {
  const answer = await ask(own(target), {
    method: 'POST',
    path: '/v1/events/pre_tool_call',
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
    timeoutMs,
  })
  if (answer.status !== 200) return String(answer.status)
  const { verdict }: { verdict?: unknown } = JSON.parse(answer.text)
  return String(verdict)
}

/** What the gate made of a harmful step while something was done to it: anything but `allow` holds. */
export const judged = (verdict: string): ForgeryReport =>
  verdict === 'allow'
    ? open('the harmful step was allowed')
    : done(`the harmful step was answered ${verdict}`)

/** Writes a file in the place of another, as an editor would. */
export const replace = (file: string, content: string | Uint8Array, mode = 0o600): void => {
  const fresh = `${file}.${randomUUID().slice(0, 8)}`
  fs.writeFileSync(fresh, content, { mode })
  fs.renameSync(fresh, file)
}

export const sealOf = (target: Target, { fingerprint }: Guard): string =>
  path.join(target.home, 'seal', fingerprint)

/** The files in a folder and below it, at most `max`; nothing where it cannot be listed. */
export const filesUnder = (folder: string, max = 200): readonly string[] =>
  fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .slice(0, max)
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

/** Pids whose command line a pattern fits; none where other processes are hidden. */
export const processesLike = (pattern: RegExp): readonly number[] =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        return pattern.test(fs.readFileSync(`/proc/${name}/cmdline`, 'utf8')) ? [Number(name)] : []
      } catch {
        return []
      }
    })

/** The guard that every attempt with this need has. */
export const guardOf = ({ guard }: Target): Guard => {
  if (guard === undefined) throw new Error('there is no guard')
  return guard
}

/** What waits, for every attempt that has this need. */
export const waitingOf = ({ waiting }: Target): WaitingCards => {
  if (waiting === undefined) throw new Error('nothing waits')
  return waiting
}

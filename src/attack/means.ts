import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { request } from '../shared/base/http.ts'
import {
  done,
  open,
  refused,
  type Guard,
  type ForgeryReport,
  type Target,
  type WaitingCards,
} from './forgery.ts'

/** These helpers are shared by attempts. Any program of the agent's user could do all of it. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

const maxReadBytes = 4_000_000

/** Reads a file. It never blocks on a FIFO, and reads at most `maxReadBytes`. */
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

/** Reads each file and reports the hash of each content. The gate's side compares the hashes. */
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

/** Returns a report that something is open, with the file that shows it. */
export const openAt = (file: string, what: string): ForgeryReport => ({
  outcome: 'open',
  what,
  at: { path: file, inode: inodeOf(file) },
})

/** Checks that a file could be changed, without changing it. Throws an Error when it cannot. */
export const mayWrite = (file: string): ForgeryReport => {
  fs.closeSync(fs.openSync(file, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK))
  return openAt(file, `${path.basename(file)} can be written`)
}

/**
 * Checks that files in a folder could be replaced or removed. It leaves a marker file, which the gate's side
 * removes. Throws an Error when it cannot.
 */
export const mayReplaceIn = (folder: string, mark: string): ForgeryReport => {
  const file = path.join(folder, `.${mark}`)
  fs.closeSync(fs.openSync(file, 'wx'))
  return openAt(file, `files in ${folder} can be replaced`)
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

/**
 * Returns the addresses at which a port can be listened on, alone or beside another process (SO_REUSEPORT).
 */
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

export interface HttpRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number
}

/**
 * Returns where to connect for an origin. Names under `localhost` are resolved as browsers do it, without a
 * name server.
 */
export const placeOf = (origin: string) => {
  const { hostname, host, port } = new URL(origin)
  return { where: { host: hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, port }, host: { host } }
}

/**
 * Sends one request to a Unix socket or an origin. Any header may be forged. It stops when an answer exceeds
 * `maxAnswerChars`.
 */
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

/** Returns the agent's own socket. */
export const own = ({ sockets: [socketPath = ''] }: Target): { readonly socketPath: string } => ({
  socketPath,
})

/** Checks whether a socket accepts a connection. The request asks for nothing. */
export const answersAt = async (socketPath: string): Promise<ForgeryReport> =>
  open(`it was answered (${(await ask({ socketPath }, { path: '/v1/none' })).status})`)

/**
 * Replaces a socket by its own, which sends everybody the same answer. It listens until this process ends,
 * because a close would remove the path, where a new socket of the gate may be by then.
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

/** Returns the harmful step that the guard blocks, as an agent would report it. */
export const harmful = (guard: Guard, more = ''): Readonly<Record<string, unknown>> => ({
  session_id: 'attack',
  cwd: '/',
  tool_name: 'bash',
  tool_input: { command: `${guard.word}${more}` },
})

/** Sends JSON to the agent's own socket. */
export const post = (
  target: Target,
  path: string,
  body: object | string,
  { headers, ...more }: Partial<HttpRequest> = {},
): Promise<HttpAnswer> =>
  ask(own(target), {
    method: 'POST',
    path,
    headers: { ...json, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  })

/**
 * Reports a step over the agent's own socket and returns the verdict: `allow`, `ask`, `block`, the status of
 * a refusal, or `no answer`.
 */
export const fire = async (
  target: Target,
  body: object | string,
  headers: HttpRequest['headers'] = {},
  timeoutMs = 8000,
): Promise<string> => {
  try {
    const answer = await post(target, '/v1/events/pre_tool_call', body, { headers, timeoutMs })
    return answer.status === 200 ? String(Object(JSON.parse(answer.text))['verdict']) : String(answer.status)
  } catch {
    return 'no answer'
  }
}

/** Reports the harmful step, with more words in its command. Returns the verdict. */
export const harm = (
  target: Target,
  more = '',
  headers: HttpRequest['headers'] = {},
  timeoutMs?: number,
): Promise<string> => fire(target, harmful(guardOf(target), more), headers, timeoutMs)

/** Turns verdicts about a harmful step into a report. The gate held when none is `allow`. */
export const judged = (...verdicts: readonly string[]): ForgeryReport =>
  verdicts.includes('allow')
    ? open('the harmful step was allowed')
    : done(`the harmful step was answered ${[...new Set(verdicts)].join(', ')}`)

/** Asks for each path by each method. One that is accepted is enough for `open`. */
export const tryPaths = async (
  target: Target,
  paths: readonly string[],
  methods: readonly string[],
  said: object,
): Promise<ForgeryReport> => {
  const accepted: string[] = []
  for (const path of paths)
    for (const method of methods) {
      const body = method === 'GET' ? undefined : JSON.stringify(said)
      const { status } = await ask(own(target), { method, path, headers: json, body })
      if (status < 400) accepted.push(`${method} ${path}`)
    }
  return accepted.length === 0
    ? refused(`none of ${paths.length} paths exist`)
    : open(`${accepted.slice(0, 3).join(', ')} was accepted`)
}

/** Host names of others that lead to a port of this machine. */
export const foreignHosts = (port: string): readonly string[] => [
  'evil.test',
  `evil.test:${port}`,
  `127.0.0.1.evil.test:${port}`,
  `0.0.0.0:${port}`,
  `[::1]:${port}`,
  '127.0.0.1',
]

/** Replaces a file by a new one, as an editor would. */
export const replace = (file: string, content: string | Uint8Array, mode = 0o600): void => {
  const fresh = `${file}.${randomUUID().slice(0, 8)}`
  fs.writeFileSync(fresh, content, { mode })
  fs.renameSync(fresh, file)
}

export const sealOf = (target: Target, { fingerprint }: Guard): string =>
  path.join(target.home, 'seal', fingerprint)

/**
 * Returns the files in a folder and below it, from at most `max` entries. Throws an Error where the folder
 * cannot be listed.
 */
export const filesUnder = (folder: string, max = 200): readonly string[] =>
  fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .slice(0, max)
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

/**
 * Returns the pids whose command line matches the pattern. It returns none where other processes are hidden.
 */
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

/** Returns the guard for attempts that need one. */
export const guardOf = ({ guard }: Target): Guard => {
  if (guard === undefined) throw new Error('there is no guard')
  return guard
}

/** Returns what waits, for attempts that need it. */
export const waitingOf = ({ waiting }: Target): WaitingCards => {
  if (waiting === undefined) throw new Error('nothing waits')
  return waiting
}

/**
 * Node's HTTP without `import … from 'node:http'`. That import reads every exported name of the module and so
 * loads its WebSocket client: 14 MB and 25 ms for code that is not used here.
 */
const http = process.getBuiltinModule('node:http')
/** Only `bounded-server.ts` may use `createServer`: a listener without limits can use up every descriptor. */
export const { Agent, createServer, request } = http

export type Server = ReturnType<typeof createServer>
export type IncomingMessage = InstanceType<typeof http.IncomingMessage>
export type ServerResponse = InstanceType<typeof http.ServerResponse>
export type Socket = IncomingMessage['socket']

interface AskOptions {
  readonly socketPath?: string
  readonly host?: string
  readonly port?: string
  readonly path: string
  readonly agent?: InstanceType<typeof Agent>
  readonly headers?: Readonly<Record<string, string | number | undefined>>
  readonly timeout?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends one request, with a body of JSON if there is one. Resolves when its answer begins. Rejects when there
 * is none, or nothing comes for the time of `timeout`.
 */
export const ask = (options: AskOptions, body?: string | Buffer): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const ofBody = body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request({
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      ...options,
      headers: { ...ofBody, ...options.headers },
    })
    sent.on('timeout', () => sent.destroy(new Error('it did not answer in time')))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The other side may close a reused connection at the moment it is used. That says nothing about it, so
      // the request is sent again on another connection.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(ask(options, body))
      else reject(error)
    })
    sent.on('response', resolve)
    sent.end(body)
  })

/** An answer is longer than it may be. */
export class TooLongError extends Error {}

/** Reads the text of an answer. Rejects when it breaks off, and with a TooLongError. */
export const textOf = async (answer: IncomingMessage, maxUnits: number): Promise<string> => {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > maxUnits) throw new TooLongError('its answer is too large')
  }
  return text
}

/** Reads the body of an answer of `fetch`. Undefined: it has more than `maxBytes` bytes. */
export const readAtMost = async (
  { body }: Pick<Response, 'body'>,
  maxBytes: number,
): Promise<Buffer | undefined> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > maxBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/**
 * Yields the lines of a response. Throws when the stream breaks off, or when a line has more than `maxUnits`
 * UTF-16 units.
 */
export const linesOf = async function* (response: IncomingMessage, maxUnits: number): AsyncGenerator<string> {
  response.setEncoding('utf8')
  let rest = ''
  for await (const chunk of response) {
    const lines = `${rest}${String(chunk)}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxUnits) throw new Error('the line is too long')
    yield* lines
  }
}

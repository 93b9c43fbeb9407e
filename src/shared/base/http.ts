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

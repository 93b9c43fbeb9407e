import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { yieldIfLarge } from '../core/model/base/yield-if-large.ts'
import { isObject, JsonFault, readJson, type Json, type JsonObject } from '../core/model/base/json.ts'
import { got } from '../core/model/gate/problem.ts'
import { RefusedError } from './ports.ts'

export const maxEventBytes = 8 * 1024 * 1024
const tooLarge = (maxBytes: number): RefusedError =>
  new RefusedError(
    413,
    'body.size',
    `Expected a body of at most ${maxBytes} bytes, got more.`,
    'Send less in one request.',
  )

/** The SHA-256 in base64url that the sender of a request has signed for its body. */
const signed = new WeakMap<IncomingMessage, string>()
export const bindBody = (request: IncomingMessage, sha256: string): void => void signed.set(request, sha256)

const checkBody = (request: IncomingMessage, body: Buffer): void => {
  const sha256 = signed.get(request)
  if (sha256 === undefined || sha256 === createHash('sha256').update(body).digest('base64url')) return
  throw new RefusedError(
    403,
    'node.body',
    'Expected the body that the node has signed, got another one.',
    'Something between the node and the gate changes requests. Use an https:// address that only the gate answers.',
  )
}

/** Reads the raw body of a request, at most `maxBytes` bytes. Throws a RefusedError when it is larger. */
export const readBytes = async (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Buffer[] = []
  let bytes = 0
  // The connection stays open after a refusal. The server discards the rest of the body, so that the client
  // can read its answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const piece = chunk as Buffer
    bytes += piece.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(piece)
  }
  // The ends of several bodies can arrive in one turn.
  await yieldIfLarge(bytes)
  const body = Buffer.concat(chunks)
  checkBody(request, body)
  return body
}

/** Reads JSON by `read`. Throws a RefusedError in place of a JsonFault. */
export const withRefusal = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    const { code, message, fix } = error
    throw new RefusedError(code === 'tokens' ? 413 : 400, `body.${code}`, message, fix)
  }
}

/**
 * Reads the request's body as a JSON object of bounded size and depth. Throws a RefusedError when it is none.
 */
export const readObject = async (request: IncomingMessage, maxBytes = maxEventBytes): Promise<JsonObject> => {
  const bytes = await readBytes(request, maxBytes)
  await yieldIfLarge(bytes.length)
  let value: Json
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    await yieldIfLarge(bytes.length)
    value = withRefusal(() => readJson(text))
  } catch (error) {
    if (error instanceof RefusedError) throw error
    // The message of the parser quotes the body, so the reply gives only its size.
    const why = error instanceof SyntaxError ? 'text that is not JSON' : 'bytes that are not UTF-8'
    throw new RefusedError(
      400,
      'body.json',
      `Expected the body to be a JSON object in UTF-8, got ${why} (${bytes.length} bytes).`,
      'Send the event as JSON.',
    )
  }
  if (!isObject(value)) {
    throw new RefusedError(
      400,
      'body.json',
      `Expected the body to be a JSON object, got ${got(value)}.`,
      'Put the fields into one object.',
    )
  }
  return value
}

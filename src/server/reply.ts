import type { ServerResponse } from 'node:http'
import type { ChannelPorts } from '../model/chat/channel.ts'
import { wellFormed, type Json } from '../model/base/json.ts'
import { RefusedError, type HttpReply } from './ports.ts'

/**
 * Converts an error into the reply. An internal failure of the gate goes to the log, and the caller gets no
 * details of it.
 */
export const refusalOf = (
  error: unknown,
  log: ChannelPorts['log'],
  who: Readonly<Record<string, string>>,
): HttpReply => {
  if (error instanceof RefusedError) return error.refusal
  log('error', 'a request failed inside the gate', {
    ...who,
    error: error instanceof Error ? error.name : 'unknown',
  })
  return new RefusedError(
    503,
    'gate.failed',
    'Expected the gate to carry out the request, got a failure inside it.',
    'Look at the log of hookgate.',
  ).refusal
}

/**
 * A lone surrogate would be written as an escape. A strict JSON reader, such as that of Codex, then drops the
 * whole answer and continues.
 */
const written = (value: Json): string => {
  const text = JSON.stringify(value)
  return text.includes(String.raw`\ud`) ? JSON.stringify(wellFormed(value)) : text
}

export const writeReply = (response: ServerResponse, reply: HttpReply, isClosing: boolean): void => {
  if (response.destroyed) return
  const body = written(reply.status === 200 ? reply.body : { error: reply.error })
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(isClosing && { connection: 'close' }),
  })
  response.end(body)
}

export const stopping = (): RefusedError =>
  new RefusedError(
    503,
    'gate.stopping',
    'Expected a running gate, got one that is shutting down.',
    'Try again when it is back.',
  )

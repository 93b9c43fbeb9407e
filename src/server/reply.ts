import type { ServerResponse } from 'node:http'
import { yieldIfLarge } from '../core/model/base/yield-if-large.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import { frozenCopy, type Json } from '../core/model/base/json.ts'
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

const bodyOf = (reply: HttpReply): Json => (reply.status === 200 ? reply.body : { error: reply.error })

/**
 * A lone surrogate would be written as an escape. A strict JSON reader, such as that of Codex, then drops the
 * whole answer and continues.
 */
const written = (value: Json): string => {
  const text = JSON.stringify(value)
  return text.includes(String.raw`\ud`) ? JSON.stringify(frozenCopy(value)) : text
}

const send = (response: ServerResponse, { status }: HttpReply, body: Buffer, isClosing: boolean): void => {
  if (response.destroyed) return
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(isClosing && { connection: 'close' }),
  })
  response.end(body)
}

export const writeReply = (response: ServerResponse, reply: HttpReply, isClosing: boolean): void =>
  send(response, reply, Buffer.from(written(bodyOf(reply))), isClosing)

/**
 * Writes a reply that may be as large as an event: the thread looks at everything else between two passes.
 */
export const writeLargeReply = async (
  response: ServerResponse,
  reply: HttpReply,
  isClosing: boolean,
): Promise<void> => {
  const body = bodyOf(reply)
  await yieldIfLarge(body)
  const text = written(body)
  await yieldIfLarge(text.length)
  send(response, reply, Buffer.from(text), isClosing)
}

export const stopping = (): RefusedError =>
  new RefusedError(
    503,
    'gate.stopping',
    'Expected a running gate, got one that is shutting down.',
    'Try again when it is back.',
  )

import type { ChildProcess } from 'node:child_process'
import { Readable } from 'node:stream'
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk'
import type { Limits } from './limits.ts'

/** The program sent more than the limits allow. */
export class FloodError extends Error {}

const newline = 10

/** Counts the incoming bytes and lines, and fails when the program sends too many. */
const metered = ({
  maxFloodBytes,
  maxFloodLines,
  floodMs,
}: Limits): TransformStream<Uint8Array, Uint8Array> => {
  let [bytes, lines, sinceMs] = [0, 0, performance.now()]
  return new TransformStream({
    transform: (chunk, controller) => {
      const nowMs = performance.now()
      if (nowMs - sinceMs > floodMs) [bytes, lines, sinceMs] = [0, 0, nowMs]
      bytes += chunk.length
      for (let index = chunk.indexOf(newline); index !== -1; index = chunk.indexOf(newline, index + 1))
        lines++
      if (bytes > maxFloodBytes || lines > maxFloodLines) throw new FloodError('it flooded me with messages')
      controller.enqueue(chunk)
    },
  })
}

/**
 * Makes a message stream from the program's standard streams, bounded in both directions. `overflow` is
 * called when the program does not read its input.
 */
export const wireOf = ({ stdin, stdout }: ChildProcess, limits: Limits, overflow: () => void): Stream => {
  if (stdin === null || stdout === null)
    throw new Error('Expected a program with standard streams, got one without.')
  stdin.on('error', () => undefined)
  const out = new WritableStream<Uint8Array>({
    write: (chunk) => {
      if (stdin.writableLength + chunk.length > limits.maxUnreadBytes) overflow()
      else stdin.write(chunk)
    },
  })
  const input = Readable.toWeb(stdout) as ReadableStream<Uint8Array>
  return ndJsonStream(out, input.pipeThrough(metered(limits)), { maxMessageBytes: limits.maxLineBytes })
}

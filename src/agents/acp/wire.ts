import type { ChildProcess } from 'node:child_process'
import { Readable } from 'node:stream'
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk'
import type { Limits } from './limits.ts'

/** What this end of the wire refuses to take. */
export class FloodError extends Error {}

const newline = 10

/** Counts what comes in, and cuts off a program that sends more than anybody could mean. */
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
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) lines++
      if (bytes > maxFloodBytes || lines > maxFloodLines) throw new FloodError('it flooded me with messages')
      controller.enqueue(chunk)
    },
  })
}

/** The program's standard streams as messages, bounded in both directions. `overflow` is called when it reads nothing. */
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

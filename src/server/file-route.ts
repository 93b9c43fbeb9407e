import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { budgets } from '../shared/base/budgets.ts'
import { createMutex } from '../core/model/base/mutex.ts'
import { type AgentPorts, RefusedError } from './ports.ts'

export const filesPath = '/v1/files/'
const pieceBytes = 64 * 1024

/**
 * Writes as fast as the reader reads, and no longer than `answerMs`. A reader that is too slow is
 * disconnected.
 */
const stream = async (
  response: ServerResponse,
  bytes: Uint8Array,
  gone: AbortSignal,
  answerMs: number,
): Promise<void> => {
  const late = setTimeout(() => response.destroy(), answerMs)
  try {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length })
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      gone.throwIfAborted()
      const isTaken = response.write(bytes.subarray(from, from + pieceBytes))
      if (!isTaken) await once(response, 'drain', { signal: gone })
    }
    response.end()
    if (!response.closed) await once(response, 'close')
  } catch {
    response.destroy()
  } finally {
    clearTimeout(late)
  }
}

/**
 * Sends an agent a file from a person while the agent works on the prompt. A file is held in memory, so the
 * next file is fetched only when the last byte of the previous one has been sent.
 */
export const createFileRoute = (
  agentId: string,
  ports: Pick<AgentPorts, 'file'>,
  { answerMs }: { readonly answerMs: number } = budgets.times,
) => {
  const inTurn = createMutex()

  const bytesOf = async (id: string): Promise<Uint8Array> => {
    const file = ports.file?.(agentId, id)
    if (file === undefined) {
      throw new RefusedError(
        404,
        'file.unknown',
        'Expected the id of a file that came with a prompt of this agent, got another or one whose turn has ended.',
        'Fetch it before the turn ends.',
      )
    }
    return file.bytes().catch((error: unknown) => {
      throw new RefusedError(
        503,
        'file.away',
        `Expected the messenger to give the file, but ${error instanceof Error ? error.message : 'it did not'}.`,
        'Ask the person to send it again.',
      )
    })
  }

  return (response: ServerResponse, id: string, gone: AbortSignal): Promise<void> =>
    inTurn(async () => {
      if (!gone.aborted) await stream(response, await bytesOf(id), gone, answerMs)
    })
}

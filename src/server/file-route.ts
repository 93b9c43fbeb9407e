import type { ServerResponse } from 'node:http'
import { type AgentPorts, RefusedError } from './ports.ts'

export const filesPath = '/v1/files/'

/** Sends a file that a person sent to this agent, while the agent works on it. One at a time: a file is held in memory. */
export const createFileRoute = (agentId: string, ports: Pick<AgentPorts, 'file'>) => {
  let last: Promise<unknown> = Promise.resolve()

  const bytesOf = async (id: string): Promise<Uint8Array> => {
    const file = ports.file?.(agentId, id)
    if (file === undefined) {
      throw new RefusedError(404, 'file.unknown', 'Expected the id of a file that came with a prompt of this agent, got another or one whose turn has ended.', 'Fetch it before the turn ends.')
    }
    return file.bytes().catch((error: unknown) => {
      throw new RefusedError(503, 'file.away', `Expected the messenger to give the file, but ${error instanceof Error ? error.message : 'it did not'}.`, 'Ask the person to send it again.')
    })
  }

  return async (response: ServerResponse, id: string): Promise<void> => {
    const bytes = last.then(() => bytesOf(id))
    last = bytes.catch(() => undefined)
    const body = await bytes
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': body.length })
    response.end(body)
  }
}

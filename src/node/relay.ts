import type { Server } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { boundsOf, createBoundedServer } from '../shared/base/bounded-server.ts'
import type { IncomingMessage, ServerResponse } from '../shared/base/http.ts'
import { inboxPath } from '../shared/events/inbox-line.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import type { Link } from './link.ts'

/** Only these headers of a request and of an answer mean something on the other side. */
const passed =
  /^(content-type|content-length|cache-control|mcp-(protocol-version|method|name)|x-hookgate-(ask-ms|deadline-ms|chain|park))$/

const passedOf = (headers: IncomingMessage['headers'], canPark = false): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && passed.test(name) && (canPark || name !== 'x-hookgate-park')
        ? [[name, value]]
        : [],
    ),
  )

/** More than the gate takes in any request, so the gate refuses a body that is cut here. */
export const maxRelayedBytes = 33 * 1024 * 1024
/** The bodies that wait for a gate together. */
const maxHeldBytes = 4 * maxRelayedBytes

export interface RelayOptions {
  readonly link: Pick<Link, 'send'>
  /** `loopback`: callers without a socket of their own, which cannot tell a parked question from consent. */
  readonly kind: 'agent' | 'bridge' | 'loopback'
  /** Answers a request without permission, and returns true. Absent: every request has it. */
  refuses?(request: IncomingMessage, response: ServerResponse): boolean
  /** Gives the caller what its agent is told. Absent: nobody is told anything here. */
  openInbox?(response: ServerResponse): void
  /** The path at the gate for a path that was asked for here. Undefined: nothing is served there. */
  pathOf(path: string): string | undefined
  readonly log: ChannelPorts['log']
}

/**
 * Makes a server that hands each request on to the gate when it is whole, because the node signs it, and the
 * answer back as it comes. Where the gate cannot be reached, it closes the connection without an answer. So a
 * caller sees what it sees on the machine of a gate that is away.
 */
export const createRelay = ({ link, kind, refuses, openInbox, pathOf, log }: RelayOptions): Server => {
  let heldBytes = 0
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> => {
    if (refuses?.(request, response) === true) return
    const asked = String(request.url).split('?')[0] ?? ''
    if (openInbox !== undefined && asked === inboxPath && request.method === 'GET') return openInbox(response)
    const path = pathOf(asked)
    if (path === undefined) {
      response.writeHead(404).end()
      return
    }
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        const piece = (chunk as Buffer).subarray(0, maxRelayedBytes - bytes)
        bytes += piece.length
        heldBytes += piece.length
        if (heldBytes > maxHeldBytes) throw new Error('too many large requests at once')
        chunks.push(piece)
        if (bytes === maxRelayedBytes) break
      }
      const body = Buffer.concat(chunks)
      const answer = await link.send({
        method: String(request.method),
        path,
        headers: { ...passedOf(request.headers, kind === 'bridge'), 'content-length': body.length },
        body,
        signal: gone,
      })
      response.writeHead(answer.statusCode ?? 502, passedOf(answer.headers))
      await pipeline(answer, response)
    } catch {
      request.socket.destroy()
    } finally {
      heldBytes -= bytes
    }
  }
  const { server } = createBoundedServer({
    ...boundsOf(kind),
    isPrivate: kind !== 'loopback',
    full: (count) => log('warn', 'too many connections at once, some were cut off', { agent: kind, count }),
    serve: (request, response, gone) => void serve(request, response, gone),
  })
  return server
}

import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { boundsOf, createBoundedServer } from '../../../src/shared/base/bounded-server.ts'
import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'

/** Telegram's updates are smaller than this. */
const maxBodyBytes = 4 * 1024 * 1024
const requestTimeoutMs = 15_000
/**
 * This is above the number of parallel requests that Telegram is allowed. A request above it gets 503, and
 * Telegram repeats it.
 */
const maxUnderway = 40
const logEveryMs = 60_000

export interface ListenerPorts extends Pick<ChannelPorts, 'elapsedMs' | 'log'> {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly secret: string
  /**
   * Resolves with the status of the answer: 200 when the update's message is on disk or done with, 503 when
   * it could not be kept, and 400 when the value is not an update.
   */
  handleUpdate(update: unknown): Promise<200 | 400 | 503>
}

export interface WebhookListener {
  /** Rejects when the port cannot be used. */
  open(): Promise<void>
  /** Resolves when every received update is on disk and every request is answered. */
  close(): Promise<void>
}

/** All digests have the same length, so the comparison takes the same time for every guess. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const readJson = async (
  request: IncomingMessage,
): Promise<{ readonly status: number } | { readonly value: unknown }> => {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return { status: 413 }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBodyBytes) return { status: 413 }
    chunks.push(chunk)
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown }
  } catch {
    return { status: 400 }
  }
}

/**
 * Receives Telegram's updates behind the owner's own proxy or tunnel. Every answer is a status without a
 * body, because Telegram would run a body as a Bot API call, and that call would bypass the tripwire. A
 * caller without the secret gets 403 and nothing else.
 */
export const createListener = (ports: ListenerPorts): WebhookListener => {
  const secret = digest(ports.secret)
  const underway = new Set<Promise<void>>()
  let refused = 0
  let loggedMs = -Infinity

  const refuse = (): number => {
    refused++
    if (ports.elapsedMs() - loggedMs >= logEveryMs) {
      ports.log('warn', 'telegram webhook: refused requests without the secret', { count: refused })
      loggedMs = ports.elapsedMs()
      refused = 0
    }
    return 403
  }

  const statusOf = async (request: IncomingMessage): Promise<number> => {
    const sentSecret = request.headers['x-telegram-bot-api-secret-token']
    if (!timingSafeEqual(digest(typeof sentSecret === 'string' ? sentSecret : ''), secret)) return refuse()
    know(request)
    if (request.url !== ports.path) return 404
    if (request.method !== 'POST') return 405
    if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) return 415
    if (underway.size > maxUnderway) return 503
    const body = await readJson(request)
    if ('status' in body) return body.status
    return ports.handleUpdate(body.value)
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const status = await statusOf(request).catch(() => 400)
    // The rest of an unread body is not waited for.
    const isUnread = !request.complete && request.headers['content-length'] !== '0'
    response.writeHead(status, {
      'content-length': '0',
      ...(status !== 200 && isUnread ? { connection: 'close' } : {}),
    })
    response.end()
  }

  const { server, know } = createBoundedServer({
    ...boundsOf('webhook'),
    requestMs: requestTimeoutMs,
    full: (count) =>
      ports.log('warn', 'telegram webhook: closed some connections because there were too many', { count }),
    serve: (request, response) => {
      const served = serve(request, response)
        .catch(() => {
          request.destroy()
        })
        .finally(() => underway.delete(served))
      underway.add(served)
    },
  })

  return {
    open: async () => {
      server.listen(ports.port, ports.host)
      await once(server, 'listening')
    },
    close: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      await Promise.all(underway)
      server.closeAllConnections()
      await closed
    },
  }
}

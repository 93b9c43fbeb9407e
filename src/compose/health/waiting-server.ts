import { listenOnLoopback, type Listening } from '../../../bots/web/http/listen.ts'
import { boundsOf } from '../../shared/base/bounded-server.ts'
import type { IncomingMessage, ServerResponse } from '../../shared/base/http.ts'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import { startingWords, waitingWords } from './unready.ts'

/** The server on the page's port while this gate waits for another one, until its own page listens there. */
export interface WaitingServer {
  /** Starts it, once. Rejects with a ProblemError when the port is taken. */
  open(): Promise<void>
  /** From now on the gate does not wait any more. */
  taken(): void
  /** Ends it. The port is free when this resolves. Never rejects. */
  close(): Promise<void>
}

const statusOf = (path: string | undefined): 200 | 404 | 503 =>
  path === '/healthz' ? 200 : path === '/readyz' ? 503 : 404

export const createWaitingServer = (port: number, log: ChannelPorts['log']): WaitingServer => {
  let listening: Promise<Listening | undefined> | undefined
  let words = waitingWords
  const serve = ({ method, url }: IncomingMessage, response: ServerResponse): void => {
    const status = method === 'GET' || method === 'HEAD' ? statusOf(url) : 404
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    response.end(status === 200 ? 'ok' : words)
  }
  const listen = (): Promise<Listening> =>
    listenOnLoopback(port, {
      ...boundsOf('page'),
      full: (count) => log('warn', 'closed some connections because there were too many', { count }),
      serve,
    })
  return {
    open: async () => {
      listening ??= listen()
      await listening
    },
    taken: () => {
      words = startingWords
    },
    close: async () => {
      const server = await listening?.catch(() => undefined)
      listening = Promise.resolve(undefined)
      await server?.stop().catch(() => undefined)
    },
  }
}

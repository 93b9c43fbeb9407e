import { once } from 'node:events'
import { boundsOf, createBoundedServer } from '../shared/base/bounded-server.ts'
import type { IncomingMessage, ServerResponse } from '../shared/base/http.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import { ProblemError } from '../core/model/gate/problem.ts'
import type { Metrics } from './metrics.ts'

export interface MetricsServer {
  readonly port: number
  /** Resolves when the port is free again. Never rejects. */
  stop(): Promise<void>
}

/** Only this machine gets an answer, and no web page that a name leads here. */
const isHere = ({ headers }: IncomingMessage): boolean =>
  /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? '')

/**
 * Serves the figures at `/metrics` of a port of 127.0.0.1, where a Prometheus server asks for them. Throws a
 * ProblemError when the port is not free.
 */
export const serveMetrics = async (
  { text }: Pick<Metrics, 'text'>,
  port: number,
  log: ChannelPorts['log'],
): Promise<MetricsServer> => {
  const answer = async ({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isAsked = (method === 'GET' || method === 'HEAD') && url === '/metrics'
    const body = isAsked ? await text() : 'Expected GET /metrics.\n'
    response.writeHead(isAsked ? 200 : 404, {
      'content-type': isAsked ? 'text/plain; version=0.0.4; charset=utf-8' : 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    response.end(body)
  }
  const { server } = createBoundedServer({
    ...boundsOf('metrics'),
    full: (count) =>
      log('warn', 'closed some connections for metrics because there were too many', { count }),
    serve: (request, response) => {
      if (isHere(request)) void answer(request, response)
      else response.writeHead(421).end()
    },
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException): never => {
    throw new ProblemError({
      code: 'metrics.port',
      message: `Expected port ${port} of 127.0.0.1 to be free for metrics, got ${error.code ?? error.message}.`,
      fix: 'Stop the program that uses it, or name another port in gate.yaml: `metrics: {port: …}`.',
    })
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}

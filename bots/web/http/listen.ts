import { once } from 'node:events'
import type { Server } from 'node:net'
import { createBoundedServer, type BoundedServer } from '../../../src/shared/base/bounded-server.ts'
import { ProblemError } from '../../../src/core/model/gate/problem.ts'
import { listenOnIpv6 } from './loopback.ts'

export interface Listening extends Pick<BoundedServer, 'know'> {
  readonly port: number
  /** Closes all connections. Resolves when the port is free again. */
  stop(): Promise<void>
}

/** With port 0, this many ports are tried until one is free on both addresses. */
const maxPorts = 10

const closed = async (server: Server): Promise<void> => {
  server.close()
  await once(server, 'close')
}

const portProblem = (which: string, why: string, requestedPort: number): ProblemError =>
  new ProblemError({
    code: 'web.port',
    message: `The web page cannot use port ${which}: ${why}.`,
    fix: `Stop that program, or choose another port with HOOKGATE_PORT=${requestedPort === 8790 ? 8791 : 8790}.`,
  })

const whyOf = ({ code }: NodeJS.ErrnoException): string | undefined =>
  code === 'EACCES' ? 'only root may use it' : code === 'EADDRINUSE' ? 'another program uses it' : undefined

/**
 * Listens on one port of both loopback addresses. Port 0 means any port that is free on both. Throws a
 * ProblemError when the port is not free.
 */
export const listenOnLoopback = async (
  requestedPort: number,
  options: Parameters<typeof createBoundedServer>[0],
  triesLeft = maxPorts,
): Promise<Listening> => {
  const { server, know } = createBoundedServer(options)
  server.listen(requestedPort, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException): never => {
    const why = whyOf(error)
    throw why === undefined ? error : portProblem(`${requestedPort} of 127.0.0.1`, why, requestedPort)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : requestedPort
  const ipv6 = await listenOnIpv6(port, server)
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await Promise.all([server, ...(typeof ipv6 === 'object' ? [ipv6] : [])].map(closed))
  }
  if (ipv6 !== 'foreign') return { port, know, stop }
  await stop()
  // A browser would try ::1 first and send the login to the program that listens there.
  if (requestedPort !== 0 || triesLeft <= 1) {
    throw portProblem(`${port} of ::1`, 'another program uses it', requestedPort)
  }
  return listenOnLoopback(requestedPort, options, triesLeft - 1)
}

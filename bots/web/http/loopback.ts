import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Server as HttpServer } from '../../../src/shared/base/http.ts'

/**
 * Makes a random host name of this machine. Browsers resolve every name under `localhost` to this machine
 * (RFC
 * 6761) and separate the storage, keys and service workers of each name. The name has 64 random bits, so
 * nobody can
 * prepare the name of a later start.
 */
export const newName = (): string => `${randomBytes(8).toString('hex')}.localhost`

/**
 * The server on ::1. `absent` means that the machine has no IPv6. `foreign` means that another program uses
 * the port there.
 */
export type Ipv6 = Server | 'absent' | 'foreign'

/**
 * Listens on ::1 and passes each connection to the page's server with its limits. Browsers try ::1 first for
 * a name under `localhost`.
 */
export const listenOnIpv6 = async (port: number, page: HttpServer): Promise<Ipv6> => {
  const server = createServer(
    { allowHalfOpen: true, noDelay: true },
    (socket) => void page.emit('connection', socket),
  )
  try {
    server.listen(port, '::1')
    await once(server, 'listening')
    return server
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' ? 'absent' : 'foreign'
  }
}

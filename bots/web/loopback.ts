import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Server as HttpServer } from '../../src/model/http.ts'

/**
 * A name of this machine that nobody could know before. Browsers find every name under `localhost` here by themselves
 * (RFC 6761), and keep what each of them stores apart: storage, keys, service workers. 64 bits: nobody can prepare
 * the one that a later start will have.
 */
export const newName = (): string => `${randomBytes(8).toString('hex')}.localhost`

/** The port on ::1. `absent`: the machine has no IPv6. `foreign`: another program holds it. */
export type Ipv6 = Server | 'absent' | 'foreign'

/** Hands what comes in on ::1, where browsers look first for a name under `localhost`, to the page's own server, with its bounds. */
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

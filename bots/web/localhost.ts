import { once } from 'node:events'
import type { Server } from 'node:http'
import { boundsOf, createBoundedServer } from '../../src/model/bounded-server.ts'

/** The port on ::1 that a browser asks first for “localhost”. `absent`: the machine has no IPv6. `foreign`: it is not ours. */
export type Localhost = Server | 'absent' | 'foreign'

/** Holds the port on ::1 as well, so that nobody else answers there: it sends whoever asks for `/` to the page itself, and has nothing else. */
export const holdLocalhost = async (port: number): Promise<Localhost> => {
  const { server } = createBoundedServer({
    ...boundsOf('localhost'),
    full: () => undefined,
    serve: (request, response) => {
      const isPage = request.method === 'GET' && request.url === '/'
      const location = isPage ? { location: `http://127.0.0.1:${port}/` } : {}
      const status = isPage ? 302 : 404
      response.writeHead(status, { ...location, 'cache-control': 'no-store', connection: 'close' }).end()
    },
  })
  try {
    server.listen(port, '::1')
    await once(server, 'listening')
    return server
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' ? 'absent' : 'foreign'
  }
}

import { Hono, type Context } from 'hono'
import { guard, headers, limitBody, maxSmallBytes, refuse } from './guard.ts'
import { logIn } from './login-route.ts'
import { createMisuse } from './misuse.ts'
import { createPasskeyRoutes } from '../passkeys/passkey-routes.ts'
import type { PageFile } from './page-files.ts'
import type { PagePorts } from './ports.ts'
import { createSessionRoutes } from './session-routes.ts'

/**
 * Makes the routes of the page. They change nothing in the gate. An action of the person becomes a message of
 * that person.
 */
export const createRoutes = (ports: PagePorts): Hono => {
  const { page } = ports
  const misuse = createMisuse(
    () => ports.elapsedMs(),
    (why) => ports.loginMisused(why),
  )
  const app = new Hono()
  const send = (c: Context, { bytes, type }: PageFile, status: 200 | 421 = 200): Response =>
    c.body(bytes, status, { 'Content-Type': type })
  const file = (c: Context, name: string): Response => {
    const found = page.files.get(name)
    return found === undefined ? (c.notFound() as Response) : send(c, found)
  }
  const lost = (c: Context): Response => {
    c.header('Clear-Site-Data', '"storage"')
    return send(c, page.lost, 421)
  }
  app.use(headers(page.importMap, ports.isRemote), guard(ports, lost))
  app.notFound((c) =>
    refuse(c, 404, 'web.path', 'Expected a path of this page, got another path.', 'Open / instead.'),
  )
  app.onError((error, c) => {
    ports.failed(error)
    return refuse(
      c,
      500,
      'web.fault',
      'Expected to answer the request, but hookgate failed.',
      'Try again. The log of hookgate has the cause.',
    )
  })
  app.get('/healthz', (c) => c.text('ok'))
  app.get('/readyz', (c) => {
    const why = ports.unready()
    return why === undefined ? c.text('ok') : c.text(why, 503)
  })
  app.get('/', (c) => (ports.isRemote ? send(c, page.remote) : file(c, 'index.html')))
  app.get('/page/:name{.+}', (c) => file(c, c.req.param('name')))
  if (ports.isRemote) app.route('/api/passkeys', createPasskeyRoutes(ports, misuse))
  else app.post('/api/login', limitBody(maxSmallBytes), logIn(ports, misuse))
  app.route('/api', createSessionRoutes(ports, misuse))
  return app
}

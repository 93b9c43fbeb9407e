import { Hono, type Context } from 'hono'
import { limitBody, maxSmallBytes } from './body.ts'
import type { Chat } from '../chat.ts'
import { guard, headers, refuse } from './guard.ts'
import { logIn, type LoginPorts } from './login-route.ts'
import { createMisuse } from './misuse.ts'
import { createPasskeyRoutes, type PasskeyRoutePorts } from '../passkeys/passkey-routes.ts'
import type { PageFiles } from './page-files.ts'
import { createSessionRoutes, type SessionPorts } from './session-routes.ts'
import type { Sessions } from './sessions.ts'

export interface RoutePorts extends LoginPorts, SessionPorts, PasskeyRoutePorts {
  readonly page: PageFiles
  readonly sessions: Sessions
  readonly chat: Chat
  /** Why this gate does not work now, as one line for anybody. Undefined: it works. */
  unready(): string | undefined
  elapsedMs(): number
  loginMisused(why: string): void
  failed(error: Error): void
}

/**
 * Makes the routes of the page. They change nothing in the gate. An action of the person becomes a message of
 * that person.
 */
export const createRoutes = (ports: RoutePorts): Hono => {
  const { page } = ports
  const misuse = createMisuse(
    () => ports.elapsedMs(),
    (why) => ports.loginMisused(why),
  )
  const app = new Hono()
  const file = (c: Context, name: string): Response => {
    const found = page.files.get(name)
    if (found === undefined) return c.notFound() as Response
    return c.body(found.bytes, 200, { 'Content-Type': found.type })
  }
  const remotePage = (c: Context): Response =>
    c.body(page.remote.bytes, 200, { 'Content-Type': page.remote.type })
  const lost = (c: Context): Response => {
    c.header('Clear-Site-Data', '"storage"')
    return c.body(page.lost.bytes, 421, { 'Content-Type': page.lost.type })
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
  app.get('/', (c) => (ports.isRemote ? remotePage(c) : file(c, 'index.html')))
  app.get('/page/:name{.+}', (c) => file(c, c.req.param('name')))
  if (ports.isRemote) app.route('/api/passkeys', createPasskeyRoutes(ports, misuse))
  else app.post('/api/login', limitBody(maxSmallBytes), logIn(ports, misuse))
  app.route('/api', createSessionRoutes(ports, misuse))
  return app
}

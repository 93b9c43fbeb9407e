import type { IncomingMessage } from 'node:http'
import { Hono, type Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import type { Chat } from './chat.ts'
import { getLogin, guard, headers, refuse } from './guard.ts'
import { createMisuse } from './misuse.ts'
import type { PageFiles } from './page-files.ts'
import { noProof, oldProof, readProof, refusalOf, type Proof } from './proof.ts'
import type { Sessions } from './sessions.ts'

const maxLoginBytes = 1024
const maxSayBytes = 1024 * 1024

const loginBody = z.strictObject({ login: z.string().max(200) })
const sayBody = z.strictObject({ text: z.string().refine((text) => text.trim() !== '') })
const pressBody = z.strictObject({
  press: z.string().regex(/^[\w-]{1,40}$/),
  message_id: z.string().max(100),
})
const logoutBody = z.strictObject({ everywhere: z.boolean().optional() })

export interface RoutePorts {
  readonly page: PageFiles
  readonly sessions: Sessions
  readonly chat: Chat
  /** The one name and port, as the Host header bears them, under which the page is. */
  host(): string
  now(): number
  elapsedMs(): number
  /** Whoever made this request holds a session. */
  known(request: IncomingMessage): void
  said(text: string): string
  pressed(press: string, messageId: string): void
  opened(): void
  /** A login was used. */
  entered(): void
  loginMisused(why: string): void
  failed(error: Error): void
}

const limit = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: (c) =>
      refuse(c, 413, 'web.size', `Expected at most ${maxSize} bytes, got more.`, 'Send a shorter text.'),
  })

const read = async <T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> => {
  const body: unknown = await c.req.json().catch(() => undefined)
  return schema.safeParse(body).data
}

const malformed = (c: Context, shape: string): Response =>
  refuse(c, 400, 'web.body', `Expected a JSON body ${shape}, got something else.`, 'Reload the page.')

/** Every route of the page. Nothing here decides about the gate: what the person does becomes a text of theirs. */
export const createRoutes = (ports: RoutePorts): Hono => {
  const { page, sessions, chat } = ports
  const misuse = createMisuse(
    () => ports.elapsedMs(),
    (why) => ports.loginMisused(why),
  )
  const app = new Hono()

  const known = (c: Context): void => {
    const incoming = (c.env as { readonly incoming?: IncomingMessage } | undefined)?.incoming
    if (incoming !== undefined) ports.known(incoming)
  }
  const sweep = (): void => chat.sweep((id) => sessions.isLive(id))
  const proofOf = (c: Context): Proof =>
    readProof(c.req.header('dpop') ?? '', {
      method: c.req.method,
      url: `http://${c.req.header('host')}${c.req.path}`,
      atMs: ports.now(),
    })
  /** Whether a session's word comes from the browser that opened it. Whoever else says it has read it, and that is an alarm. */
  const isHeld = (
    c: Context,
    { holder }: NonNullable<ReturnType<Sessions['find']>>,
    scheme: string,
    word: string,
  ): boolean => {
    const why = scheme === 'DPoP' ? refusalOf(holder, word, proofOf(c)) : noProof
    if (why !== undefined && why !== oldProof)
      misuse.report(
        `A session of the web page was tried ${why}, and refused. If you do not know why, log out all tabs.`,
      )
    return why === undefined
  }
  /** Says the gate's time: a tab whose clock is wrong goes by it and tries again. */
  const unproved = (c: Context, code: string, message: string, fix: string): Response => {
    c.header('Date', new Date(ports.now()).toUTCString())
    return refuse(c, 401, code, message, fix)
  }
  const file = (c: Context, name: string): Response => {
    const found = page.files.get(name)
    if (found === undefined) return c.notFound() as Response
    return c.body(found.bytes, 200, { 'Content-Type': found.type })
  }

  const lost = (c: Context): Response => {
    c.header('Clear-Site-Data', '"storage"')
    return c.body(page.lost.bytes, 421, { 'Content-Type': page.lost.type })
  }
  app.use(
    headers(page.importMap),
    guard(() => ports.host(), lost),
  )
  app.notFound((c) =>
    refuse(c, 404, 'web.path', 'Expected a path of this page, got another.', 'Open / instead.'),
  )
  app.onError((error, c) => {
    ports.failed(error)
    return refuse(
      c,
      500,
      'web.fault',
      'Expected to answer, but hookgate failed.',
      'See its log, and try again.',
    )
  })

  app.get('/healthz', (c) => c.text('ok'))
  app.get('/', (c) => file(c, 'index.html'))
  app.get('/page/:name{.+}', (c) => file(c, c.req.param('name')))

  app.post('/api/login', limit(maxLoginBytes), async (c) => {
    const body = await read(c, loginBody)
    if (body === undefined) return malformed(c, '{login}')
    const proof = proofOf(c)
    if (!proof.isGood)
      return unproved(
        c,
        'web.proof',
        'Expected a proof of the page’s key (DPoP), got none that holds.',
        'Reload the page, and set the clock if it is wrong.',
      )
    const redeemed = sessions.redeem(body.login, proof.thumbprint)
    if (redeemed.kind === 'opened') {
      known(c)
      ports.entered()
      sweep()
      return c.json({ session: redeemed.session })
    }
    // An old login that nobody used opened nothing and was secret once: no alarm, only a new one to fetch.
    if (redeemed.kind === 'expired') {
      return refuse(
        c,
        403,
        'web.login_expired',
        'Expected a login at most 5 minutes old, got an older one.',
        getLogin,
      )
    }
    const isUsed = redeemed.kind === 'used'
    const isCounted = misuse.report(
      isUsed
        ? 'A login of the web page that was already used was tried again.'
        : 'A login of the web page that hookgate never gave was tried.',
    )
    if (!isCounted)
      return refuse(c, 429, 'web.login_rate', 'Expected few wrong logins, got too many.', getLogin)
    return isUsed
      ? refuse(c, 403, 'web.login_used', 'Expected an unused login, got one that was used.', getLogin)
      : refuse(c, 403, 'web.login_unknown', 'Expected a login from the console, got another.', getLogin)
  })

  const session = new Hono<{ Variables: { id: string } }>()
  session.use(async (c, next) => {
    const [, scheme = '', word = ''] =
      /^(DPoP|Bearer) ([\w-]{1,200})$/.exec(c.req.header('authorization') ?? '') ?? []
    const found = sessions.find(word)
    if (found === undefined || !isHeld(c, found, scheme, word)) {
      return unproved(c, 'web.session', 'Expected a session, got none or one that has ended.', getLogin)
    }
    known(c)
    c.set('id', found.id)
    return next()
  })
  session.post('/say', limit(maxSayBytes), async (c) => {
    const body = await read(c, sayBody)
    if (body === undefined) return malformed(c, '{text} with a text that is not empty')
    return c.json({ message_id: ports.said(body.text.toWellFormed()) }, 202)
  })
  session.post('/press', limit(maxLoginBytes), async (c) => {
    const body = await read(c, pressBody)
    if (body === undefined) return malformed(c, '{press, message_id}')
    ports.pressed(body.press, body.message_id)
    return c.body(null, 202)
  })
  session.get('/stream', (c) => {
    const lines = chat.open(c.get('id'))
    if (lines === undefined) {
      return refuse(c, 429, 'web.tabs', 'Expected at most 16 open tabs, got more.', 'Close one of them.')
    }
    ports.opened()
    return c.body(lines, 200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' })
  })
  // A picture is shown and a file is saved by the page, which fetches it; opened by itself it is only something to save.
  session.get('/files/:id', async (c) => {
    const found = chat.file(c.req.param('id'))
    if (found === undefined)
      return refuse(
        c,
        404,
        'web.file',
        'Expected a file that is still kept, got one that is no longer here.',
        'Ask the agent to send it again.',
      )
    return c.body(await found.file.arrayBuffer(), 200, {
      'Content-Type': found.type,
      'Content-Disposition': 'attachment',
    })
  })
  session.post('/logout', limit(maxLoginBytes), async (c) => {
    const body = await read(c, logoutBody)
    if (body === undefined) return malformed(c, '{everywhere?}')
    if (body.everywhere === true) sessions.endAll()
    else sessions.end(c.get('id'))
    sweep()
    return c.body(null, 204)
  })
  app.route('/api', session)
  return app
}

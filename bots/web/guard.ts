import type { Context, MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The one shape of an error answer: what was expected, what came, what to do. */
export const refuse = (
  c: Context,
  status: ContentfulStatusCode,
  code: string,
  message: string,
  fix: string,
): Response => c.json({ error: { code, message, fix } }, status)

/** What a browser may do with anything from here: no foreign source, no inline script but the import map, no frame. */
export const headers = (importMap: string): MiddlewareHandler =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", importMap],
      styleSrc: ["'self'"],
      connectSrc: ["'self'"],
      // What the page itself fetched in its session's name: nothing that could run.
      imgSrc: ["'self'", 'blob:'],
      mediaSrc: ['blob:'],
      // The page has no worker: who finds a way to run a script in it leaves none behind.
      workerSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      // Text that was set as markup would throw instead of being parsed.
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // Plain HTTP on loopback: the browser would ignore it.
    strictTransportSecurity: false,
  })

export const getLogin = 'Press Enter in the console where hookgate runs and open the address that it prints.'

/** What is served under every name of this machine. None of it has any power. */
const isForAnybody: ReadonlySet<string> = new Set(['/healthz', '/page/style.css', '/page/icon.svg'])

/** The addresses that a person may have kept: the fixed ones, and the name of an earlier start. */
const isOfThisMachine = (asked: string, own: string): boolean => {
  const { port } = new URL(`http://${own}`)
  const end = port === '' ? '' : `:${port}`
  return (
    asked.endsWith(end) &&
    /^(127\.0\.0\.1|localhost|[0-9a-f]{16}\.localhost)$/.test(asked.slice(0, asked.length - end.length))
  )
}

/**
 * A browser asks anew for the script of a service worker that it keeps for this address. Ours is never one, so somebody
 * else put it there while hookgate was away. This takes its place at once, serves nothing and goes.
 */
const leave = `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(registration.unregister()))
`
const goes = (c: Context): Response =>
  // The old one's reach may be wider than its path.
  c.body(leave, 200, { 'Content-Type': 'text/javascript; charset=utf-8', 'Service-Worker-Allowed': '/' })

/**
 * Refuses what another site's page could make a browser send: a foreign name that was pointed at 127.0.0.1
 * (the Host is wrong), and cross-site requests (Origin or Sec-Fetch-Site is). It does not authenticate anybody.
 * `own`: the Host of this start. Whatever an earlier holder of the port left in the browser belongs to another.
 */
export const guard =
  (own: () => string, lost: (c: Context) => Response): MiddlewareHandler =>
  async (c, next) => {
    c.header('Cache-Control', 'no-store')
    const host = c.req.header('host') ?? ''
    const isOwn = host === own()
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    const isHere = isOwn || (isRead && isOfThisMachine(host, own()))
    if (isHere && c.req.header('service-worker') === 'script') return goes(c)
    if (isHere && !isOwn && c.req.path === '/') return lost(c)
    if (!isOwn && !(isHere && isForAnybody.has(c.req.path))) {
      return refuse(
        c,
        421,
        'web.host',
        'Expected the Host header to be that of this start of hookgate, got another.',
        getLogin,
      )
    }
    const origin = c.req.header('origin')
    if (origin === undefined ? !isRead : origin !== `http://${host}`) {
      return refuse(
        c,
        403,
        'web.origin',
        `Expected the Origin header to be http://${host}, got ${origin === undefined ? 'none' : 'another'}.`,
        getLogin,
      )
    }
    const site = c.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return refuse(
        c,
        403,
        'web.site',
        'Expected a request from this page, got one that another site caused.',
        getLogin,
      )
    }
    return next()
  }

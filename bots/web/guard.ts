import type { Context, MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The one shape of an error answer: what was expected, what came, what to do. */
export const refuse = (c: Context, status: ContentfulStatusCode, code: string, message: string, fix: string): Response =>
  c.json({ error: { code, message, fix } }, status)

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

/**
 * Refuses what another site's page could make a browser send: a foreign name that was pointed at 127.0.0.1
 * (the Host is wrong), and cross-site requests (Origin or Sec-Fetch-Site is). It does not authenticate anybody.
 */
export const guard =
  (port: () => number): MiddlewareHandler =>
  async (c, next) => {
    c.header('Cache-Control', 'no-store')
    const open = `Open http://127.0.0.1:${port()}/ itself in the browser's address bar.`
    const host = c.req.header('host') ?? ''
    // `URL.host` leaves out port 80, as browsers do.
    const hosts = ['127.0.0.1', 'localhost'].map((name) => new URL(`http://${name}:${port()}`).host)
    if (!hosts.includes(host)) {
      return refuse(c, 421, 'web.host', `Expected the Host header to be ${hosts.join(' or ')}, got another.`, open)
    }
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    const origin = c.req.header('origin')
    if (origin === undefined ? !isRead : origin !== `http://${host}`) {
      return refuse(c, 403, 'web.origin', `Expected the Origin header to be http://${host}, got ${origin === undefined ? 'none' : 'another'}.`, open)
    }
    const site = c.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return refuse(c, 403, 'web.site', 'Expected a request from this page, got one that another site caused.', open)
    }
    return next()
  }

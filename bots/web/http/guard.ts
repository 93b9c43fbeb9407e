import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { secureHeaders } from 'hono/secure-headers'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { PageAccess } from './access.ts'

/**
 * Makes an error answer. Every error answer has this shape. `message` says what was expected and what came;
 * `fix` says what to do.
 */
export const refuse = (
  c: Context,
  status: ContentfulStatusCode,
  code: string,
  message: string,
  fix: string,
): Response => c.json({ error: { code, message, fix } }, status)

/** The limit for every body except a message. */
export const maxSmallBytes = 1024

/** Refuses a longer body. It has to run before the code that reads the body. */
export const limitBody = (maxBytes: number) =>
  bodyLimit({
    maxSize: maxBytes,
    onError: (c) =>
      refuse(c, 413, 'web.size', `Expected at most ${maxBytes} bytes, got more.`, 'Send a shorter text.'),
  })

/** Reads a JSON body. Undefined when it does not match the schema. */
export const readBody = async <T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> => {
  const body: unknown = await c.req.json().catch(() => undefined)
  return schema.safeParse(body).data
}

/** Refuses a body that does not match. `shape` describes the expected body for people. */
export const refuseBody = (c: Context, shape: string): Response =>
  refuse(c, 400, 'web.body', `Expected a JSON body ${shape}, got something else.`, 'Reload the page.')

/**
 * The security headers of every answer. They allow no foreign source, no inline script except the import map,
 * and no frame.
 */
export const headers = (importMap: string, isRemote: boolean): MiddlewareHandler =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", importMap],
      styleSrc: ["'self'"],
      connectSrc: ["'self'"],
      // The page shows files that it fetched with its session as blobs. A picture or a sound cannot run code.
      imgSrc: ["'self'", 'blob:'],
      mediaSrc: ['blob:'],
      ...(isRemote ? { manifestSrc: ["'self'"] } : {}),
      /*
       * On this machine the page has no worker. This also stops an injected script from installing one. At an
       * address that stays, phones need one to show notifications.
       */
      workerSrc: [isRemote ? "'self'" : "'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      // Setting a text as markup throws an error instead of parsing it.
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: [isRemote ? 'notify-worker' : "'none'"],
    },
    xFrameOptions: 'DENY',
    // Browsers ignore this header over plain HTTP.
    strictTransportSecurity: false,
  })

export const getLogin = 'Press Enter in the console where hookgate runs and open the address that it prints.'

const getPasskey = 'Log in with your passkey. To make one, send /login to hookgate in your chat.'

/** How one gets into the page. `isRemote`: it has an address of its own behind the owner's proxy. */
export const wayIn = (isRemote: boolean): string => (isRemote ? getPasskey : getLogin)

/** The paths that are served under every name of this machine. They give no access to anything. */
const isForAnybody: ReadonlySet<string> = new Set([
  '/healthz',
  '/readyz',
  '/page/styles/style.css',
  '/page/icon.svg',
])

/** True for the addresses that a person may have stored: the fixed ones and those of earlier starts. */
const isOfThisMachine = (host: string, own: string): boolean => {
  const { port } = new URL(`http://${own}`)
  const end = port === '' ? '' : `:${port}`
  return (
    host.endsWith(end) &&
    /^(127\.0\.0\.1|localhost|[0-9a-f]{16}\.localhost)$/.test(host.slice(0, host.length - end.length))
  )
}

/**
 * A browser requests the script of a stored service worker again. hookgate never installs one, so another
 * program did while hookgate did not run. This script replaces it at once, serves nothing and removes itself.
 */
const removalScript = `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(registration.unregister()))
`
const removeWorker = (c: Context): Response =>
  // The scope of the old service worker may be wider than its path.
  c.body(removalScript, 200, {
    'Content-Type': 'text/javascript; charset=utf-8',
    'Service-Worker-Allowed': '/',
  })

/** The script of the page's own service worker, at an address that stays. */
const ownWorker = '/page/notify/worker.js'

/**
 * Refuses requests that the page of another site could make a browser send. Such a request has a wrong Host
 * (a foreign name that resolves to 127.0.0.1), a wrong Origin, or a wrong Sec-Fetch-Site. The guard does not
 * authenticate anybody. `own` gives the address of this start. Data that another program left in the browser
 * belongs to another Host. At an address behind a proxy, no other Host is answered at all.
 */
export const guard =
  (
    { url: own, isRemote }: Pick<PageAccess, 'url' | 'isRemote'>,
    lost: (c: Context) => Response,
  ): MiddlewareHandler =>
  async (c, next) => {
    c.header('Cache-Control', 'no-store')
    const url = own()
    const ownHost = new URL(url).host
    const host = c.req.header('host') ?? ''
    const isOwn = host === ownHost
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    const isHere = isOwn || (isRead && !isRemote && isOfThisMachine(host, ownHost))
    const isWorker = c.req.header('service-worker') === 'script'
    if (isHere && isWorker) {
      if (!isRemote || c.req.path !== ownWorker) return removeWorker(c)
      // It also has to replace a worker of a wider scope that another program left at this path.
      c.header('Service-Worker-Allowed', '/')
    }
    if (isHere && !isOwn && c.req.path === '/') return lost(c)
    const no = (status: 421 | 403, code: string, message: string): Response =>
      refuse(c, status, code, message, wayIn(isRemote))
    if (!isOwn && !(isHere && isForAnybody.has(c.req.path)))
      return no(
        421,
        'web.host',
        'Expected the Host header to be that of this start of hookgate, got another.',
      )
    const origin = c.req.header('origin')
    const expected = isOwn ? url : `http://${host}`
    if (origin === undefined ? !isRead : origin !== expected) {
      const got = origin === undefined ? 'none' : 'another'
      return no(403, 'web.origin', `Expected the Origin header to be ${expected}, got ${got}.`)
    }
    const site = c.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      return no(403, 'web.site', 'Expected a request from this page, got one that another site caused.')
    return next()
  }

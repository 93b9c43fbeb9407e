import type { IncomingMessage } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import { refuse, wayIn } from './guard.ts'
import type { Misuse } from './misuse.ts'
import type { PagePorts } from './ports.ts'
import { noProof, oldProof, readProof, refusalOf, type Holder, type Proof } from './proof.ts'

/** The session's id, which the later routes can read. */
export interface InSession {
  readonly Variables: { id: string }
}

/** The longest tag of a language that is read, in characters. */
const maxTagUnits = 35

/** The language that the page shows, which it sends with each request. */
export const languageOf = (c: Context): string | undefined =>
  c.req.header('Accept-Language')?.split(/[,;]/, 1)[0]?.trim().slice(0, maxTagUnits)

/** The longest name of a time zone that is read, in characters. */
const maxZoneUnits = 60

/** The time zone of the browser, as it names it. */
export const zoneOf = (c: Context): string | undefined => c.req.header('X-Time-Zone')?.slice(0, maxZoneUnits)

/**
 * Tells the server that the caller has a session. In a test without a server there is no caller to report.
 */
const tellKnown = (c: Context, known: PagePorts['known']): void => {
  const incoming = (c.env as { readonly incoming?: IncomingMessage } | undefined)?.incoming
  if (incoming !== undefined) known(incoming)
}

/** Reads the DPoP proof of a request. */
const proofOf = (c: Context, { now, url }: PagePorts): Proof =>
  readProof(c.req.header('dpop') ?? '', { method: c.req.method, url: `${url()}${c.req.path}`, atMs: now() })

/** Refuses a request and gives the gate's time. A tab with a wrong clock uses that time and tries again. */
const refuseUnproved = (c: Context, atMs: number, code: string, message: string, fix: string): Response => {
  c.header('Date', new Date(atMs).toUTCString())
  return refuse(c, 401, code, message, fix)
}

/** The thumbprint of the page's key, or the refusal of a request that does not prove that it has one. */
export const thumbprintOf = (c: Context, ports: PagePorts): string | Response => {
  const proof = proofOf(c, ports)
  return proof.isGood
    ? proof.thumbprint
    : refuseUnproved(
        c,
        ports.now(),
        'web.proof',
        'Expected a valid proof of the page’s key (DPoP), got none.',
        'Reload the page. Correct the clock of this device if it is wrong.',
      )
}

/** Opens a session, which is bound to the page's key and ends when it stands no more. */
export const openSession = (
  c: Context,
  { sessions, chat, known }: PagePorts,
  thumbprint: string,
  stands: () => boolean,
): Response => {
  const session = sessions.open(thumbprint, stands)
  tellKnown(c, known)
  // A new session may end the oldest one. This closes its tabs.
  chat.sweep((id) => sessions.isLive(id))
  return c.json({ session })
}

/**
 * Allows only requests with a session and a proof that they come from the browser that opened the session.
 */
export const authenticate = (ports: PagePorts, misuse: Misuse): MiddlewareHandler<InSession> => {
  /**
   * True when the request comes from the session's browser. Otherwise somebody has read the session, and an
   * alarm is raised.
   */
  const isFromItsBrowser = (c: Context, holder: Holder, scheme: string, secret: string): boolean => {
    const why = scheme === 'DPoP' ? refusalOf(holder, secret, proofOf(c, ports)) : noProof
    if (why !== undefined && why !== oldProof)
      misuse.report(
        `A session of the web page was tried ${why} and was refused. If you do not know the reason, log out all tabs.`,
      )
    return why === undefined
  }
  return async (c, next) => {
    const [, scheme = '', secret = ''] =
      /^(DPoP|Bearer) ([\w-]{1,200})$/.exec(c.req.header('authorization') ?? '') ?? []
    const found = ports.sessions.find(secret)
    if (found === undefined || !isFromItsBrowser(c, found.holder, scheme, secret))
      return refuseUnproved(
        c,
        ports.now(),
        'web.session',
        'Expected a session, got none or one that has ended.',
        wayIn(ports.isRemote),
      )
    tellKnown(c, ports.known)
    c.set('id', found.id)
    return next()
  }
}

import type { IncomingMessage } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import { refuse, wayIn, type PageAddress } from './guard.ts'
import type { Misuse } from './misuse.ts'
import { noProof, oldProof, readProof, refusalOf, type Holder, type Proof } from './proof.ts'
import type { Sessions } from './sessions.ts'

export interface AuthenticationPorts extends PageAddress {
  readonly sessions: Pick<Sessions, 'find'>
  now(): number
  /** Reports that the sender of this request has a session. */
  known(request: IncomingMessage): void
}

/** The session's id, which the later routes can read. */
export interface InSession {
  readonly Variables: { id: string }
}

/**
 * Tells the server that the caller has a session. In a test without a server there is no caller to report.
 */
export const tellKnown = (c: Context, known: AuthenticationPorts['known']): void => {
  const incoming = (c.env as { readonly incoming?: IncomingMessage } | undefined)?.incoming
  if (incoming !== undefined) known(incoming)
}

/** Reads the DPoP proof of a request. `url` is that of the page. */
export const proofOf = (c: Context, atMs: number, url: string): Proof =>
  readProof(c.req.header('dpop') ?? '', {
    method: c.req.method,
    url: `${url}${c.req.path}`,
    atMs,
  })

/** Refuses a request and gives the gate's time. A tab with a wrong clock uses that time and tries again. */
export const refuseUnproved = (
  c: Context,
  atMs: number,
  code: string,
  message: string,
  fix: string,
): Response => {
  c.header('Date', new Date(atMs).toUTCString())
  return refuse(c, 401, code, message, fix)
}

/**
 * Allows only requests with a session and a proof that they come from the browser that opened the session.
 */
export const authenticate = (ports: AuthenticationPorts, misuse: Misuse): MiddlewareHandler<InSession> => {
  /**
   * True when the request comes from the session's browser. Otherwise somebody has read the session, and an
   * alarm is raised.
   */
  const isFromItsBrowser = (c: Context, holder: Holder, scheme: string, secret: string): boolean => {
    const why = scheme === 'DPoP' ? refusalOf(holder, secret, proofOf(c, ports.now(), ports.url())) : noProof
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

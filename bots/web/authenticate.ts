import type { IncomingMessage } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import { getLogin, refuse } from './guard.ts'
import type { Misuse } from './misuse.ts'
import { noProof, oldProof, readProof, refusalOf, type Holder, type Proof } from './proof.ts'
import type { Sessions } from './sessions.ts'

export interface AuthenticationPorts {
  readonly sessions: Pick<Sessions, 'find'>
  now(): number
  /** Whoever made this request holds a session. */
  known(request: IncomingMessage): void
}

/** What the routes behind it can read of the session: its id. */
export interface InSession {
  readonly Variables: { id: string }
}

/** Tells the server that this caller holds a session. An app that is called without a server has no such caller. */
export const tellKnown = (c: Context, known: AuthenticationPorts['known']): void => {
  const incoming = (c.env as { readonly incoming?: IncomingMessage } | undefined)?.incoming
  if (incoming !== undefined) known(incoming)
}

/** The proof (DPoP) that a request bears. */
export const proofOf = (c: Context, atMs: number): Proof =>
  readProof(c.req.header('dpop') ?? '', {
    method: c.req.method,
    url: `http://${c.req.header('host')}${c.req.path}`,
    atMs,
  })

/** Says the gate's time: a tab whose clock is wrong goes by it and tries again. */
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

/** Lets a request pass that names a session and proves that it comes from the browser which opened that session. */
export const authenticate = (ports: AuthenticationPorts, misuse: Misuse): MiddlewareHandler<InSession> => {
  /** Whoever else says a session's word has read it, and that is an alarm. */
  const isHeld = (c: Context, holder: Holder, scheme: string, word: string): boolean => {
    const why = scheme === 'DPoP' ? refusalOf(holder, word, proofOf(c, ports.now())) : noProof
    if (why !== undefined && why !== oldProof)
      misuse.report(
        `A session of the web page was tried ${why}, and refused. If you do not know why, log out all tabs.`,
      )
    return why === undefined
  }
  return async (c, next) => {
    const [, scheme = '', word = ''] =
      /^(DPoP|Bearer) ([\w-]{1,200})$/.exec(c.req.header('authorization') ?? '') ?? []
    const found = ports.sessions.find(word)
    if (found === undefined || !isHeld(c, found.holder, scheme, word))
      return refuseUnproved(
        c,
        ports.now(),
        'web.session',
        'Expected a session, got none or one that has ended.',
        getLogin,
      )
    tellKnown(c, ports.known)
    c.set('id', found.id)
    return next()
  }
}

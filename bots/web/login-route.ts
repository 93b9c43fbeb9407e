import type { Context } from 'hono'
import { z } from 'zod'
import { proofOf, refuseUnproved, tellKnown, type AuthenticationPorts } from './authenticate.ts'
import { readBody, refuseBody } from './body.ts'
import type { Chat } from './chat.ts'
import { getLogin, refuse } from './guard.ts'
import type { Misuse } from './misuse.ts'
import type { Sessions } from './sessions.ts'

export interface LoginPorts extends Pick<AuthenticationPorts, 'now' | 'known'> {
  readonly sessions: Pick<Sessions, 'redeem' | 'isLive'>
  readonly chat: Pick<Chat, 'sweep'>
  /** A login was used. */
  entered(): void
}

const loginBody = z.strictObject({ login: z.string().max(200) })

const refuseExpired = (c: Context): Response =>
  refuse(c, 403, 'web.login_expired', 'Expected a login at most 5 minutes old, got an older one.', getLogin)

const refuseMisused = (c: Context, isUsed: boolean, misuse: Misuse): Response => {
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
}

/** Exchanges a one-time login for a session, which is bound to the key that the request proves. */
export const logIn =
  (ports: LoginPorts, misuse: Misuse) =>
  async (c: Context): Promise<Response> => {
    const body = await readBody(c, loginBody)
    if (body === undefined) return refuseBody(c, '{login}')
    const proof = proofOf(c, ports.now())
    if (!proof.isGood)
      return refuseUnproved(
        c,
        ports.now(),
        'web.proof',
        'Expected a proof of the page’s key (DPoP), got none that holds.',
        'Reload the page, and set the clock if it is wrong.',
      )
    const redeemed = ports.sessions.redeem(body.login, proof.thumbprint)
    switch (redeemed.kind) {
      case 'opened':
        tellKnown(c, ports.known)
        ports.entered()
        // The oldest session ends where there are too many.
        ports.chat.sweep((id) => ports.sessions.isLive(id))
        return c.json({ session: redeemed.session })
      case 'expired':
        // It opened nothing and was secret once: no alarm, only a new one to fetch.
        return refuseExpired(c)
      case 'used':
      case 'unknown':
        return refuseMisused(c, redeemed.kind === 'used', misuse)
    }
  }

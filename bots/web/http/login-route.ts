import type { Context } from 'hono'
import { z } from 'zod'
import { proofOf, refuseUnproved, tellKnown, type AuthenticationPorts } from './authenticate.ts'
import { readBody, refuseBody } from './body.ts'
import type { Chat } from '../chat.ts'
import { getLogin, refuse } from './guard.ts'
import type { PasskeyPorts } from '../passkeys/passkey-routes.ts'
import type { Misuse } from './misuse.ts'
import { languageOf } from './session-routes.ts'
import type { Sessions } from './sessions.ts'

export interface LoginPorts extends Pick<AuthenticationPorts, 'now' | 'known' | 'url'> {
  readonly sessions: Pick<Sessions, 'redeem' | 'open' | 'isLive'>
  readonly chat: Pick<Chat, 'sweep'>
  readonly passkeys: PasskeyPorts
  /** Reports that a login was used, with the language of the page as a tag. */
  entered(language: string | undefined): Promise<void>
}

const loginBody = z.strictObject({ login: z.string().max(200) })

const refuseExpired = (c: Context): Response =>
  refuse(c, 403, 'web.login_expired', 'Expected a login at most 5 minutes old, got an older one.', getLogin)

const refuseMisused = (c: Context, isUsed: boolean, misuse: Misuse): Response => {
  const isCounted = misuse.report(
    isUsed
      ? 'Somebody tried a used login of the web page again.'
      : 'Somebody tried a login of the web page that hookgate never made.',
  )
  if (!isCounted)
    return refuse(
      c,
      429,
      'web.login_rate',
      'Expected at most 10 wrong logins in a minute, got more.',
      getLogin,
    )
  return isUsed
    ? refuse(c, 403, 'web.login_used', 'Expected an unused login, got one that was used.', getLogin)
    : refuse(
        c,
        403,
        'web.login_unknown',
        'Expected a login from the console, got an unknown login.',
        getLogin,
      )
}

/** Exchanges a one-time login for a session. The session is bound to the key of the request's proof. */
export const logIn =
  (ports: LoginPorts, misuse: Misuse) =>
  async (c: Context): Promise<Response> => {
    const body = await readBody(c, loginBody)
    if (body === undefined) return refuseBody(c, '{login}')
    const proof = proofOf(c, ports.now(), ports.url())
    if (!proof.isGood)
      return refuseUnproved(
        c,
        ports.now(),
        'web.proof',
        'Expected a valid proof of the page’s key (DPoP), got none.',
        'Reload the page. Correct the clock of this device if it is wrong.',
      )
    const redeemed = ports.sessions.redeem(body.login)
    switch (redeemed.kind) {
      case 'good': {
        const { owner } = redeemed
        const stands = (): boolean => owner === '' || ports.passkeys.mayEnter(owner)
        if (!stands()) return refuseExpired(c)
        const session = ports.sessions.open(proof.thumbprint, stands)
        tellKnown(c, ports.known)
        await ports.entered(languageOf(c))
        // A new session may end the oldest one. This closes its tabs.
        ports.chat.sweep((id) => ports.sessions.isLive(id))
        return c.json({ session })
      }
      case 'expired':
        // Nobody used this login, so an expired one raises no alarm.
        return refuseExpired(c)
      case 'used':
      case 'unknown':
        return refuseMisused(c, redeemed.kind === 'used', misuse)
    }
  }

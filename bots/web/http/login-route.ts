import type { Context } from 'hono'
import { z } from 'zod'
import { languageOf, openSession, thumbprintOf } from './authenticate.ts'
import { getLogin, readBody, refuse, refuseBody } from './guard.ts'
import type { Misuse } from './misuse.ts'
import type { PagePorts } from './ports.ts'

const loginBody = z.strictObject({ login: z.string().max(200) })

const refuseExpired = (c: Context): Response =>
  refuse(c, 403, 'web.login_expired', 'Expected a login at most 5 minutes old, got an older one.', getLogin)

const refuseMisused = (c: Context, isUsed: boolean, misuse: Misuse): Response => {
  const isCounted = misuse.report(
    isUsed
      ? 'Somebody tried a used login of the web page again.'
      : 'Somebody tried a login of the web page that hookgate never made.',
  )
  const no = (status: 429 | 403, code: string, message: string): Response =>
    refuse(c, status, code, message, getLogin)
  if (!isCounted) return no(429, 'web.login_rate', 'Expected at most 10 wrong logins in a minute, got more.')
  return isUsed
    ? no(403, 'web.login_used', 'Expected an unused login, got one that was used.')
    : no(403, 'web.login_unknown', 'Expected a login from the console, got an unknown login.')
}

/** Exchanges a one-time login for a session. The session is bound to the key of the request's proof. */
export const logIn =
  (ports: PagePorts, misuse: Misuse) =>
  async (c: Context): Promise<Response> => {
    const body = await readBody(c, loginBody)
    if (body === undefined) return refuseBody(c, '{login}')
    const thumbprint = thumbprintOf(c, ports)
    if (typeof thumbprint !== 'string') return thumbprint
    const redeemed = ports.sessions.redeem(body.login)
    // Nobody used an expired login, so it raises no alarm.
    if (redeemed.kind === 'expired') return refuseExpired(c)
    if (redeemed.kind !== 'good') return refuseMisused(c, redeemed.kind === 'used', misuse)
    const { owner } = redeemed
    const stands = (): boolean => owner === '' || ports.passkeys.mayEnter(owner)
    if (!stands()) return refuseExpired(c)
    const opened = openSession(c, ports, thumbprint, stands)
    await ports.entered(languageOf(c))
    return opened
  }

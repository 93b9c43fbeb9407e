import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createHolder, type Holder } from './proof.ts'

const loginTtlMs = 5 * 60_000
const sessionTtlMs = 12 * 3_600_000
const maxLogins = 16
const maxSessions = 8

/** Only the SHA-256 of a secret is stored, so that no secret can be read from memory. */
interface StoredSession {
  readonly id: string
  readonly digest: Buffer
  readonly untilMs: number
}

interface Login extends StoredSession {
  isUsed: boolean
}

interface PageSession extends StoredSession {
  readonly holder: Holder
}

export type Redeemed =
  | { readonly kind: 'opened'; readonly session: string }
  | { readonly kind: 'used' | 'expired' | 'unknown' }

export interface Sessions {
  mintLogin(): string
  /** Makes every unused login count as expired. */
  expireLogins(): void
  /** Uses a login. The new session is bound to the key with this thumbprint. */
  redeem(login: string, thumbprint: string): Redeemed
  /**
   * Finds a live session by its secret. Undefined when there is none. The result does not contain the secret.
   */
  find(session: string): { readonly id: string; readonly holder: Holder } | undefined
  isLive(id: string): boolean
  end(id: string): void
  endAll(): void
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Compares every entry, so that the time does not depend on the secret. */
const find = <T extends StoredSession>(all: readonly T[], secret: string): T | undefined => {
  const digest = digestOf(secret)
  return all.filter((stored) => timingSafeEqual(stored.digest, digest))[0]
}

/** Holds the one-time logins and the sessions. They exist only in memory, so a restart ends all of them. */
export const createSessions = (now: () => number): Sessions => {
  let logins: readonly Login[] = []
  let sessions: readonly PageSession[] = []

  const mint = (ttlMs: number): { readonly secret: string; readonly stored: StoredSession } => {
    // 192 bits are enough, and the address with the secret fits on a line of a terminal.
    const secret = randomBytes(24).toString('base64url')
    const id = randomBytes(8).toString('hex')
    return { secret, stored: { id, digest: digestOf(secret), untilMs: now() + ttlMs } }
  }
  const live = (): readonly PageSession[] => sessions.filter((session) => session.untilMs > now())

  return {
    mintLogin: () => {
      const { secret, stored } = mint(loginTtlMs)
      logins = [...logins, { ...stored, isUsed: false }].slice(-maxLogins)
      return secret
    },
    expireLogins: () => {
      logins = logins.map((login) => (login.isUsed ? login : { ...login, untilMs: 0 }))
    },
    redeem: (login, thumbprint) => {
      const found = find(logins, login)
      if (found === undefined) return { kind: 'unknown' }
      if (found.isUsed) return { kind: 'used' }
      if (found.untilMs <= now()) return { kind: 'expired' }
      found.isUsed = true
      const { secret, stored } = mint(sessionTtlMs)
      sessions = [...live(), { ...stored, holder: createHolder(thumbprint, now) }].slice(-maxSessions)
      return { kind: 'opened', session: secret }
    },
    find: (session) => find(live(), session),
    isLive: (id) => live().some((session) => session.id === id),
    end: (id) => {
      sessions = live().filter((session) => session.id !== id)
    },
    endAll: () => {
      sessions = []
    },
  }
}

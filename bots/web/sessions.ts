import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createHolder, type Holder } from './proof.ts'

const loginTtlMs = 5 * 60_000
const sessionTtlMs = 12 * 3_600_000
const maxLogins = 16
const maxSessions = 8

/** A secret is kept as its SHA-256 only, so that nothing in memory can be replayed. */
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
  /** Every login that was not used is too old from now on. */
  expireLogins(): void
  /** The session that it opens is bound to the key with this thumbprint. */
  redeem(login: string, thumbprint: string): Redeemed
  /** Undefined when it is none, or none any more. Never reveals the secret. */
  find(session: string): { readonly id: string; readonly holder: Holder } | undefined
  isLive(id: string): boolean
  end(id: string): void
  endAll(): void
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Looks at every entry, whichever fits, so that the time taken tells nothing about the secret. */
const find = <T extends StoredSession>(all: readonly T[], secret: string): T | undefined => {
  const digest = digestOf(secret)
  return all.filter((kept) => timingSafeEqual(kept.digest, digest))[0]
}

/** One-time logins and the sessions that they open; in memory only, so a restart ends all of them. */
export const createSessions = (now: () => number): Sessions => {
  let logins: readonly Login[] = []
  let sessions: readonly PageSession[] = []

  const mint = (ttlMs: number): { readonly secret: string; readonly kept: StoredSession } => {
    // 192 bits; the address with it fits on a line of a terminal.
    const secret = randomBytes(24).toString('base64url')
    const id = randomBytes(8).toString('hex')
    return { secret, kept: { id, digest: digestOf(secret), untilMs: now() + ttlMs } }
  }
  const live = (): readonly PageSession[] => sessions.filter((kept) => kept.untilMs > now())

  return {
    mintLogin: () => {
      const { secret, kept } = mint(loginTtlMs)
      logins = [...logins, { ...kept, isUsed: false }].slice(-maxLogins)
      return secret
    },
    expireLogins: () => {
      logins = logins.map((kept) => (kept.isUsed ? kept : { ...kept, untilMs: 0 }))
    },
    redeem: (login, thumbprint) => {
      const found = find(logins, login)
      if (found === undefined) return { kind: 'unknown' }
      if (found.isUsed) return { kind: 'used' }
      if (found.untilMs <= now()) return { kind: 'expired' }
      found.isUsed = true
      const { secret, kept } = mint(sessionTtlMs)
      sessions = [...live(), { ...kept, holder: createHolder(thumbprint, now) }].slice(-maxSessions)
      return { kind: 'opened', session: secret }
    },
    find: (session) => find(live(), session),
    isLive: (id) => live().some((kept) => kept.id === id),
    end: (id) => {
      sessions = live().filter((kept) => kept.id !== id)
    },
    endAll: () => {
      sessions = []
    },
  }
}

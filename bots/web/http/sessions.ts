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
  /** The owner for whom it was made. Empty: whoever reads the console. */
  readonly owner: string
  isUsed: boolean
}

interface PageSession extends StoredSession {
  readonly holder: Holder
  /** False when what opened it stands no more: a passkey, or the person as an owner. */
  stands(): boolean
}

export type LookedUp =
  | { readonly kind: 'good'; readonly owner: string }
  | { readonly kind: 'used' | 'expired' | 'unknown' }

export interface Sessions {
  /** Makes a login for this owner. Without one it is for whoever reads the console. */
  mintLogin(owner?: string): string
  /** Makes every unused login count as expired. */
  expireLogins(): void
  /** Finds a login without using it. */
  lookUp(login: string): LookedUp
  /** Finds a login and uses it up. */
  redeem(login: string): LookedUp
  /**
   * Opens a session, which is bound to the key with this thumbprint and ends when it stands no more. Returns
   * its secret.
   */
  open(thumbprint: string, stands?: () => boolean): string
  /**
   * Finds a live session by its secret. Undefined when there is none. The result does not contain the secret.
   */
  find(session: string): { readonly id: string; readonly holder: Holder } | undefined
  isLive(id: string): boolean
  /** Forgets what has ended, so that it does not come back when its passkey or owner does. */
  endStale(): void
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
  const live = (): readonly PageSession[] =>
    sessions.filter(({ untilMs, stands }) => untilMs > now() && stands())

  const looked = (login: string, isUsed: boolean): LookedUp => {
    const found = find(logins, login)
    if (found === undefined) return { kind: 'unknown' }
    if (found.isUsed) return { kind: 'used' }
    if (found.untilMs <= now()) return { kind: 'expired' }
    found.isUsed = isUsed
    return { kind: 'good', owner: found.owner }
  }

  return {
    mintLogin: (owner = '') => {
      const { secret, stored } = mint(loginTtlMs)
      logins = [...logins, { ...stored, owner, isUsed: false }].slice(-maxLogins)
      return secret
    },
    open: (thumbprint, stands = () => true) => {
      const { secret, stored } = mint(sessionTtlMs)
      sessions = [...live(), { ...stored, holder: createHolder(thumbprint, now), stands }].slice(-maxSessions)
      return secret
    },
    lookUp: (login) => looked(login, false),
    redeem: (login) => looked(login, true),
    expireLogins: () => {
      logins = logins.map((login) => (login.isUsed ? login : { ...login, untilMs: 0 }))
    },
    find: (session) => find(live(), session),
    endStale: () => {
      sessions = live()
    },
    isLive: (id) => live().some((session) => session.id === id),
    end: (id) => {
      sessions = live().filter((session) => session.id !== id)
    },
    endAll: () => {
      sessions = []
    },
  }
}

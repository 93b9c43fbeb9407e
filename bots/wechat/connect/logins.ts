import { createHash } from 'node:crypto'

/**
 * Stores the name of the last login across restarts of hookgate. When the name is lost, the present login
 * counts as new.
 */
export interface LoginMemory {
  readonly recall: () => Promise<string | undefined>
  readonly remember: (login: string) => Promise<void>
}

export interface Logins {
  /**
   * Reads the stored name. It has to end before the puppet starts, so that no login happens before it. Never
   * rejects.
   */
  restore(): Promise<void>
  /**
   * Call this when a code is shown or the account was logged out. The next login then counts as new, even of
   * the same account.
   */
  ended(): void
  /** Call this when a login began. Returns true when there was another login before. */
  began(selfId: string): boolean
  /** The name of the present login. It is empty while nobody is logged in. */
  current(): string
}

/** The account's id is stored only as a hash, so nobody can read it. */
const digestOf = (selfId: string): string => createHash('sha256').update(selfId).digest('hex').slice(0, 16)

/**
 * Gives each login to WeChat a name. With some puppets every login gives new ids to all people and to the
 * bot. An owner's id of one login may then belong to another person in the next login. A restart that
 * continues the session, with the same account and without a scan, is the same login.
 */
export const createLogins = (
  memory: LoginMemory | undefined,
  now: () => number,
  failed: (error: unknown) => void,
): Logins => {
  /**
   * The name of the last login. It is empty after the login has ended, and undefined before the first login.
   */
  let known: string | undefined
  let current = ''
  // The writes run one after the other, so that the last value is the stored one.
  let writing = Promise.resolve()
  const remember = (login: string): void => {
    known = login
    writing = writing.then(() => memory?.remember(login)).catch(failed)
  }
  return {
    restore: async () => {
      try {
        known = (await memory?.recall()) ?? known
      } catch (error) {
        failed(error)
      }
    },
    ended: () => {
      current = ''
      // The end is stored now and not at the next login. Otherwise a crash in between would restore the old
      // login.
      if (known !== undefined && known !== '') remember('')
    },
    began: (selfId) => {
      const before = known
      current = before?.endsWith(` ${digestOf(selfId)}`) === true ? before : `${now()} ${digestOf(selfId)}`
      if (current !== before) remember(current)
      return before !== undefined && current !== before
    },
    current: () => current,
  }
}

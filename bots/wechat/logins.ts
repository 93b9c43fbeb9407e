import { createHash } from 'node:crypto'

/** Where the name of the last login is kept across restarts of hookgate. Lost, the present one counts as new. */
export interface LoginMemory {
  readonly recall: () => Promise<string | undefined>
  readonly remember: (login: string) => Promise<void>
}

export interface Logins {
  /** Reads what is remembered. Before the puppet starts, so that no login comes first. Never rejects. */
  restore(): Promise<void>
  /** Somebody is asked to scan a code, or was logged out: what comes next is another login, even of the same account. */
  ended(): void
  /** True when there was another login before. */
  began(selfId: string): boolean
  /** Empty while nobody is logged in. */
  current(): string
}

/** Of the account nothing is kept that somebody could read. */
const digestOf = (selfId: string): string => createHash('sha256').update(selfId).digest('hex').slice(0, 16)

/**
 * Names each login to WeChat: with some puppets all ids of people change with it, the bot's own included, so what an
 * owner of one login was called says nothing about who is called so in the next. A restart of hookgate that finds its
 * session again, with the same account and without a scan, is the same login.
 */
export const createLogins = (
  memory: LoginMemory | undefined,
  now: () => number,
  failed: (error: unknown) => void,
): Logins => {
  /** Empty once it has ended; undefined before the first. */
  let known: string | undefined
  let current = ''
  // One after the other, so that the last word is what is kept.
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
      // At once, and not at the next login: a crash between the two must not bring the old one back.
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

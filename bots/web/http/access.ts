import { newName } from './loopback.ts'
import { createSessions, type Sessions } from './sessions.ts'

/** The logins, the sessions and the address of the page. */
export interface PageAccess {
  readonly sessions: Sessions
  /** The value of the Host header in browsers. It has no port when the port is 80. */
  host(): string
  /** The page's URL, without a slash at its end. It is complete after `listening` was called. */
  url(): string
  /** True when the page has an address of its own behind the owner's proxy. There a passkey logs in. */
  readonly isRemote: boolean
  /**
   * The URL with a new one-time login of this owner, which is valid for 5 minutes. Where passkeys log in, it
   * makes one.
   */
  login(owner: string): string
  /** Sets the port on which the page listens. */
  listening(port: number): void
}

/** What begins the part after `#` of a link that makes a passkey. The page reads it. */
const registering = 'register-'

/**
 * `origin` is the address of the page behind the owner's proxy. Absent: the page is for this machine alone.
 */
export const createPageAccess = (now: () => number, origin?: string): PageAccess => {
  const sessions = createSessions(now)
  // A program that used the port before could leave service workers under names that it knew. It cannot know
  // this name.
  const name = newName()
  let port = 0
  const host = (): string => new URL(origin ?? `http://${name}:${port}`).host
  const url = (): string => origin ?? `http://${host()}`
  return {
    sessions,
    host,
    url,
    isRemote: origin !== undefined,
    login: (owner) =>
      origin === undefined
        ? `${url()}/#${sessions.mintLogin(owner)}`
        : `${url()}/#${registering}${sessions.mintLogin(owner)}`,
    listening: (openPort) => void (port = openPort),
  }
}

import { newName } from './loopback.ts'
import { createSessions, type Sessions } from './sessions.ts'

/** Who may open the page, and where it is. */
export interface PageAccess {
  readonly sessions: Sessions
  /** As browsers name it in the Host header: without port 80. */
  host(): string
  /** The page's address, without a slash at its end. It is whole once the page listens. */
  url(): string
  /** The address with a new one-time login, good for 5 minutes. */
  login(): string
  /** The page listens on this port. */
  listening(port: number): void
}

export const createPageAccess = (now: () => number): PageAccess => {
  const sessions = createSessions(now)
  // Whoever held the port before could leave a service worker under every name that they knew; not under this one.
  const name = newName()
  let port = 0
  const host = (): string => new URL(`http://${name}:${port}`).host
  const url = (): string => `http://${host()}`
  return {
    sessions,
    host,
    url,
    login: () => `${url()}/#${sessions.mintLogin()}`,
    listening: (taken) => void (port = taken),
  }
}

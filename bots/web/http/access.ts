import { newName } from './loopback.ts'
import { createSessions, type Sessions } from './sessions.ts'

/** The logins, the sessions and the address of the page. */
export interface PageAccess {
  readonly sessions: Sessions
  /** The value of the Host header in browsers. It has no port when the port is 80. */
  host(): string
  /** The page's URL, without a slash at its end. It is complete after `listening` was called. */
  url(): string
  /** The URL with a new one-time login, which is valid for 5 minutes. */
  login(): string
  /** Sets the port on which the page listens. */
  listening(port: number): void
}

export const createPageAccess = (now: () => number): PageAccess => {
  const sessions = createSessions(now)
  // A program that used the port before could leave service workers under names that it knew. It cannot know
  // this name.
  const name = newName()
  let port = 0
  const host = (): string => new URL(`http://${name}:${port}`).host
  const url = (): string => `http://${host()}`
  return {
    sessions,
    host,
    url,
    login: () => `${url()}/#${sessions.mintLogin()}`,
    listening: (openPort) => void (port = openPort),
  }
}

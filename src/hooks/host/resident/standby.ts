import type { RunRequest, StartRequest } from '../protocol.ts'

/** Which started instances wait for a question, and for which. It decides; the hook host starts and kills. */
export interface Standby {
  /** The id of the instance that waits for exactly this request; from now on it is the caller's alone. */
  take(request: RunRequest): number | undefined
  /** The answer to a request was delivered: the next instance may start. */
  answered(request: RunRequest): void
  /** An instance is gone, whoever ended it. */
  ended(id: number): void
  retire(live: ReadonlySet<string>): void
  /** The hook host is gone, and all instances with it. */
  clear(): void
}

export interface StandbyPorts {
  start(request: StartRequest): number
  kill(id: number): void
  readonly idleMs?: number
  readonly maxInstances?: number
}

interface Post {
  /** The whole request but its stdin: only for the same one a started instance is as good as a fresh one. */
  key: string
  id?: number
  timer?: NodeJS.Timeout
}

const keyOf = ({ argv, cwd, env }: StartRequest): string => JSON.stringify([argv, cwd, env])

/** At most one waiting instance a hook; the least recently used go first. */
export const createStandby = ({ start, kill, idleMs = 60_000, maxInstances = 32 }: StandbyPorts): Standby => {
  /** By fingerprint, the least recently used first. */
  const posts = new Map<string, Post>()

  const leave = (post: Post): void => {
    clearTimeout(post.timer)
    delete post.id
  }
  const dismiss = (post: Post): void => {
    if (post.id !== undefined) kill(post.id)
    leave(post)
  }
  const drop = (fingerprint: string, post: Post): void => {
    dismiss(post)
    posts.delete(fingerprint)
  }

  const launch = (fingerprint: string, post: Post, request: RunRequest): void => {
    // Revoked, or started, since.
    if (posts.get(fingerprint) !== post || post.id !== undefined) return
    const waiting = [...posts.values()].filter(({ id }) => id !== undefined)
    for (const oldest of waiting.slice(0, Math.max(0, waiting.length - maxInstances + 1))) dismiss(oldest)
    const { argv, argv0, cwd, env } = request
    post.id = start({ argv, ...(argv0 === undefined ? {} : { argv0 }), cwd, env })
    post.timer = setTimeout(dismiss, idleMs, post).unref()
  }

  return {
    take: (request) => {
      const post = posts.get(request.fingerprint ?? '')
      if (post?.id === undefined || post.key !== keyOf(request)) return undefined
      const { id } = post
      leave(post)
      return id
    },
    answered: (request) => {
      const { fingerprint } = request
      if (fingerprint === undefined) return
      const key = keyOf(request)
      const known = posts.get(fingerprint)
      const post = known ?? { key }
      posts.delete(fingerprint)
      posts.set(fingerprint, post)
      if (post.key === key) setImmediate(launch, fingerprint, post, request)
      else {
        // Its environment differs by event or session: nobody waits until two in a row are alike.
        dismiss(post)
        post.key = key
      }
    },
    ended: (id) => {
      for (const post of posts.values()) if (post.id === id) leave(post)
    },
    retire: (live) => {
      for (const [fingerprint, post] of posts) if (!live.has(fingerprint)) drop(fingerprint, post)
    },
    clear: () => {
      for (const post of posts.values()) leave(post)
      posts.clear()
    },
  }
}

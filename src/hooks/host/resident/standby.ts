import type { RunRequest, StartRequest } from '../protocol.ts'

/** Decides which started instances wait, and for which request. The hook host starts and kills them. */
export interface Standby {
  /**
   * Gives the id of the instance that waits for exactly this request. From then on it belongs to the caller.
   */
  take(request: RunRequest): number | undefined
  /** The answer to a request was delivered, so the next instance may start. */
  answered(request: RunRequest): void
  /** An instance has ended, for whatever reason. */
  ended(id: number): void
  retire(live: ReadonlySet<string>): void
  /** The hook host is gone, and all instances are gone with it. */
  clear(): void
}

export interface StandbyPorts {
  start(request: StartRequest): number
  kill(id: number): void
  readonly idleMs?: number
  readonly maxInstances?: number
}

interface Post {
  /** The request without its stdin. A started instance replaces a fresh one only for the same key. */
  key: string
  id?: number
  timer?: NodeJS.Timeout
}

const keyOf = ({ argv, cwd, env }: StartRequest): string => JSON.stringify([argv, cwd, env])

/** Keeps at most one waiting instance per hook. The least recently used are ended first. */
export const createStandby = ({ start, kill, idleMs = 60_000, maxInstances = 32 }: StandbyPorts): Standby => {
  /** By fingerprint, with the least recently used first. */
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
    // The hook was revoked, or its instance already started.
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
        // Its environment differs by event or session: no instance waits until two requests in a row are
        // alike.
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

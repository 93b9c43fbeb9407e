import type { Doubt } from './call.ts'

const maxKept = 1_000

/** Why calls were doubted whose caller did not wait for a person, by their digests: the request for permission that follows has the question. */
export const createDoubts = () => {
  const kept = new Map<string, Doubt>()
  return {
    keep: (digest: string, doubt: Doubt): void => {
      kept.delete(digest)
      kept.set(digest, doubt)
      for (const oldest of kept.keys().take(Math.max(0, kept.size - maxKept))) kept.delete(oldest)
    },
    take: (digest: string): Doubt | undefined => {
      const doubt = kept.get(digest)
      kept.delete(digest)
      return doubt
    },
  }
}

import type { Address, PushResult } from '../../model/chat/push.ts'

/** At least this many pushes are remembered. A repeated push_id among them is the same push. */
const atLeast = 10_000

interface KnownPush {
  /** The answer to a repeated request. */
  result: Promise<PushResult>
  /** The message as which it left, if it is a single one. It can be edited. */
  message?: MessageAddress
}

type MessageAddress = Address & { readonly message_id: string }

/**
 * Remembers recent pushes by id. A waiting push is never forgotten, or a repeated request could send it
 * twice.
 */
export const createKnown = (isWaiting: (id: string) => boolean) => {
  // Two generations are kept. Removing the oldest entries of one map one by one would scan over all the gaps
  // of earlier removals.
  let young = new Map<string, KnownPush>()
  let old = new Map<string, KnownPush>()
  const get = (id: string): KnownPush | undefined => young.get(id) ?? old.get(id)
  return {
    get: (id: string): Readonly<KnownPush> | undefined => get(id),
    set: (id: string, result: Promise<PushResult>): void => {
      const before = get(id)
      if (before !== undefined) {
        before.result = result
        return
      }
      young.set(id, { result })
      if (young.size < atLeast) return
      const waiting = [...old].filter(([id]) => isWaiting(id))
      old = young
      young = new Map(waiting)
    },
    note: (id: string, message: MessageAddress): void => {
      const known = get(id)
      if (known !== undefined) known.message = message
    },
    delete: (id: string): void => {
      young.delete(id)
      old.delete(id)
    },
  }
}

export type Known = ReturnType<typeof createKnown>

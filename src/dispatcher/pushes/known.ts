import type { Address, PushResult } from '../../model/chat/push.ts'

/** At least as many are known: asked for once more, each is still the same push. */
const atLeast = 10_000

interface KnownEnd {
  /** What is answered to whoever asks for it again. */
  result: Promise<PushResult>
  /** Where it stands, if it left as one message: what can be edited. */
  message?: MessagePlace
}

type MessagePlace = Address & { readonly message_id: string }

/** The pushes of late, by id. What still waits is never forgotten, or it could become a second push. */
export const createKnown = (isWaiting: (id: string) => boolean) => {
  // Two generations: to take the oldest out of one map, one at a time, is a walk over all the gaps that the last ones left.
  let young = new Map<string, KnownEnd>()
  let old = new Map<string, KnownEnd>()
  const get = (id: string): KnownEnd | undefined => young.get(id) ?? old.get(id)
  return {
    get: (id: string): Readonly<KnownEnd> | undefined => get(id),
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
    note: (id: string, message: MessagePlace): void => {
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

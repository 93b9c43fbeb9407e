/** Who waits for the hook host's one reply to what it was sent, by the id of that. */
export interface Replies<T> {
  expect(id: number): Promise<T>
  settle(id: number, reply: T): void
  /** Nobody will reply any more: all of them hear this. */
  settleAll(reply: T): void
}

export const createReplies = <T>(): Replies<T> => {
  const waiting = new Map<number, (reply: T) => void>()
  return {
    expect: (id) => {
      const { promise, resolve } = Promise.withResolvers<T>()
      waiting.set(id, resolve)
      return promise
    },
    settle: (id, reply) => {
      waiting.get(id)?.(reply)
      waiting.delete(id)
    },
    settleAll: (reply) => {
      for (const resolve of waiting.values()) resolve(reply)
      waiting.clear()
    },
  }
}

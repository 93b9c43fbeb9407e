/** The callers that wait for the hook host's single reply to a message, by the message's id. */
export interface Replies<T> {
  expect(id: number): Promise<T>
  settle(id: number, reply: T): void
  /** No more replies will come: all callers get this one. */
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

import type { Delivery } from '../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'

/** So many of the messages that WeChat allows are kept for questions and notices. */
const SPARE = 2
/** How often a push that waits looks whether the person has written. */
const RECHECK_MS = 5000

export interface SparePorts {
  /** The messages that a person gets before that person has to write again. Undefined: nobody counts them. */
  left(chatId: string): number | undefined
  nearlySpent(chatId: string, left: number): void
}

/**
 * WeChat lets a few messages leave after each message of a person. An agent that talks much would use them
 * up, and then the person gets no question and no notice. So the last ones are not for agents.
 */
export const createSpare = ({ left, nearlySpent }: SparePorts) => {
  const told = new Set<string>()
  return {
    /** Why a message has to wait. Undefined: it may leave. */
    refuse: ({ kind, chat_id }: Pick<OutgoingMessage, 'kind' | 'chat_id'>): Delivery | undefined => {
      const count = left(chat_id)
      return kind === 'push' && count !== undefined && count <= SPARE
        ? {
            kind: 'retry',
            afterMs: RECHECK_MS,
            why: `WeChat lets ${count} more messages leave until that person writes, and they are kept for questions and notices.`,
          }
        : undefined
    },
    /** Tells the person once, when only the last messages are left. */
    delivered: ({ chat_id }: Pick<OutgoingMessage, 'chat_id'>): void => {
      const count = left(chat_id)
      if (count === undefined || count > SPARE) {
        told.delete(chat_id)
        return
      }
      if (count === 0 || told.has(chat_id)) return
      told.add(chat_id)
      nearlySpent(chat_id, count)
    },
  }
}

import type { Content } from '../../model/chat/content.ts'
import { isSameChat, type Address, type Push } from '../../model/chat/push.ts'
import type { OutboxItem } from '../../model/events/record.ts'
import type { Known } from './known.ts'
import { readPushBody, targetIdOf } from '../outbox/outbox-body.ts'

export interface TargetPorts {
  readonly known: Known
  /** Whether somebody wrote this message to this chat. */
  hasSeen(message: Address & { readonly message_id: string }): Promise<boolean>
}

/** The messages that pushes are about: what an edit changes, and under what a reaction stands. */
export const createTargets = ({ known, hasSeen }: TargetPorts) => ({
  /** Whether this agent sent something by that name to this chat, as far as that is known. */
  isOwn: (push: Push): boolean => {
    const id = targetIdOf(push)
    const target = id === undefined ? undefined : known.get(id)
    return target !== undefined && isSameChat(target.message ?? push, push)
  },

  /**
   * The message that a push is about, once that has left. A person's is named as the messenger names it. It is
   * never a notice of ours: a sign under that could pass for somebody's answer.
   */
  messageOf: async (item: OutboxItem, { type, target }: Content): Promise<string | undefined> => {
    const push = readPushBody(item)
    if (push === undefined || target === undefined) return undefined
    const own = known.get(targetIdOf({ ...push, target }) ?? '')?.message
    if (own !== undefined) return isSameChat(own, item) ? own.message_id : undefined
    if (type !== 'reaction') return undefined
    const { channel, chat_id } = item
    return (await hasSeen({ channel, chat_id, message_id: target })) ? target : undefined
  },
})

export type Targets = ReturnType<typeof createTargets>

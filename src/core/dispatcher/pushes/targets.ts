import type { Content } from '../../model/chat/content.ts'
import { isSameChat, type Address, type Push } from '../../model/chat/push.ts'
import type { Known } from './known.ts'
import { targetIdOf, type OutgoingItem } from '../outbox/outbox-body.ts'

export interface TargetPorts {
  readonly known: Known
  /** True when a person wrote this message in this chat. */
  hasSeen(message: Address & { readonly message_id: string }): Promise<boolean>
}

/**
 * Resolves the messages that pushes are about: the one that an edit changes, and the one that a reaction
 * belongs to.
 */
export const createTargets = ({ known, hasSeen }: TargetPorts) => ({
  /** True when this agent sent a push with this id to this chat, as far as is known. */
  isOwn: (push: Push): boolean => {
    const id = targetIdOf(push)
    const target = id === undefined ? undefined : known.get(id)
    return target !== undefined && isSameChat(target.message ?? push, push)
  },

  /**
   * The messenger's id of the message that a push is about, once that has left. A person's message is named
   * by the messenger's id. A notice is never a target: a reaction to it could look like a person's answer.
   */
  messageOf: async (item: OutgoingItem, { type, target }: Content): Promise<string | undefined> => {
    const { push } = item
    if (push === undefined || target === undefined) return undefined
    const own = known.get(targetIdOf({ agent_id: push.agent_id, target }) ?? '')?.message
    if (own !== undefined) return isSameChat(own, item) ? own.message_id : undefined
    if (type !== 'reaction') return undefined
    const { channel, chat_id } = item
    return (await hasSeen({ channel, chat_id, message_id: target })) ? target : undefined
  },
})

export type Targets = ReturnType<typeof createTargets>

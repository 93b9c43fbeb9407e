import type { Message } from '../../model/chat/channel.ts'
import { got, type Problem } from '../../model/gate/problem.ts'
import type { Owner } from '../ledger/fold.ts'

/**
 * The sender of a message in the form of an owner's id. A channel's name has no colon, so no two senders
 * share an id.
 */
export const senderOf = (message: Pick<Message, 'channel' | 'sender_id'>): string | undefined =>
  message.channel === '' || message.channel.includes(':')
    ? undefined
    : `${message.channel}:${message.sender_id}`

/** The channel name in an owner's id. */
export const channelOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf(':')))

/** The problem of an owner's id. Undefined when it is valid. */
export const ownerProblem = (owner: Owner): Problem | undefined =>
  /^[a-z][a-z0-9_-]{0,31}:[^\s\p{Cc}\p{Cf}]{1,200}$/u.test(owner.id) && (owner.chat_id ?? '').length <= 200
    ? undefined
    : {
        code: 'owner.id',
        message: `Expected an owner as <channel>:<sender id>, got ${got(owner.id)}.`,
        fix: 'Write it like telegram:7. "/whoami" shows the sender their own id.',
      }

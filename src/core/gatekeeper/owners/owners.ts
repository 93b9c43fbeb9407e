import type { Message } from '../../model/chat/channel.ts'
import { quote, type Problem } from '../../model/gate/problem.ts'
import type { Scope } from '../../model/gate/person.ts'
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
        message: `${quote(owner.id)} is no id of a person.`,
        fix: 'Write it like telegram:7. "/whoami" shows the sender their own id.',
      }

/** The most agents or tools that one role names. */
const maxNamed = 20
const maxNameUnits = 100

/** The problem of a scope. Undefined when it is valid. */
export const scopeProblem = ({ agents = [], tools = [] }: Scope): Problem | undefined => {
  const wrong = [...agents, ...tools].find((name) => !/^\S+$/.test(name) || name.length > maxNameUnits)
  if (wrong === undefined && agents.length <= maxNamed && tools.length <= maxNamed) return undefined
  return {
    code: 'role.scope',
    message:
      wrong === undefined
        ? `A role names at most ${maxNamed} agents and ${maxNamed} tools, and not ${agents.length} and ${tools.length}.`
        : `${quote(wrong)} is no name of an agent or a tool. A name has no spaces, and at most ${maxNameUnits} characters.`,
    fix: 'Name them as the cards show them.',
  }
}

import { fixed, named, prose, type Prose } from '../../model/chat/prose.ts'
import { isSameChat, type Address, type Outcome, type Push } from '../../model/chat/push.ts'
import { createBurst } from '../notices/coalesce.ts'
import type { roomOf } from './room.ts'

/** The number of lost pushes of one agent and reason that are reported one by one within a minute. */
const maxLost = 3

export interface LostPorts {
  /** With a key, the same text is sent once in ten minutes. */
  tellOwners(text: Prose, key?: string): readonly Address[]
  after(delayMs: number, run: () => void): void
}

const headOf = (outcome: Outcome): string => {
  if (outcome === 'unknown') return 'May not have arrived'
  return outcome === 'withheld' ? 'Blocked' : 'Not delivered'
}

/** Reports to the owners that pushes did not arrive or were refused. The report never contains their text. */
export const createLost = ({ tellOwners, after }: LostPorts) => {
  const burst = createBurst(maxLost, after)
  return {
    /**
     * Reports a push that will not arrive, or may not have arrived. `by`: who caused it. Returns true when an
     * owner in the push's own chat gets the reason with this notice.
     */
    tell: (push: Push, outcome: Outcome, by: string, why: string, eventId: string): boolean => {
      let chats: readonly Address[] = []
      const more = eventId === '' ? [] : prose`\n→ /hooks why ${fixed(eventId)}`
      const from = named(push.agent_id)
      const chat = prose`the ${named(push.channel)} chat`
      const head = fixed(headOf(outcome))
      burst(
        JSON.stringify([push.agent_id, push.channel, outcome, by]),
        () => {
          chats = tellOwners(prose`${head}: ${from}’s message to ${chat}.\n${named(by)}: ${why}${more}`)
        },
        (left) => {
          const count = fixed(`${left} more message${left === 1 ? '' : 's'}`)
          tellOwners(
            prose`${head}: ${count} from ${from} to ${chat} within a minute.\n${named(by)}: ${why}\n→ /hooks log lost`,
          )
        },
      )
      return chats.some((address) => isSameChat(address, push))
    },
    /** Reports a refusal because too many pushes wait in its chat, or in all chats. */
    tellFull: (push: Pick<Push, 'agent_id' | 'channel'>, where: keyof typeof roomOf): void => {
      const there = where === 'chat' ? prose` to one chat on ${push.channel}` : []
      tellOwners(
        prose`⚠ Too many messages of ${named(push.agent_id)} wait to be sent${there}. New ones are refused until some have been sent.`,
        `full ${push.agent_id} ${push.channel} ${where}`,
      )
    },
  }
}

export type Lost = ReturnType<typeof createLost>

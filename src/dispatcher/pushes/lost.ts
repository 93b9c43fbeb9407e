import { fixed, named, prose, type Prose } from '../../model/chat/prose.ts'
import type { Outcome, Push } from '../../model/chat/push.ts'
import { createBurst } from '../notices/coalesce.ts'
import type { roomOf } from './room.ts'

/** Pushes of one agent that did not arrive for the same reason, a minute. */
const maxLost = 3

export interface LostPorts {
  /** With a key, the same thing is told once in ten minutes. */
  tellOwners(text: Prose, key?: string): void
  after(delayMs: number, run: () => void): void
}

/** Tells the owners of pushes that did not arrive, or that were not taken: never with their text. */
export const createLost = ({ tellOwners, after }: LostPorts) => {
  const burst = createBurst(maxLost, after)
  return {
    /** It will not arrive, or may not have. `by`: who is to blame. */
    tell: (push: Push, outcome: Outcome, by: string, why: string, eventId: string): void => {
      const more = eventId === '' ? [] : prose`\n→ /hooks why ${fixed(eventId)}`
      const whose = prose`${named(push.agent_id)} to ${named(push.channel)}`
      const end = fixed(outcome === 'unknown' ? 'may not have arrived' : 'did not arrive')
      burst(
        JSON.stringify([push.agent_id, push.channel, outcome, by]),
        () => tellOwners(prose`A message of ${whose} ${end}.\n${named(by)}: ${why}${more}`),
        (left) => {
          const count = fixed(`${left} more message${left === 1 ? '' : 's'}`)
          tellOwners(
            prose`${count} of ${whose} ${end} within a minute.\n${named(by)}: ${why}\n→ /hooks log lost`,
          )
        },
      )
    },
    /** It was refused since so much waits already: in its chat, or in all. */
    tellFull: (push: Pick<Push, 'agent_id' | 'channel'>, where: keyof typeof roomOf): void => {
      const there = where === 'chat' ? prose` to one chat on ${push.channel}` : []
      tellOwners(
        prose`⚠ Too much of ${named(push.agent_id)} waits to leave${there}. More is refused until some of it has left.`,
        `full ${push.agent_id} ${push.channel} ${where}`,
      )
    },
  }
}

export type Lost = ReturnType<typeof createLost>

import { named, ofHook, prose, type Prose, verbatim } from '../core/model/chat/prose.ts'
import { isSameChat, type Address, type Outcome, type Push } from '../core/model/chat/push.ts'
import { reasonProse } from '../shared/hooks/guard-words.ts'
import { createBurst } from './coalesce.ts'
import { labelWords } from '../shared/said/our-words.ts'

/** The number of lost pushes of one agent and reason that are reported one by one within a minute. */
const maxLost = 3

export interface LostPorts {
  /** With a key, the same text is sent once in ten minutes. */
  tellOwners(text: Prose, key?: string): readonly Address[]
  after(delayMs: number, run: () => void): void
}

const lostText = (outcome: Outcome, from: Prose, chat: Prose): Prose => {
  if (outcome === 'unknown') return prose`May not have arrived: ${from}’s message to the ${chat} chat.`
  return outcome === 'withheld'
    ? prose`Blocked: ${from}’s message to the ${chat} chat.`
    : prose`Not delivered: ${from}’s message to the ${chat} chat.`
}

const moreLostText = (outcome: Outcome, left: number, from: Prose, chat: Prose): Prose => {
  if (outcome === 'unknown')
    return left === 1
      ? prose`May not have arrived: 1 more message from ${from} to the ${chat} chat within a minute.`
      : prose`May not have arrived: ${left} more messages from ${from} to the ${chat} chat within a minute.`
  if (outcome === 'withheld')
    return left === 1
      ? prose`Blocked: 1 more message from ${from} to the ${chat} chat within a minute.`
      : prose`Blocked: ${left} more messages from ${from} to the ${chat} chat within a minute.`
  return left === 1
    ? prose`Not delivered: 1 more message from ${from} to the ${chat} chat within a minute.`
    : prose`Not delivered: ${left} more messages from ${from} to the ${chat} chat within a minute.`
}

/** Reports to the owners that pushes did not arrive or were refused. The report never contains their text. */
export const createLost = ({ tellOwners, after }: LostPorts) => {
  const burst = createBurst(maxLost, after)
  return {
    /**
     * Reports a push that will not arrive, or may not have arrived. `by`: who caused it, with the fingerprint
     * where it was a hook. Returns true when an owner in the push's own chat gets the reason with this
     * notice.
     */
    tell: (
      push: Push,
      outcome: Outcome,
      { by, hook }: { readonly by: string; readonly hook: string | undefined },
      why: string,
      eventId: string,
    ): boolean => {
      let chats: readonly Address[] = []
      const more = eventId === '' ? [] : prose`\n→ /hooks why ${verbatim(eventId)}`
      const from = named(push.agent_id)
      const chat = named(push.channel)
      const because = ofHook(hook, prose`${labelWords(by)}: ${reasonProse(why)}`)
      burst(
        JSON.stringify([push.agent_id, push.channel, outcome, by]),
        () => {
          chats = tellOwners(prose`${lostText(outcome, from, chat)}\n${because}${more}`)
        },
        (left) => {
          const text = moreLostText(outcome, left, from, chat)
          tellOwners(prose`${text}\n${because}\n→ /hooks log lost`)
        },
      )
      return chats.some((address) => isSameChat(address, push))
    },
    /** Reports a refusal because too many pushes wait in its chat, or in all chats. */
    tellFull: (push: Pick<Push, 'agent_id' | 'channel'>, where: 'chat' | 'all'): void => {
      const from = named(push.agent_id)
      tellOwners(
        where === 'chat'
          ? prose`⚠ Too many messages of ${from} wait to be sent to one chat on ${push.channel}. New ones are refused until some have been sent.`
          : prose`⚠ Too many messages of ${from} wait to be sent. New ones are refused until some have been sent.`,
        `full ${push.agent_id} ${push.channel} ${where}`,
      )
    },
  }
}

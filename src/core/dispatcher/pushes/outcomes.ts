import { hash } from 'node:crypto'
import { readable, type Content } from '../../model/chat/content.ts'
import type { Outcome, Push, PushReply, PushResult } from '../../model/chat/push.ts'
import type { EventRecord } from '../../model/events/record.ts'
import type { Answers } from './answers.ts'
import type { JudgedPush, ItemOutcome } from '../judged.ts'
import type { Known } from './known.ts'
import type { OutgoingItem } from '../outbox/outbox-body.ts'
import { NotStoredError, type Outbox } from '../outbox/outbox.ts'
import type { Recent } from './recent.ts'
import { loopRefusal } from './refusal.ts'
import type { Room } from './room.ts'

export interface OutcomePorts {
  readonly outbox: Pick<Outbox, 'remove'>
  readonly answers: Answers
  readonly known: Known
  readonly recent: Recent
  readonly room: Room
  readonly files: { drop(holder: string): void }
  /**
   * Tells the owners of a push that will not arrive, or may not have arrived. `by`: who caused it, with the
   * fingerprint where it was a hook. Returns true when an owner in the push's own chat gets the reason with
   * this notice.
   */
  tellLost(
    push: Push,
    outcome: Outcome,
    cause: { readonly by: string; readonly hook: string | undefined },
    why: string,
    eventId: string,
  ): boolean
  addRecord(record: EventRecord): void
  newId(): string
  now(): number
}

export const sha256 = (text: string): string => hash('sha256', text)

type EndedPush = Pick<OutgoingItem, 'id' | 'recent'>
type Judged<Kind extends JudgedPush['kind']> = Extract<JudgedPush, { kind: Kind }>

/**
 * Handles the end of every push: it is recorded, reported to the owners when the push was lost, and given to
 * the requests that wait for it.
 */
export const createOutcomes = (ports: OutcomePorts) => {
  const { outbox, answers, known, recent, room } = ports

  /** `sent`: the content that left, where that differs from the push. */
  const record = (
    push: Push,
    eventId: string,
    outcome: Outcome,
    why?: string,
    sent: Content = push,
  ): void => {
    const text = readable(sent)
    ports.addRecord({
      event_id: eventId === '' ? ports.newId() : eventId,
      atMs: ports.now(),
      kind: 'push',
      subject: 'push',
      outcome,
      agent_id: push.agent_id,
      session_id: push.session_id,
      channel: push.channel,
      chat_id: push.chat_id,
      length: text.length,
      sha256: sha256(text),
      reason: why,
    })
  }

  /** Frees the space and the files of a push that has ended. `text`: the text that its chat received. */
  const release = (item: EndedPush, text?: string): void => {
    room.give(item.id)
    ports.files.drop(item.id)
    if (item.recent !== undefined) recent.settled(item.recent, text)
  }

  return {
    /**
     * Hooks withheld it at its request, so it enters no queue. Rejects with a NotStoredError when that could
     * not be stored: another gate might judge it anew by a newer state, and let it leave after all.
     */
    withheld: async (item: EndedPush, push: Push, judged: Judged<'withheld'>): Promise<PushResult> => {
      const { why, by = 'hookgate', hook, eventId = '', isLoop } = judged
      const ended = isLoop === true ? undefined : ({ outcome: 'withheld', reason: why } as const)
      if (!(await outbox.remove(item.id, ended)))
        throw new NotStoredError('the end of a push could not be stored')
      let isTold = false
      if (isLoop !== true) {
        record(push, eventId, 'withheld', `${by}: ${why}`)
        isTold = ports.tellLost(push, 'withheld', { by, hook }, why, eventId)
      }
      release(item)
      if (isLoop === true) return loopRefusal(why)
      return { outcome: 'withheld', reason: why, event_id: eventId, told: isTold ? true : undefined }
    },

    /** It waits for an owner's decision, or in lockdown for the gate. The request is answered at once. */
    held: (push: Push, asks: Judged<'asks'> | undefined): PushReply => {
      const reason =
        asks === undefined
          ? 'hookgate is in lockdown; the message is stored and judged after an owner ends the lockdown'
          : `${asks.by} asks for an owner's decision: ${asks.why}`
      const event_id = asks?.eventId ?? ''
      record(push, event_id, 'held', reason)
      return { outcome: 'held', reason, event_id }
    },

    /** It could not be queued, and nothing of it is stored. A repeated request tries again. */
    unkept: async (item: EndedPush): Promise<void> => {
      release(item)
      await outbox.remove(item.id)
      known.delete(item.id)
    },

    /** The outbox has settled a push. `sent`: the content that left, or may have left. */
    settled: (item: OutgoingItem, settled: ItemOutcome, sent: Content | undefined): void => {
      const { outcome, why, by, hook, eventId = '', byOwner, message } = settled
      const { push } = item
      // This is noted at once, since an edit may be next in line.
      if (message !== undefined) known.note(item.id, message)
      if (push !== undefined) {
        record(push, eventId, outcome, why, sent)
        const whose = { by: by ?? (outcome === 'withheld' ? 'a hook' : push.channel), hook }
        if (outcome !== 'delivered' && byOwner !== true)
          ports.tellLost(push, outcome, whose, why ?? outcome, eventId)
      }
      const isOut = outcome === 'delivered' || outcome === 'unknown'
      release(item, sent !== undefined && isOut ? readable(sent) : undefined)
    },

    /** Its outcome is on disk. A repeated request gets this outcome. */
    ended: ({ id }: OutgoingItem, { outcome, why, eventId = '', chat_id }: ItemOutcome): void => {
      const reply: PushReply = { outcome, event_id: eventId, reason: why, chat_id }
      answers.give(id, reply)
      known.set(id, Promise.resolve(reply))
    },
  }
}

export type Outcomes = ReturnType<typeof createOutcomes>

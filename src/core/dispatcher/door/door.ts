import type { Channel, Delivery } from '../../model/chat/channel.ts'
import type { Consent } from '../../model/gate/consent.ts'
import { messageOf } from '../../model/gate/problem.ts'
import type { NoticeForm, OutgoingMessage, ChatBacklog } from '../../model/chat/push.ts'
import { createHold } from './hold.ts'
import type { ItemOutcome, JudgedPush } from '../judged.ts'
import type { OutgoingItem } from '../outbox/outbox-body.ts'
import { createReview, type ReviewPorts } from './review.ts'
import { createSend, type SendPorts, type SendSlot } from './send.ts'
import { createChatQueues, itemsLike, waitingSummary, type ChatQueue, type WaitingItem } from './waiting.ts'

export interface DoorPorts
  extends
    Pick<ReviewPorts, 'outbox' | 'gate' | 'judge'>,
    Pick<
      SendPorts,
      'channel' | 'limits' | 'pauses' | 'links' | 'shown' | 'readFile' | 'messageOf' | 'after'
    > {
  /** A notice with these buttons is about to leave, or has left. */
  buttonsLeft(presses: readonly string[]): void
  /** A clock for intervals that nobody can set, in milliseconds. */
  elapsedMs(): number
  /** The owner whose consent this is. Throws a ProblemError for any other. */
  ownerOf(consent: Consent): string
  /** The time for what is shown or stored, in epoch milliseconds. */
  now(): number
  log(level: 'error', what: string, fields: Readonly<Record<string, string>>): void
}

/** The longest time that an item may wait to leave, in milliseconds. After it the item fails. */
export const timeToLiveMs = 24 * 60 * 60 * 1000

/**
 * The only way out of the gate. Every outgoing item waits here in the queue of its chat. Its revision is
 * compared with the gate's in the same step in which it is sent, with no await in between.
 */
export const createDoor = (ports: DoorPorts) => {
  const { outbox, pauses, elapsedMs, now } = ports
  const queues = createChatQueues()
  const admitted = new WeakSet<OutgoingMessage>()
  const hold = createHold({ ...ports, queues })
  const isTooOld = ({ bornMs }: WaitingItem): boolean => elapsedMs() - bornMs > timeToLiveMs
  const review = createReview({ ...ports, queues, hold, isTooOld })
  pauses.onOpen(queues.lookAll)
  let sequence = 0

  const deliverNow = async (
    channel: Channel,
    outgoing: OutgoingMessage,
    slot: SendSlot,
  ): Promise<Delivery> => {
    const presses = (outgoing.buttons ?? []).flat().map(({ press }) => press)
    admitted.add(outgoing)
    slot.start()
    // A messenger that answers late may have shown the buttons at once.
    ports.buttonsLeft(presses)
    try {
      return await channel.deliver(outgoing)
    } finally {
      ports.buttonsLeft(presses)
      admitted.delete(outgoing)
      slot.end()
    }
  }

  const send = createSend({ ...ports, queues, review, isTooOld, deliverNow })

  const leaveQueue = (queue: ChatQueue, waiting: WaitingItem): void => {
    const items = itemsLike(queue, waiting.item)
    const at = items.indexOf(waiting)
    if (at >= 0) items.splice(at, 1)
    hold.end(waiting)
  }

  /**
   * The queue does not wait for the store. The store keeps the order, and writes of the same moment share one
   * commit.
   */
  const finish = (queue: ChatQueue, waiting: WaitingItem, settled: ItemOutcome): void => {
    const { item, judged } = waiting
    leaveQueue(queue, waiting)
    const sent = judged?.kind === 'leaves' ? judged.content : undefined
    void outbox.settle(item, { eventId: judged?.eventId, ...settled }, sent)
  }

  const pump = (queue: ChatQueue): void => {
    if (queue.isSending || queue.isPaused || pauses.isClosed(queue.channel)) return
    const waiting = review.next(queue)
    if (waiting === undefined) return
    queue.isSending = true
    void send(queue, waiting)
      .then((settled) => {
        if (settled !== undefined) finish(queue, waiting, settled)
      })
      .catch((error: unknown) => {
        ports.log('error', 'sending failed inside hookgate', { error: messageOf(error) })
        finish(queue, waiting, { outcome: 'unknown', why: 'hookgate failed while sending it' })
      })
      .then(() => {
        queue.isSending = false
        pump(queue)
      })
  }
  queues.onLook(pump)

  return {
    /** The next sequence number. */
    sequence: (): number => (sequence = Math.max(sequence + 1, now() * 1000)),
    /**
     * Resolves when the item, once judged, is in its chat's queue. A withheld item enters no queue, and the
     * caller removes its row. `judging` absent: the item is judged before it leaves. `form`: the form of a
     * notice. `isStored` resolves when the item is on disk, or with false when a new push could not be
     * written. Such a push never leaves.
     */
    enqueue: async (
      item: OutgoingItem,
      judging?: Promise<{ readonly judged: JudgedPush | undefined }>,
      form: NoticeForm = {},
    ): Promise<{ readonly isStored: Promise<boolean> }> => {
      const queue = queues.of(item)
      const isStored = outbox.put(item, item.kind === 'push' && judging !== undefined)
      const waiting: WaitingItem = {
        item,
        isStored,
        form,
        // An item that waited when the gate last stopped keeps the age that it had then.
        bornMs: elapsedMs() - Math.max(0, now() - item.createdAtMs),
        judged: undefined,
        epoch: review.epoch(),
        isJudging: false,
        pieces: [],
        sent: 0,
      }
      if (judging === undefined && item.kind === 'notice') void review.judgeAgain(queue, waiting)
      let isLost = false
      void isStored.then((is) => {
        isLost = !is
        if (isLost) leaveQueue(queue, waiting)
      })
      const judged = (await judging)?.judged
      // No owner is asked about what the gate would forget with its process.
      if (judged?.kind === 'asks') await isStored
      if (judged?.kind === 'withheld' || isLost) return { isStored }
      itemsLike(queue, item).push(waiting)
      if (judged !== undefined) review.take(queue, waiting, judged, waiting.epoch)
      queues.look(queue)
      return { isStored }
    },
    /** True while exactly this message is being sent. */
    isAdmitted: (outgoing: OutgoingMessage): boolean => admitted.has(outgoing),
    /** The gate changed: every waiting item is checked again. */
    wake: (): void => {
      review.gateChanged()
      queues.lookAll()
    },
    /** Summarizes the pushes that wait, for each chat. */
    waiting: (): readonly ChatBacklog[] => queues.all().flatMap(waitingSummary),
    /** The pushes that wait for an owner's decision. */
    held: hold.all,
    onHeld: hold.onChange,
    /** The owner who consents released exactly this content. False: no push waits under that key. */
    release: (key: string, consent: Consent): boolean => {
      ports.ownerOf(consent)
      return hold.release(key)
    },
    /** The owner who consents withheld the push. False: no push waits under that key. */
    withhold: (key: string, consent: Consent): boolean => {
      const by = ports.ownerOf(consent)
      const found = hold.find(key)
      if (found !== undefined)
        finish(found.queue, found.waiting, {
          outcome: 'withheld',
          why: 'an owner withheld it',
          by,
          byOwner: true,
        })
      return found !== undefined
    },
  }
}

export type Door = ReturnType<typeof createDoor>

import type { Channel, Delivery } from '../../model/chat/channel.ts'
import type { Content } from '../../model/chat/content.ts'
import type { Address, OutgoingMessage } from '../../model/chat/push.ts'
import type { OutgoingItem } from '../outbox/outbox-body.ts'
import type { JudgedPush, ItemOutcome } from '../judged.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { outgoingOf, readFiles } from './outgoing-message.ts'
import type { MessengerLinks } from '../text/messenger-links.ts'
import { isWhole, lostFilePiece, piecesOf } from './pieces.ts'
import type { Review } from './review.ts'
import { withSentCount, type ChatQueue, type ChatQueues, type WaitingItem } from './waiting.ts'

type Delivered = Extract<Delivery, { kind: 'delivered' }>
type Retry = Extract<Delivery, { kind: 'retry' }>

/**
 * A reserved slot for one send. It counts from the start of the send, and again from its end: nobody knows
 * when in between the messenger counts it.
 */
export interface SendSlot {
  start(): void
  /** A send that never started does not count. */
  end(): void
}

/** The rate limits of the messengers. */
export interface Limits {
  /** Reserves a slot. Undefined: none is free yet; `again` is called once when it is worth trying again. */
  take(address: Address, again: () => void): SendSlot | undefined
  /** Reserves a slot even when none is free. Later sends wait longer because of it. */
  force(address: Address): SendSlot
}

/** The pauses that messengers ask for. */
export interface Pauses {
  /** The pause of a chat after `tries` failed sends in a row, in milliseconds. */
  restMs(address: Address, retry: Retry, tries: number): number
  /** True while nothing may leave on this channel. */
  isClosed(channel: string): boolean
  /** The listener is called when something may leave on a channel again. */
  onOpen(listener: (channel: string) => void): void
}

export interface SendPorts {
  readonly queues: ChatQueues
  readonly outbox: Outbox
  readonly limits: Limits
  readonly pauses: Pauses
  readonly review: Review
  readonly links: MessengerLinks
  channel(name: string): Channel | undefined
  gate(): { readonly lockdown?: string }
  isTooOld(waiting: WaitingItem): boolean
  /** Delivers one message. The delivery starts synchronously within this call. */
  deliverNow(channel: Channel, outgoing: OutgoingMessage, slot: SendSlot): Promise<Delivery>
  /**
   * Records that a notice which shows these handles is about to leave with a part hidden by this hook, or
   * that it has left complete. `isPart`: it shows too little for a yes. `messageId`: the messenger's id of
   * the notice after it left.
   */
  shown(handles: readonly string[], isPart: boolean, hiddenBy?: string, messageId?: string): void
  /** The bytes of a stored file, or undefined when they have changed. */
  readFile(sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** The messenger's id of the message that a push is about. */
  messageOf(item: OutgoingItem, content: Content): Promise<string | undefined>
  after(delayMs: number, run: () => void): void
}

const failedOutcome = (why: string): ItemOutcome => ({ outcome: 'failed', why })

const noTarget = ({ type }: Content): string =>
  type === 'reaction'
    ? 'its target is neither a message of this agent nor one that a person wrote in this chat'
    : 'its target did not arrive, or arrived as several messages'

const storeRetry: Retry = { kind: 'retry', afterMs: 1000, why: 'the store could not be written' }

/** The outcome of an item that the hooks do not let out. */
const blockedOutcome = (judged: Exclude<JudgedPush, { kind: 'leaves' }>): ItemOutcome =>
  judged.kind === 'withheld'
    ? { ...judged, outcome: 'withheld' }
    : { outcome: 'withheld', why: 'no owner released it within a day', by: 'hookgate' }

/**
 * The outcome when every piece has left. Only a push of one message can be named later. Of a notice the last
 * message can, which has its buttons.
 */
const deliveredOutcome = (
  { item, pieces }: WaitingItem,
  { message_id, chat_id }: Delivered,
): ItemOutcome => ({
  outcome: 'delivered',
  message:
    message_id === undefined || (pieces.length > 1 && item.kind === 'push')
      ? undefined
      : { channel: item.channel, chat_id: item.chat_id, message_id },
  chat_id,
})

/**
 * Sends an item, one piece after the other. Each piece is compared with the gate's state in the same step in
 * which it is sent. Resolves with the outcome, or with undefined when the item has to wait for another turn.
 */
export const createSend = (ports: SendPorts) => {
  const { queues, outbox, limits, pauses, review } = ports

  /**
   * A notice does not wait for a rate limit, since an owner's answer must not wait for an agent's messages.
   * It still counts.
   */
  const slotFor = (queue: ChatQueue, item: OutgoingItem): SendSlot | undefined => {
    if (item.kind === 'notice') return limits.force(item)
    const slot = limits.take(item, () => {
      queue.isHeldBack = false
      queues.look(queue)
    })
    queue.isHeldBack = slot === undefined
    return slot
  }

  const pauseLane = (queue: ChatQueue, item: OutgoingItem, retry: Retry): void => {
    queue.tries += 1
    queue.why = retry.why
    queue.isPaused = true
    // This is a flag and not a time: a timer may fire before the clock reaches the time, and then nothing
    // would look again.
    ports.after(pauses.restMs(item, retry, queue.tries), () => {
      queue.isPaused = false
      queues.look(queue)
    })
  }

  /**
   * No piece is being sent. Once a piece has left, the state stays 'sending': after a crash the owners are
   * told, and the push is not repeated.
   */
  const requeue = async ({ item, sent }: WaitingItem): Promise<undefined> => {
    if (sent === 0) await outbox.setState(item, 'queued')
  }

  const sendPiece = async (
    queue: ChatQueue,
    waiting: WaitingItem,
    piece: Content,
    { channel, target }: { readonly channel: Channel; readonly target: string | undefined },
  ): Promise<Delivered | ItemOutcome | undefined> => {
    const { item } = waiting
    const slot = slotFor(queue, item)
    if (slot === undefined) return undefined
    const files = piece.files.length === 0 ? [] : await readFiles(piece, ports.readFile)
    if (files === undefined) {
      slot.end()
      return failedOutcome(withSentCount(waiting, 'one of its files is missing or was changed'))
    }
    if (waiting.sent === 0) {
      // A new item is written and marked at once, so that both may share one commit.
      const isMarked = outbox.mark(item)
      const isStored = await waiting.isStored
      if (!isStored || !(await isMarked)) {
        slot.end()
        if (isStored) pauseLane(queue, item, storeRetry)
        return undefined
      }
    }
    const position = { at: waiting.sent, of: waiting.pieces.length }
    const more = { files, target, form: waiting.form, links: ports.links }
    const outgoing = outgoingOf(item, piece, position, more)
    if (review.isStale(waiting) || (item.kind === 'push' && ports.gate().lockdown !== undefined)) {
      slot.end()
      return requeue(waiting)
    }
    const delivery = await ports.deliverNow(channel, outgoing, slot)
    if (delivery.kind === 'retry') {
      pauseLane(queue, item, delivery)
      return requeue(waiting)
    }
    queue.tries = 0
    if (delivery.kind === 'delivered') return delivery
    return { outcome: delivery.kind, why: withSentCount(waiting, delivery.why) }
  }

  return async (queue: ChatQueue, waiting: WaitingItem): Promise<ItemOutcome | undefined> => {
    const { item, judged } = waiting
    if (judged === undefined) return undefined
    if (judged.kind !== 'leaves') return blockedOutcome(judged)
    const channel = ports.channel(item.channel)
    if (channel === undefined) return failedOutcome(`no channel "${item.channel}" is connected`)
    if (ports.isTooOld(waiting)) return failedOutcome(withSentCount(waiting, 'it waited longer than a day'))
    const { content, shows } = judged
    // This comes before the send, since an owner's answer may come at once.
    if (shows?.hiddenBy !== undefined) ports.shown(shows.handles, shows.isPart, shows.hiddenBy)
    if (waiting.sent === 0) waiting.pieces = piecesOf(content, channel)
    if (waiting.pieces.length > 1 && isWhole(content.type))
      return failedOutcome(
        `Expected one message of at most ${channel.maxUnits} characters, got ${content.text.length}.`,
      )
    const target = content.target === undefined ? undefined : await ports.messageOf(item, content)
    if (content.target !== undefined && target === undefined) return failedOutcome(noTarget(content))
    let last: Delivered = { kind: 'delivered' }
    while (waiting.sent < waiting.pieces.length) {
      const piece = waiting.pieces[waiting.sent] ?? content
      const result = await sendPiece(queue, waiting, piece, { channel, target })
      if (result === undefined) return undefined
      if ('outcome' in result) {
        if (item.kind === 'push' || piece.files.length === 0) return result
        // The words of a notice arrive without its file, too. They say so, unless it may have arrived.
        if (result.outcome === 'failed') {
          waiting.pieces = [lostFilePiece(content), ...waiting.pieces.slice(1)]
          continue
        }
      } else last = result
      waiting.sent += 1
    }
    if (shows !== undefined) ports.shown(shows.handles, shows.isPart, shows.hiddenBy, last.message_id)
    return deliveredOutcome(waiting, last)
  }
}

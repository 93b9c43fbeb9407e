import {
  chatKey,
  type Address,
  type HeldPush,
  type NoticeForm,
  type ChatBacklog,
} from '../../model/chat/push.ts'
import { createListeners } from '../outbox/listeners.ts'
import type { OutgoingItem } from '../outbox/outbox-body.ts'
import type { Content } from '../../model/chat/content.ts'
import { isSameContent } from '../text/content.ts'
import type { JudgedPush } from '../judged.ts'

/** One outgoing item and the state of its delivery. */
export interface WaitingItem {
  readonly item: OutgoingItem
  /** Resolves when it is on disk, or with false when it may not leave, since it could not be written. */
  readonly isStored: Promise<boolean>
  readonly form: NoticeForm
  /** When it was created, in milliseconds of the clock that nobody can set. */
  readonly bornMs: number
  judged: JudgedPush | undefined
  /**
   * The number of lockdowns before it was judged. A ledger that was started anew counts its revisions from
   * the beginning, so the revision alone is not enough.
   */
  epoch: number
  isJudging: boolean
  /** The messages into which its content is cut. */
  pieces: readonly Content[]
  /** The number of pieces that have left. */
  sent: number
  /** The push as owners see it while a hook asks for their decision, from its last verdict. */
  held?: HeldPush
  /** When the owners were first asked, in milliseconds of the clock that nobody can set. */
  heldFromMs?: number
  consent?: string
}

/** The outgoing queues of one chat. Items leave one after the other. */
export interface ChatQueue {
  readonly channel: string
  /** The waiting items, in order. Notices go first. */
  readonly notices: WaitingItem[]
  readonly pushes: WaitingItem[]
  isSending: boolean
  /** The messenger could not be reached, or it asked for a pause. */
  isPaused: boolean
  /** Its pushes wait for a free slot under the messenger's rate limits. */
  isHeldBack: boolean
  /** The number of failed tries in a row, and the reason of the last one. */
  tries: number
  why?: string
}

/**
 * A queue is never removed. An item that is still being written to disk is in no queue yet, and a second
 * queue of its chat would overtake it.
 */
export const createChatQueues = () => {
  const queues = new Map<string, ChatQueue>()
  const looks = createListeners<[queue: ChatQueue]>()
  const all = (channel?: string): readonly ChatQueue[] =>
    [...queues.values()].filter((queue) => channel === undefined || queue.channel === channel)
  return {
    of: (address: Address): ChatQueue => {
      const key = chatKey(address)
      const queue: ChatQueue = queues.get(key) ?? {
        channel: address.channel,
        notices: [],
        pushes: [],
        isSending: false,
        isPaused: false,
        isHeldBack: false,
        tries: 0,
      }
      queues.set(key, queue)
      return queue
    },
    /** The queues of one channel, or all queues. */
    all,
    /** Tells the listeners that a queue changed and that its next item may leave now. */
    look: looks.tell,
    /** Does the same for all queues of one channel, or for all queues. */
    lookAll: (channel?: string): void => {
      for (const queue of all(channel)) looks.tell(queue)
    },
    onLook: looks.on,
  }
}

export type ChatQueues = ReturnType<typeof createChatQueues>

/** The items of a chat's queue among which one of this kind waits. */
export const itemsLike = (queue: ChatQueue, { kind }: OutgoingItem): WaitingItem[] =>
  kind === 'notice' ? queue.notices : queue.pushes

/**
 * The verdict to follow when an item was judged again after some of its pieces had left. The rest of a push
 * is withheld when the content changed. A notice starts again from its first piece, since its fixed words
 * must arrive.
 */
export const continuedVerdict = (waiting: WaitingItem, judged: JudgedPush): JudgedPush => {
  if (waiting.sent === 0 || waiting.judged?.kind !== 'leaves') return judged
  if (judged.kind === 'leaves' && isSameContent(judged.content, waiting.judged.content)) return judged
  if (waiting.item.kind === 'push')
    return {
      kind: 'withheld',
      why: 'the gate changed while it was being sent; the rest was withheld',
      eventId: judged.eventId,
    }
  waiting.sent = 0
  return judged
}

/** The reason why the rest does not leave, with the number of pieces that did. */
export const withSentCount = ({ sent, pieces }: WaitingItem, why: string): string =>
  sent === 0 ? why : `${why} (${sent} of ${pieces.length} parts had been sent)`

/** The summary of the pushes that wait in a queue. Empty when none waits. */
export const waitingSummary = ({ channel, pushes, tries, why }: ChatQueue): readonly ChatBacklog[] => {
  const [first] = pushes
  if (first === undefined) return []
  return [
    {
      channel,
      chat_id: first.item.chat_id,
      count: pushes.length,
      sinceMs: first.item.createdAtMs,
      why: tries === 0 ? undefined : why,
    },
  ]
}

import type { HeldPush, NoticeForm, Waits } from '../../model/chat/push.ts'
import type { OutgoingItem } from '../outbox/outbox-body.ts'
import type { Content } from '../../model/chat/content.ts'
import { isSameContent } from '../text/content.ts'
import type { JudgedPush } from '../judged.ts'
import type { ChatQueue as LaneOf, createLanes } from './lanes.ts'

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

export type Lane = LaneOf<WaitingItem>
export type Lanes = ReturnType<typeof createLanes<WaitingItem>>

/** The queue of a lane in which an item of this kind waits. */
export const queueOf = (lane: Lane, { kind }: OutgoingItem): WaitingItem[] =>
  kind === 'notice' ? lane.notices : lane.pushes

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

/** The summary of the pushes that wait in a lane. Empty when none waits. */
export const waitingSummary = ({ channel, pushes, tries, why }: Lane): readonly Waits[] => {
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

import type { HeldPush, NoticeForm, Waits } from '../../model/chat/push.ts'
import type { OutboxItem } from '../../model/events/record.ts'
import type { Content } from '../../model/chat/content.ts'
import { isSameContent } from '../text/content.ts'
import type { JudgedPush } from '../judged.ts'
import type { ChatQueue as LaneOf, createLanes } from './lanes.ts'

/** Something on its way out. */
export interface WaitingItem {
  readonly item: OutboxItem
  readonly form: NoticeForm
  /** When it was said, by the clock that nobody can set. */
  readonly bornMs: number
  judged: JudgedPush | undefined
  /** How often the gate had been in lockdown when it was judged: a ledger that began anew counts its revisions anew. */
  epoch: number
  isJudging: boolean
  /** The messages as which it leaves. */
  pieces: readonly Content[]
  /** How many of them have left. */
  sent: number
  /** What an owner's word is asked for, as it was judged last, and to which content they said yes. */
  held?: HeldPush
  /** Since when, by the clock that nobody can set. */
  heldFromMs?: number
  consent?: string
}

export type Lane = LaneOf<WaitingItem>
export type Lanes = ReturnType<typeof createLanes<WaitingItem>>

/** Where in a lane an item of this kind waits. */
export const queueOf = (lane: Lane, { kind }: OutboxItem): WaitingItem[] =>
  kind === 'notice' ? lane.notices : lane.pushes

/** What was begun under another verdict: the rest of a push is withheld, a notice begins anew, since its fixed words must arrive. */
export const takenUp = (waiting: WaitingItem, judged: JudgedPush): JudgedPush => {
  if (waiting.sent === 0 || waiting.judged?.kind !== 'leaves') return judged
  if (judged.kind === 'leaves' && isSameContent(judged.content, waiting.judged.content)) return judged
  if (waiting.item.kind === 'push')
    return { kind: 'withheld', why: 'the gate changed while it was being sent; the rest was withheld' }
  waiting.sent = 0
  return judged
}

/** Why the rest does not leave, and how much of it did. */
export const withLeft = ({ sent, pieces }: WaitingItem, why: string): string =>
  sent === 0 ? why : `${why} (${sent} of ${pieces.length} parts had left)`

/** What agents said to a lane's chat and did not leave yet; none where nothing waits. */
export const waitsIn = ({ channel, pushes, tries, why }: Lane): readonly Waits[] => {
  const [first] = pushes
  if (first === undefined) return []
  return [
    {
      channel,
      chat_id: first.item.chat_id,
      count: pushes.length,
      sinceMs: first.item.createdAtMs,
      ...(tries === 0 || why === undefined ? {} : { why }),
    },
  ]
}

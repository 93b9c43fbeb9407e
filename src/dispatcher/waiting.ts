import type { HeldPush, NoticeForm } from '../model/push.ts'
import type { OutboxItem } from '../model/record.ts'
import { isSameContent } from './content.ts'
import type { JudgedPush } from './judged.ts'
import type { ChatQueue as LaneOf } from './lanes.ts'
import type { Piece } from './pieces.ts'

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
  pieces: readonly Piece[]
  sent: number
  /** What an owner's word is asked for, as it was judged last, and to which content they said yes. */
  held?: HeldPush
  /** Since when, by the clock that nobody can set. */
  heldFromMs?: number
  consent?: string
}

export type Lane = LaneOf<WaitingItem>

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

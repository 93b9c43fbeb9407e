import type { OutboxItem } from '../../model/events/record.ts'
import type { Hold } from './hold.ts'
import type { JudgedPush } from '../judged.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { takenUp, type Lane, type Lanes, type WaitingItem } from './waiting.ts'

export interface ReviewPorts {
  readonly lanes: Lanes
  readonly hold: Hold
  readonly outbox: Outbox
  gate(): { readonly revision: number; readonly lockdown?: string }
  /** Puts an item's body to the hooks as they stand now. `consent`: to what an owner said yes. Never rejects. */
  judge(item: OutboxItem, consent?: string): Promise<JudgedPush>
}

/** Compares what waits with the gate as it stands, and has it judged again when that is not what it was judged under. */
export const createReview = ({ lanes, hold, outbox, gate, judge }: ReviewPorts) => {
  let epoch = 0

  const take = (lane: Lane, waiting: WaitingItem, judged: JudgedPush, begun: number): void => {
    waiting.judged = takenUp(waiting, judged)
    waiting.epoch = begun
    if (waiting.judged.kind !== 'asks') return
    hold.begin(lane, waiting, waiting.judged)
    void outbox.setState(waiting.item, 'held')
  }

  const judgeAgain = async (lane: Lane, waiting: WaitingItem): Promise<void> => {
    if (waiting.isJudging) return
    waiting.isJudging = true
    const begun = epoch
    const judged = await judge(waiting.item, waiting.consent)
    waiting.isJudging = false
    take(lane, waiting, judged, begun)
    lanes.look(lane)
  }

  /** True when the item has to be judged before it may leave under the gate as it stands this instant. */
  const isStale = ({ item, judged, epoch: judgedIn }: WaitingItem): boolean =>
    judged?.kind !== 'withheld' &&
    (judged?.revision !== gate().revision || (item.kind === 'push' && judgedIn !== epoch))

  return {
    /** How often the gate was looked at in lockdown. */
    epoch: (): number => epoch,
    /** The gate changed. After a lockdown no revision from before it counts. */
    gateChanged: (): void => {
      if (gate().lockdown !== undefined) epoch += 1
    },
    /** Takes what the hooks made of it, asked in that epoch. */
    take,
    judgeAgain,
    isStale,
    /** True when the item may leave; else it is judged, and comes back. */
    isCurrent: (lane: Lane, waiting: WaitingItem): boolean => {
      if (!isStale(waiting)) return true
      void judgeAgain(lane, waiting)
      return false
    },
  }
}

export type Review = ReturnType<typeof createReview>

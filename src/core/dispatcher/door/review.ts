import type { Hold } from './hold.ts'
import type { JudgedPush } from '../judged.ts'
import type { OutgoingItem } from '../outbox/outbox-body.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { continuedVerdict, type ChatQueue, type ChatQueues, type WaitingItem } from './waiting.ts'

export interface ReviewPorts {
  readonly queues: ChatQueues
  readonly hold: Hold
  readonly outbox: Outbox
  isTooOld(waiting: WaitingItem): boolean
  gate(): { readonly revision: number; readonly lockdown?: string }
  /** Asks the current hooks about an item's body. Never rejects. */
  judge(item: OutgoingItem): Promise<JudgedPush>
}

/**
 * Compares waiting items with the current state of the gate. An item that was judged under another state is
 * judged again.
 */
export const createReview = ({ queues, hold, outbox, isTooOld, gate, judge }: ReviewPorts) => {
  let epoch = 0

  const take = (queue: ChatQueue, waiting: WaitingItem, judged: JudgedPush, startEpoch: number): void => {
    waiting.judged = continuedVerdict(waiting, hold.withWord(waiting, judged))
    waiting.epoch = startEpoch
    if (waiting.judged.kind !== 'asks') return
    hold.begin(queue, waiting, waiting.judged)
    void outbox.setState(waiting.item, 'held')
  }

  const judgeAgain = async (queue: ChatQueue, waiting: WaitingItem): Promise<void> => {
    if (waiting.isJudging) return
    waiting.isJudging = true
    const startEpoch = epoch
    const judged = await judge(waiting.item)
    waiting.isJudging = false
    take(queue, waiting, judged, startEpoch)
    queues.look(queue)
  }

  /** True when the item has to be judged again before it may leave. */
  const isStale = ({ judged, epoch: judgedIn }: WaitingItem): boolean =>
    judged?.kind !== 'withheld' && (judged?.revision !== gate().revision || judgedIn !== epoch)

  /** True when the item may leave. Otherwise it is judged again, and its queue is told afterwards. */
  const isCurrent = (queue: ChatQueue, waiting: WaitingItem): boolean => {
    if (!isStale(waiting)) return true
    void judgeAgain(queue, waiting)
    return false
  }

  return {
    /** The number of times that the gate was found in lockdown. */
    epoch: (): number => epoch,
    /** The gate changed. After a lockdown, no revision from before it is valid. */
    gateChanged: (): void => {
      if (gate().lockdown !== undefined) epoch += 1
    },
    /** Stores the hooks' verdict, with the epoch in which they were asked. */
    take,
    judgeAgain,
    isStale,
    /**
     * Chooses the next item of a queue. Notices go first, then pushes in order. A push that waits for an
     * owner's decision blocks later ones only for a limited time.
     */
    next: (queue: ChatQueue): WaitingItem | undefined => {
      const [notice] = queue.notices
      if (notice !== undefined && isCurrent(queue, notice)) return notice
      if (gate().lockdown !== undefined) return undefined
      for (const push of queue.pushes) {
        // A notice is judged within seconds, and it often explains the push that comes after it.
        if (notice !== undefined && notice.item.seq < push.item.seq) return undefined
        // It is judged while it waits, so that it is ready at its turn.
        if (!isCurrent(queue, push)) return undefined
        if (push.judged?.kind !== 'asks')
          return !queue.isHeldBack || push.judged?.kind === 'withheld' ? push : undefined
        if (isTooOld(push)) return push
        if (hold.isInFront(push)) return undefined
      }
      return undefined
    },
  }
}

export type Review = ReturnType<typeof createReview>

import type { Hold } from './hold.ts'
import type { Review } from './review.ts'
import type { Lane, WaitingItem } from './waiting.ts'

export interface TurnPorts {
  readonly hold: Hold
  readonly review: Review
  gate(): { readonly lockdown?: string }
  isTooOld(waiting: WaitingItem): boolean
}

/**
 * Chooses the next item of a lane. Notices go first, then pushes in order. A push that waits for an owner's
 * decision blocks later ones only for a limited time.
 */
export const createTurns =
  ({ hold, review, gate, isTooOld }: TurnPorts) =>
  (lane: Lane): WaitingItem | undefined => {
    const [notice] = lane.notices
    if (notice !== undefined && review.isCurrent(lane, notice)) return notice
    if (gate().lockdown !== undefined) return undefined
    for (const push of lane.pushes) {
      // A notice is judged within seconds, and it often explains the push that comes after it.
      if (notice !== undefined && notice.item.seq < push.item.seq) return undefined
      // It is judged while it waits, so that it is ready at its turn.
      if (!review.isCurrent(lane, push)) return undefined
      if (push.judged?.kind !== 'asks')
        return !lane.isHeldBack || push.judged?.kind === 'withheld' ? push : undefined
      if (isTooOld(push)) return push
      if (hold.isInFront(push)) return undefined
    }
    return undefined
  }

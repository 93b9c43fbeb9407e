import type { Reserve } from '../../core/gatekeeper/ledger/reserve.ts'
import { fixed, type Prose } from '../../core/model/chat/prose.ts'

const usedNotice = fixed(
  '⚠ The disk is full. hookgate has used part of the space that it reserves for your commands, or cannot reserve it.\nFree some disk space. Until then messages of agents are refused, and the history has gaps.',
)

const restoredNotice = fixed('The disk has free space again, and the reserve for your commands is complete.')
/** Fills the reserve at each look, and tells the owners when it is used and when it is complete again. */
export const createReserveWatch = (reserve: Reserve, tellOwners: (text: Prose) => void) => {
  let isWhole = true
  return {
    look: (): void => {
      const isFilled = reserve.fill()
      if (isFilled === isWhole) return
      isWhole = isFilled
      tellOwners(isFilled ? restoredNotice : usedNotice)
    },
  }
}

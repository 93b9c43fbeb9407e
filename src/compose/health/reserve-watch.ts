import fs from 'node:fs'
import { pieceBytes, createReserve, type FilledReserve } from './reserve.ts'
import { fixed, type Prose } from '../../core/model/chat/prose.ts'

const usedNotice = fixed(
  '⚠ The disk is full. hookgate has used part of the space that it reserves for your commands, or cannot reserve it.\nFree some disk space. Until then messages of agents are refused, and the history has gaps.',
)

const restoredNotice = fixed('The disk has free space again, and the reserve for your commands is complete.')
/** Fills the reserve at each look, and tells the owners when it is used and when it is complete again. */
export const createReserveWatch = (reserve: FilledReserve, tellOwners: (text: Prose) => void) => {
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

/** A start with less free space than this uses the reserve, because it writes some small files. */
const startBytes = pieceBytes
/** Frees a piece of the reserve for a start on a full disk. */
export const makeRoom = (home: string): void => {
  try {
    const { bavail, bsize } = fs.statfsSync(home)
    if (bavail * bsize < startBytes) createReserve(home).give()
  } catch {
    // The first write that fails reports the reason.
  }
}

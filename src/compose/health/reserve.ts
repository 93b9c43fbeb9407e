import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Reserve } from '../../core/gatekeeper/ledger/reserve.ts'

/**
 * The reserve has several pieces, because a program that fills the disk may take the space of one piece
 * first.
 */
const pieces = 4
export const pieceBytes = 512 * 1024
/** The reserve is filled again when the free space is this many times its size. */
const roomFactor = 4

/** Files without use, deleted one by one when the disk is full. */
export interface FilledReserve extends Reserve {
  /**
   * Writes missing pieces again when there is enough free space. True when the reserve is complete. Never
   * throws.
   */
  fill(): boolean
}

export const createReserve = (home: string): FilledReserve => {
  const files = Array.from({ length: pieces }, (_, index) => path.join(home, 'reserve', String(index)))
  const isThere = (file: string): boolean =>
    fs.lstatSync(file, { throwIfNoEntry: false })?.size === pieceBytes
  return {
    give: () => {
      const file = files.findLast((one) => fs.existsSync(one))
      if (file === undefined) return false
      try {
        fs.rmSync(file)
        return true
      } catch {
        return false
      }
    },
    fill: () => {
      try {
        const missing = files.filter((file) => !isThere(file))
        if (missing.length === 0) return true
        const { bavail, bsize } = fs.statfsSync(home)
        if (bavail * bsize < roomFactor * pieces * pieceBytes) return false
        fs.mkdirSync(path.join(home, 'reserve'), { recursive: true, mode: 0o700 })
        // Random bytes keep their size on a file system that compresses.
        for (const file of missing) fs.writeFileSync(file, randomBytes(pieceBytes), { mode: 0o600 })
        return true
      } catch {
        return false
      }
    },
  }
}

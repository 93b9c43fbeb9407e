import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fixed, type Prose } from '../../model/chat/prose.ts'

/** Each piece is given up by itself: whoever fills the disk may be quicker with the space of one. */
const pieces = 4
const pieceBytes = 512 * 1024
/** A piece is laid down again when so many times the whole reserve is free. */
const roomFactor = 4
const full: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Whether the system had no room for what was to be written. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && full.has(error.code)

/** Space that is kept for owners' acts: files of no use, given up one by one when the disk is full. */
export interface Reserve {
  /** Gives up one piece. False: there is none left. */
  give(): boolean
  /** Lays down again what was given up, where there is room. True: all of it is there. Never throws. */
  fill(): boolean
}

export const createReserve = (home: string): Reserve => {
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
        // Random bytes, since a file system that compresses would keep no room for zeros.
        for (const file of missing) fs.writeFileSync(file, randomBytes(pieceBytes), { mode: 0o600 })
        return true
      } catch {
        return false
      }
    },
  }
}

/** Less than this is free, and a start lays hands on the reserve, since it writes some small files. */
const startBytes = pieceBytes

/** Makes room for a start on a full disk, as far as the reserve reaches. */
export const makeRoom = (home: string): void => {
  try {
    const { bavail, bsize } = fs.statfsSync(home)
    if (bavail * bsize < startBytes) createReserve(home).give()
  } catch {
    // What stands in the way of the start is told by what cannot be written.
  }
}

const gone = fixed(
  [
    '⚠ The disk is full: of what hookgate keeps in reserve for your own commands a part is spent, or cannot be laid by.',
    'Make room on it. Until then what an agent wants to send is refused, and the history has gaps.',
  ].join('\n'),
)
const back = fixed('There is room on the disk again, and the reserve for your own commands is laid by.')

/** Looks after the reserve, and tells the owners when it is spent and when it is there again. */
export const createReserveWatch = (reserve: Reserve, tellOwners: (text: Prose) => void) => {
  let isWhole = true
  return {
    look: (): void => {
      const is = reserve.fill()
      if (is === isWhole) return
      isWhole = is
      tellOwners(is ? back : gone)
    },
  }
}

/** Tries once more for each piece of the reserve that has to be given up for it. */
export const withReserve = <T>(reserve: Reserve | undefined, write: () => T): T => {
  for (;;) {
    try {
      return write()
    } catch (error) {
      if (!isFull(error) || reserve?.give() !== true) throw error
    }
  }
}

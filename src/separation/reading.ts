import { fstatSync, realpathSync, statSync, type BigIntStats } from 'node:fs'
import { dirname, relative } from 'node:path'

/** Who reads: `groups` are the ones that the system gives it. */
export interface Reader {
  readonly uid: number
  readonly groups: readonly number[]
}

/** Whether one of the three bits of a mode is this reader's: the owner's, the group's or everybody's. */
const may = ({ uid, groups }: Reader, stat: BigIntStats, bit: bigint): boolean => {
  const shift = Number(stat.uid) === uid ? 6n : groups.includes(Number(stat.gid)) ? 3n : 0n
  return ((stat.mode >> shift) & bit) !== 0n
}

/** Whether somebody can pass through a folder and all above it. */
export const canEnter = (reader: Reader, folder: string): boolean =>
  may(reader, statSync(folder, { bigint: true }), 1n) && (dirname(folder) === folder || canEnter(reader, dirname(folder)))

/**
 * What the agent proposes to read must be something that it could read itself: the gate has more rights than it, and
 * what it reads is shown on cards and sealed. Judged by the opened file, wherever links led: by its mode and those of
 * the folders on its real way. Why it may not be used, as a clause; undefined when it may. `reader` absent: the gate's
 * own rights are the agent's, and only the gate's folder is closed. `isHidden`: what the agent does not see at all.
 */
export const createReadRule = (home: string, reader: Reader | undefined, isHidden: (real: string) => boolean = () => false) => (descriptor: number, path: string): string | undefined => {
  try {
    const opened = fstatSync(descriptor, { bigint: true })
    const real = realpathSync(path)
    const there = statSync(real, { bigint: true })
    if (there.dev !== opened.dev || there.ino !== opened.ino) return 'one that was exchanged while it was opened'
    const way = relative(realpathSync(home), real)
    if (way !== '..' && !way.startsWith('../')) return 'a file inside the gate’s own folder'
    if (isHidden(real) || (reader !== undefined && !(may(reader, opened, 4n) && canEnter(reader, dirname(real))))) return 'a file that the agent itself may not read'
    return undefined
  } catch {
    return 'one that was moved while it was opened'
  }
}

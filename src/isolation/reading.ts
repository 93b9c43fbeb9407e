import { fstatSync, realpathSync, statSync, type BigIntStats } from 'node:fs'
import { dirname, relative } from 'node:path'
import { isShown, type SandboxOptions } from './sandbox/mounts.ts'
import { isUnder, realOf } from './paths.ts'
import { personPlaces } from './person-places.ts'

/** Who reads: `groups` are the ones that the system gives it. */
export interface FileReaderUser {
  readonly uid: number
  readonly groups: readonly number[]
}

/** Whether one of the three bits of a mode is this reader's: the owner's, the group's or everybody's. */
const may = ({ uid, groups }: FileReaderUser, stat: BigIntStats, bit: bigint): boolean => {
  const shift = Number(stat.uid) === uid ? 6n : groups.includes(Number(stat.gid)) ? 3n : 0n
  return ((stat.mode >> shift) & bit) !== 0n
}

/** Whether somebody can pass through a folder and all above it. */
export const canEnter = (reader: FileReaderUser, folder: string): boolean =>
  may(reader, statSync(folder, { bigint: true }), 1n) &&
  (dirname(folder) === folder || canEnter(reader, dirname(folder)))

/**
 * What the agent proposes to read must be something that it could read itself: the gate has more rights than it, and
 * what it reads is shown on cards and sealed. Judged by the opened file, wherever links led: by its mode and those of
 * the folders on its real way. Why it may not be used, as a clause; undefined when it may. `reader` absent: the gate's
 * own rights are the agent's, and only the gate's folder is closed. `isHidden`: what the agent does not see at all.
 */
export const createReadRule =
  (home: string, reader: FileReaderUser | undefined, isHidden: (real: string) => boolean = () => false) =>
  (descriptor: number, path: string): string | undefined => {
    try {
      const opened = fstatSync(descriptor, { bigint: true })
      const real = realpathSync(path)
      const there = statSync(real, { bigint: true })
      if (there.dev !== opened.dev || there.ino !== opened.ino)
        return 'one that was exchanged while it was opened'
      const way = relative(realpathSync(home), real)
      if (way !== '..' && !way.startsWith('../')) return 'a file inside the gate’s own folder'
      if (
        isHidden(real) ||
        (reader !== undefined && !(may(reader, opened, 4n) && canEnter(reader, dirname(real))))
      )
        return 'a file that the agent itself may not read'
      return undefined
    } catch {
      return 'one that was moved while it was opened'
    }
  }

type ReadRule = (descriptor: number, path: string) => string | undefined

/** By whose rights the gate reads for the agent, as plain data: another thread makes the same rules of it. */
export type ReadLaw =
  | { readonly kind: 'reader'; readonly home: string; readonly reader?: FileReaderUser }
  | { readonly kind: 'sandbox'; readonly places: SandboxOptions; readonly agentHooks: string }

/** Why a file that was opened at a path may not be shown or sealed, and why it may not say which hooks there are. */
export const readRulesOf = (
  law: ReadLaw,
): { readonly refuses: ReadRule; readonly refusesSource: ReadRule } => {
  if (law.kind === 'reader') {
    const rule = createReadRule(law.home, law.reader)
    return { refuses: rule, refusesSource: rule }
  }
  const { places, agentHooks } = law
  const isVisible = isShown(places)
  const persons = personPlaces(places.userHomes)
  // Without its capabilities root reads what is root's and what is everybody's.
  const reader = places.isRoot ? { uid: 0, groups: [0] } : undefined
  const rule = (isPersons: (real: string) => boolean): ReadRule =>
    createReadRule(
      places.home,
      reader,
      (real) => !isVisible(real) && !isUnder(realOf(agentHooks), real) && !isPersons(real),
    )
  return { refuses: rule(persons.mayBeSealed), refusesSource: rule(persons.mayBeRead) }
}

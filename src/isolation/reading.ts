import { fstatSync, realpathSync, statSync, type BigIntStats } from 'node:fs'
import { dirname, relative } from 'node:path'
import { isShown, type SandboxOptions } from './sandbox/mounts.ts'
import { isUnder, realOf } from './paths.ts'
import { personPlaces } from './person-places.ts'

/** A user who reads files. `groups` are the groups that the system gives this user. */
export interface FileReaderUser {
  readonly uid: number
  readonly groups: readonly number[]
}

/**
 * Returns whether a mode gives this reader a permission bit, as owner, as member of the group or as anybody.
 */
const may = ({ uid, groups }: FileReaderUser, stat: BigIntStats, bit: bigint): boolean => {
  const shift = Number(stat.uid) === uid ? 6n : groups.includes(Number(stat.gid)) ? 3n : 0n
  return ((stat.mode >> shift) & bit) !== 0n
}

/** Returns whether a user can enter a folder and all folders above it. */
export const canEnter = (reader: FileReaderUser, folder: string): boolean =>
  may(reader, statSync(folder, { bigint: true }), 1n) &&
  (dirname(folder) === folder || canEnter(reader, dirname(folder)))

/**
 * Makes a rule for files that the agent proposes. The agent must be able to read such a file itself, because
 * the gate has more rights, and shows and seals what it reads. The rule checks the opened file, wherever
 * links led: its mode and the modes of the folders on its real path. It returns as a clause why the file may
 * not be used; undefined when it may. Without `reader` the gate has the same rights as the agent, and only
 * the gate's folder is closed. `isHidden` tells which paths the agent does not see at all.
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

/**
 * The rights by which the gate reads for the agent, as plain data, so that another thread can make the same
 * rules.
 */
export type ReadLaw =
  | { readonly kind: 'reader'; readonly home: string; readonly reader?: FileReaderUser }
  | { readonly kind: 'sandbox'; readonly places: SandboxOptions; readonly agentHooks: string }

/**
 * Makes two rules: which opened files may not be shown or sealed, and which may not be read as a list of
 * hooks.
 */
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
  // Without its capabilities, root reads only files that root or everybody may read.
  const reader = places.isRoot ? { uid: 0, groups: [0] } : undefined
  const rule = (isPersons: (real: string) => boolean): ReadRule =>
    createReadRule(
      places.home,
      reader,
      (real) => !isVisible(real) && !isUnder(realOf(agentHooks), real) && !isPersons(real),
    )
  return { refuses: rule(persons.mayBeSealed), refusesSource: rule(persons.mayBeRead) }
}

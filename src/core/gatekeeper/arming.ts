import type { RenameFiles } from '../model/approval/approved.ts'
import { isPlain, pathInSeal } from '../model/approval/names.ts'
import path from 'node:path'
import { messageOf } from '../model/gate/problem.ts'
import { SHELLS } from '../model/hooks/dialect.ts'
import type { ArmedHook, Entry } from '../model/hooks/entry.ts'
import {
  type ApprovalRecord,
  type ApprovedHook,
  hasParts,
  type TextPart,
} from '../model/approval/approved.ts'
import { canonicalEntry } from '../model/approval/canonical.ts'
import { createSealCheck, type SealCheckOptions } from './seal/seal-check.ts'
import { linkProject, linksOf } from './seal/seal.ts'
import { checkedFolder, createCheckedCopies, type CheckedCopies } from './seal/checked-copy.ts'
import { createStayCheck, createWatchCheck, type Compared } from './seal/watch-check.ts'

export interface SealLocation {
  readonly workspace: string
  /** The folder of all seals. */
  readonly seals: string
  readonly renamed: RenameFiles
}

/**
 * The absolute path of the folder that a hook system gave to its hook: inside the seal, or at its original
 * path when it was too large to be sealed.
 */
const rootOf = (
  { fingerprint, entry: { root }, files }: ApprovedHook,
  { workspace, seals }: Pick<SealLocation, 'workspace' | 'seals'>,
): string | undefined => {
  if (root === undefined) return undefined
  const isSealed = root === '.' || files.some((file) => file.path.startsWith(`${root}/`))
  return isSealed ? path.join(seals, fingerprint, pathInSeal(root)) : path.resolve(workspace, root)
}

/** The words to execute, with the paths of sealed copies in place of the proposed paths. */
const argvOf = ({ fingerprint, words }: ApprovalRecord, location: SealLocation): readonly string[] => {
  const partOf = (part: TextPart): string =>
    typeof part === 'string' ? part : path.join(location.seals, fingerprint, pathInSeal(part.sealed))
  return Object.freeze(words.map((word) => (hasParts(word) ? word.text.map(partOf).join('') : partOf(word))))
}

/**
 * Starts a pinned program by its real path, even when the name on the PATH now leads elsewhere. The program
 * still receives that name as its argv[0].
 */
const startedArgv = (
  argv: readonly string[],
  { interpreter }: ApprovedHook,
): Pick<ArmedHook, 'argv' | 'argv0'> => {
  const [found = '', ...rest] = argv
  return interpreter === undefined || interpreter === found
    ? { argv }
    : { argv: Object.freeze([interpreter, ...rest]), argv0: found }
}

/**
 * Replaces the watched files that the words name by the gate's checked copies. Also returns which files were
 * replaced, and which of these are used at their own path as well.
 */
const withCopies = (
  approved: ApprovalRecord,
  location: SealLocation,
  cwd: string,
  pathOf: (name: string) => string,
): Readonly<{ argv: readonly string[]; copied: ReadonlySet<string>; left: ReadonlySet<string> }> => {
  const { entry, watched = [] } = approved
  const { workspace, renamed } = location
  const argv = argvOf(approved, location)
  const plain = watched.filter(({ path: name }) => isPlain(pathOf(name)))
  const names = new Map(plain.map(({ path: name }) => [path.resolve(workspace, name), name]))
  const paths = new Map([...names].map(([file, name]) => [file, pathOf(name)]))
  if (paths.size === 0) return { argv, copied: new Set(), left: new Set() }
  const used = new Set<string>()
  const left = new Set<string>()
  const isShell = SHELLS.some((shell) => shell === path.basename(argv[0] ?? '')) && argv[1] === '-c'
  const words = argv.map((word, index) => {
    if (index === 0) return word
    if (isShell && index === 2) {
      const done = renamed(word, entry, paths, { workspace, cwd })
      for (const file of done.files) used.add(file)
      for (const file of done.left) left.add(file)
      return done.text
    }
    const from = word.startsWith('-') ? word.indexOf('=') + 1 : 0
    const file = path.resolve(cwd, word.slice(from))
    const copy = word === '' || (from === 0 && word.startsWith('-')) ? undefined : paths.get(file)
    if (copy === undefined) return word
    // A script can join a relative name that it is given to a folder.
    const isGiven = approved.words.slice(0, index).some((one) => typeof one === 'object')
    const isLeft = isGiven && !path.isAbsolute(word.slice(from))
    ;(isLeft ? left : used).add(file)
    if (isLeft) return word
    return `${word.slice(0, from)}${copy}`
  })
  const namesOf = (files: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...files].flatMap((file) => names.get(file) ?? []))
  return { argv: Object.freeze(words), copied: namesOf(used), left: namesOf(left) }
}

/**
 * Makes the copies at arming, because a file that appears later beside a watched file is not approved. Each
 * run tries again when this fails.
 */
const prepareNow = (copies: CheckedCopies): void => {
  try {
    copies.prepare()
  } catch {
    // The run reports the error.
  }
}

const copiesFor = (approved: ApprovalRecord, { workspace, seals }: SealLocation) =>
  createCheckedCopies(checkedFolder(seals, approved.fingerprint), workspace, approved.watched ?? [])

/**
 * Makes the copies of an approval before it is armed, in turns, because they can have very many links. A
 * failure is reported by the run.
 */
export const prepareCopies = async (approved: ApprovalRecord, location: SealLocation): Promise<void> => {
  const copies = copiesFor(approved, location)
  const cwd = path.resolve(location.workspace, approved.entry.cwd ?? '.')
  const { copied } = withCopies(approved, location, cwd, copies.pathOf)
  if (copied.size > 0) await copies.prepareInTurns().catch(() => undefined)
}

/**
 * Makes an approval of a node ready to be asked there. The node checks the seal before each run, since it
 * runs its own copy.
 */
export const armedElsewhere = (
  approved: ApprovedHook,
  { workspace }: Pick<SealLocation, 'workspace'>,
): ArmedHook => {
  const { fingerprint, hookDir, failsClosed, failsOpen, isShadow, entry } = approved
  return Object.freeze({
    fingerprint,
    entry: failsClosed === true ? Object.freeze({ ...entry, onError: 'block' as const }) : entry,
    argv: [],
    cwd: entry.cwd ?? '.',
    workspace,
    hookDir,
    ...(failsOpen === true ? { failsOpen } : {}),
    ...(isShadow === true ? { isShadow } : {}),
    checkSeal: () => undefined,
  })
}

/** Makes an approval ready to run from its seal. */
export const armedFrom = (
  approved: ApprovedHook,
  location: SealLocation,
  ports: Pick<SealCheckOptions, 'onTampered' | 'log'>,
): ArmedHook => {
  const { fingerprint, hookDir, files, interpreter } = approved
  const entry: Entry =
    approved.failsClosed === true ? Object.freeze({ ...approved.entry, onError: 'block' }) : approved.entry
  const dir = path.join(location.seals, fingerprint)
  const links = linksOf(approved, location)
  const seal = createSealCheck({
    dir,
    files,
    links,
    interpreter,
    ...ports,
  })
  const cwd = path.resolve(location.workspace, entry.cwd ?? '.')
  const copies = copiesFor(approved, location)
  const { argv, copied, left } = withCopies(approved, location, cwd, copies.pathOf)
  // The files that a copied script loads are copied beside it. An interpreter keeps its own path.
  const names = copied.size === 0 ? [] : (approved.watched ?? []).map(({ path: name }) => name)
  const copiedNames = new Set(
    names.filter((name) => copied.has(name) || path.resolve(location.workspace, name) !== interpreter),
  )
  if (copied.size > 0) prepareNow(copies)
  let isLinked = false
  /** Links what lies there at arming, as copies do. Returns why that is not possible. */
  const link = (): string | undefined => {
    if (isLinked || links === undefined) return undefined
    try {
      linkProject(dir, files, links)
      isLinked = true
      return undefined
    } catch (error) {
      return `its seal could not be linked to the project (${messageOf(error)})`
    }
  }
  link()
  const compared: Compared = new Map()
  const checkWatched = createWatchCheck(approved, location.workspace, copiedNames, copies, compared)
  const isCopied = (name: string): boolean => copied.has(name) && !left.has(name)
  const watch = createStayCheck(approved, location.workspace, isCopied, compared)
  const root = rootOf(approved, location)
  return Object.freeze({
    fingerprint,
    entry,
    ...startedArgv(argv, approved),
    cwd,
    watch,
    ...(entry.cwd === undefined ? { ownFolder: dir } : {}),
    ...(approved.failsOpen === true ? { failsOpen: true } : {}),
    ...(approved.isShadow === true ? { isShadow: true } : {}),
    workspace: location.workspace,
    hookDir: path.resolve(location.workspace, hookDir),
    root,
    checkSeal: (isRunning?: boolean) => seal.check(isRunning) ?? link() ?? checkWatched(),
    readSeal: seal.readInTurns,
  })
}

/**
 * Sorts by descending priority, then by the order of the proposals in the files. Hooks that no file proposes
 * come last, in the order of approval.
 */
export const inOrder = (
  hooks: readonly { readonly approved: ApprovedHook; readonly armed: ArmedHook }[],
  proposals: readonly string[],
): readonly ArmedHook[] => {
  const ranks = new Map(proposals.map((entry, index) => [entry, index]))
  return hooks
    .map(({ approved, armed }) => ({
      armed,
      rank: ranks.get(canonicalEntry(approved.entry)) ?? proposals.length,
    }))
    .toSorted((a, b) => b.armed.entry.priority - a.armed.entry.priority || a.rank - b.rank)
    .map(({ armed }) => armed)
}

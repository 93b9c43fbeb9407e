import path from 'node:path'
import { SHELLS, type Shell } from '../model/dialect.ts'
import type { ArmedHook, Entry } from '../model/entry.ts'
import { deepFreeze } from '../model/json.ts'
import { canonicalEntry, type SealedFile, type Surroundings } from './canonical.ts'
import type { StandingApproval } from './fold.ts'
import { createSealCheck, type SealCheckOptions } from './seal-check.ts'
import type { TextPart, ProgramWord } from './program.ts'
import { placeInSeal } from './seal.ts'
import { checkedFolder, createCheckedCopies, type CheckedCopies } from './checked-copy.ts'
import { isPlain, renamed } from './sealed-text.ts'
import { createStayCheck, createWatchCheck, type Compared } from './watch-check.ts'

/** An owner's consent to one fingerprint, with the paths as they are on this machine. */
export interface Approval extends Surroundings {
  readonly fingerprint: string
  readonly entry: Entry
  readonly by: string
  /** ISO 8601. */
  readonly at: string
  /** The words to execute, sealed paths in place of proposed ones. */
  readonly argv: readonly string[]
  /** The real path of a program from the fixed PATH, pinned. */
  readonly interpreter?: string
  readonly unsealed: readonly string[]
  /** The folder that the program came from. */
  readonly hookDir: string
  readonly files: readonly SealedFile[]
  /** A failure of it blocks, whatever the entry says. */
  readonly failsClosed?: true
  /** Not even a failure that the agent can bring about blocks. */
  readonly failsOpen?: true
  /** The shell's text names sealed copies where the entry's names files. */
  readonly hasSealedText?: true
}

/** The shell that reads the approved text; undefined when it runs without one. */
export const underOf = ({
  entry,
  argv: [found = '', flag, text],
  hasSealedText,
}: Approval): Shell | undefined =>
  entry.shell !== undefined && flag === '-c' && (hasSealedText === true || text === entry.command)
    ? (SHELLS.find((shell) => shell === path.basename(found)) ?? entry.shell)
    : undefined

/** One approval, as the ledger has it and ready to run. */
export interface ArmedApproval {
  readonly standing: StandingApproval
  readonly approval: Approval
  readonly hook: ArmedHook
}

export interface SealPlace {
  readonly workspace: string
  /** The folder of all seals. */
  readonly seals: string
}

const hasParts = (word: ProgramWord): word is Extract<ProgramWord, { readonly text: unknown }> =>
  typeof word === 'object' && 'text' in word

/** Where the folder that a system gave to its hook lies for that hook: in its seal, or where it was when it was too large for one. */
const rootOf = (
  { fingerprint, entry: { root }, files }: Approval,
  { workspace, seals }: SealPlace,
): string | undefined => {
  if (root === undefined) return undefined
  const isSealed = root === '.' || files.some((file) => file.path.startsWith(`${root}/`))
  return isSealed ? path.join(seals, fingerprint, placeInSeal(root)) : path.resolve(workspace, root)
}

export const approvalOf = (standing: StandingApproval, { workspace, seals }: SealPlace): Approval => {
  const { words, hookDir, ...rest } = standing
  const inSeal = (name: string): string => path.join(seals, standing.fingerprint, placeInSeal(name))
  const partOf = (part: TextPart): string => (typeof part === 'string' ? part : inSeal(part.sealed))
  return deepFreeze({
    ...structuredClone(rest),
    argv: words.map((word) => (hasParts(word) ? word.text.map(partOf).join('') : partOf(word))),
    ...(words.some(hasParts) ? { hasSealedText: true as const } : {}),
    hookDir: path.resolve(workspace, hookDir),
  })
}

/** A pinned program is started by its real path, whatever the name that it was found by leads to now; it still hears that name. */
const startedArgv = ({ argv, interpreter }: Approval): Pick<ArmedHook, 'argv' | 'argv0'> => {
  const [found = '', ...rest] = argv
  return interpreter === undefined || interpreter === found
    ? { argv }
    : { argv: Object.freeze([interpreter, ...rest]), argv0: found }
}

/** The words with the gate's checked copies in the place of the watched files that they name, and which those are. */
const withCopies = (
  { entry, argv, watched = [] }: Approval,
  { workspace }: SealPlace,
  cwd: string,
  pathOf: (name: string) => string,
): { readonly argv: readonly string[]; readonly copied: ReadonlySet<string> } => {
  const plain = watched.filter(({ path: name }) => isPlain(pathOf(name)))
  const names = new Map(plain.map(({ path: name }) => [path.resolve(workspace, name), name]))
  const paths = new Map([...names].map(([file, name]) => [file, pathOf(name)]))
  if (paths.size === 0) return { argv, copied: new Set() }
  const used = new Set<string>()
  const isShell = SHELLS.some((shell) => shell === path.basename(argv[0] ?? '')) && argv[1] === '-c'
  const words = argv.map((word, index) => {
    if (index === 0) return word
    if (isShell && index === 2) {
      const { text, files } = renamed(word, entry, paths, { workspace, cwd })
      for (const file of files) used.add(file)
      return text
    }
    const from = word.startsWith('-') ? word.indexOf('=') + 1 : 0
    const file = path.resolve(cwd, word.slice(from))
    const copy = word === '' || (from === 0 && word.startsWith('-')) ? undefined : paths.get(file)
    if (copy === undefined) return word
    used.add(file)
    return `${word.slice(0, from)}${copy}`
  })
  return { argv: Object.freeze(words), copied: new Set([...used].flatMap((file) => names.get(file) ?? [])) }
}

/** At once, since what comes beside a file after its approval is no part of it. Where it cannot be done now, each run tries again. */
const prepareNow = (copies: CheckedCopies): void => {
  try {
    copies.prepare()
  } catch {
    // The run says it.
  }
}

export const hookOf = (
  approval: Approval,
  place: SealPlace,
  ports: Pick<SealCheckOptions, 'onTampered' | 'log'>,
): ArmedHook => {
  const { fingerprint, hookDir, files, interpreter } = approval
  const entry: Entry =
    approval.failsClosed === true ? Object.freeze({ ...approval.entry, onError: 'block' }) : approval.entry
  const checkSeal = createSealCheck({
    dir: path.join(place.seals, fingerprint),
    files,
    ...(interpreter === undefined ? {} : { interpreter }),
    ...ports,
  })
  const cwd = path.resolve(place.workspace, entry.cwd ?? '.')
  const copies = createCheckedCopies(
    checkedFolder(place.seals, fingerprint),
    place.workspace,
    approval.watched ?? [],
  )
  const { argv, copied } = withCopies(approval, place, cwd, copies.pathOf)
  // What a copied script loads is copied, too, and found beside it. An interpreter is started by its own path.
  const names = copied.size === 0 ? [] : (approval.watched ?? []).map(({ path: name }) => name)
  const kept = new Set(
    names.filter((name) => copied.has(name) || path.resolve(place.workspace, name) !== interpreter),
  )
  if (copied.size > 0) prepareNow(copies)
  const compared: Compared = new Map()
  const checkWatched = createWatchCheck(approval, place.workspace, kept, copies, compared)
  const watch = createStayCheck(approval, place.workspace, copied, compared)
  const root = rootOf(approval, place)
  return Object.freeze({
    fingerprint,
    entry,
    ...startedArgv({ ...approval, argv }),
    cwd,
    ...(watch === undefined ? {} : { watch }),
    ...(entry.cwd === undefined ? { ownFolder: path.join(place.seals, fingerprint) } : {}),
    ...(approval.failsOpen === true ? { failsOpen: true } : {}),
    workspace: place.workspace,
    hookDir,
    ...(root === undefined ? {} : { root }),
    checkSeal: () => checkSeal() ?? checkWatched(),
  })
}

/** Priority descending; then as the proposals stand in the files; then, for what no file proposes, as approved. */
export const inOrder = (
  armed: readonly ArmedApproval[],
  proposals: readonly string[],
): readonly ArmedHook[] => {
  const places = new Map(proposals.map((entry, index) => [entry, index]))
  return armed
    .map(({ hook, approval }) => ({
      hook,
      rank: places.get(canonicalEntry(approval.entry)) ?? proposals.length,
    }))
    .toSorted((a, b) => b.hook.entry.priority - a.hook.entry.priority || a.rank - b.rank)
    .map(({ hook }) => hook)
}

import path from 'node:path'
import type { Entry } from '../../model/hooks/entry.ts'
import { canonicalEntry, fingerprintOf, type SealedFile, type Surroundings } from '../seal/canonical.ts'
import { gitRemarks } from './shell/git-writes.ts'
import { withoutHeredocs } from './shell/heredocs.ts'
import type { Inside } from './inside.ts'
import { closeOver, type Closure } from './closure.ts'
import { shownName, sourceName } from './names.ts'
import { lacksOf, readText, usesOf, type AvailableNeeds } from './needs.ts'
import type { WithProblem, Outcome, ProgramPlaces, ProgramPlan } from './program.ts'
import { resolveProgram } from './resolve.ts'
import { leadingOf } from './runnable.ts'
import { hasClash } from '../seal/seal.ts'
import type { Source } from '../seal/source-file.ts'
import { findOnPath, foldersOf } from './tool.ts'
import { absentWords, findCode, heldWords, usedWords } from './watched.ts'

const maxFiles = 1024
const maxTotalBytes = 64 * 1024 * 1024
const maxEntryUnits = 256 * 1024

export type Facts = Omit<Source, 'content'> & Inside

const tooMuch = (what: string, limit: string): WithProblem => ({
  problem: {
    code: 'entry.size',
    message: `Expected an entry with ${limit}, got ${what}.`,
    fix: 'Seal less: list only the files that the program itself reads.',
  },
})

/** The program of an entry that is small enough, each of whose files has its own place in a seal. */
export const programOf = (entry: Entry, places: ProgramPlaces): Outcome<ProgramPlan> => {
  const units = canonicalEntry(entry).length
  if (units > maxEntryUnits) return tooMuch(`${units} characters`, `at most ${maxEntryUnits} characters`)
  const program = resolveProgram(entry, places)
  if ('problem' in program) return program
  const sources = [...program.sources, ...(program.siblings ?? [])]
  if (sources.length > maxFiles) return tooMuch(`${sources.length} files`, `at most ${maxFiles} files`)
  if (hasClash(sources)) {
    return {
      problem: {
        code: 'entry.files',
        message: 'Expected every file of the entry to have its own place in the seal, got two with the same.',
        fix: 'Rename the workspace folder "_outside"; hookgate keeps files from outside the workspace under that name.',
      },
    }
  }
  return program
}

/** What lies behind a program's names. */
export interface ProgramFiles<T extends Facts> {
  /** As it will be started, with what its own bytes say of it. */
  readonly program: ProgramPlan
  /** Sentences for the person: what a sealed file may miss in its seal. */
  readonly missing: readonly string[]
  /** What it uses, each in a few words. */
  readonly uses: readonly string[]
  readonly files: readonly (T & SealedFile)[]
  readonly surroundings: Surroundings
  readonly fingerprint: string
}

/** The program as it will be started: a file that is executed by itself stands behind the words of its first line. */
const started = (
  program: ProgramPlan,
  files: readonly (SealedFile & Inside)[],
  places: ProgramPlaces,
  cwd: string,
): Outcome<ProgramPlan> => {
  const [first, ...rest] = program.words
  const file =
    typeof first === 'object' && 'sealed' in first
      ? files.find(({ path }) => path === first.sealed)
      : undefined
  if (first === undefined || file === undefined) return program
  const found = leadingOf({
    shown: file.path,
    isExecutable: file.isExecutable,
    head: file.head,
    path: places.path,
    cwd,
  })
  if ('problem' in found) return found
  const { leading } = found
  if (leading === undefined) return program
  const { words, interpreter, isOpen } = leading
  const held = isOpen ? [sourceName(places.workspace, interpreter)] : []
  return {
    ...program,
    words: [...words, first, ...rest],
    interpreter,
    watched: [...program.watched, ...held],
    unsealed: [
      ...program.unsealed,
      ...held.map((name) => `${shownName(name)} runs it from where it lies; a change stops the hook`),
    ],
  }
}

/** Why a script that at once puts another program in its place could only fail. */
const successorProblem = (
  files: readonly (SealedFile & Inside)[],
  searched: string,
): WithProblem | undefined => {
  const folders = foldersOf(searched)
  const file = files.find(
    ({ successor }) => successor !== undefined && findOnPath(successor, folders) === undefined,
  )
  return file?.successor === undefined
    ? undefined
    : {
        problem: {
          code: 'program.interpreter',
          message:
            `Expected "${file.successor}", which runs "${file.path}", to be a program on the hooks' PATH, ` +
            'got nothing there.',
          fix: 'Install it for the whole system; the script needs it for all that it does.',
          lacks: file.successor,
        },
      }
}

/** What a hook finds around it, by what is sealed with it and by what it runs under. */
const foundBy = (
  entry: Entry,
  sealed: readonly SealedFile[],
  program: ProgramPlan,
  places: ProgramPlaces,
): AvailableNeeds => {
  const { interpreter = '' } = program
  const names = sealed.map((file) => file.path)
  return {
    folders: foldersOf(places.path),
    variables: new Set([...Object.keys(entry.env), ...(places.variables?.(entry) ?? [])]),
    isSealed: (name) => {
      const inner = name.replace(/^(?:~|\$HOME|\$\{HOME\})\//, '')
      const isIt = (file: string): boolean => `/${file}`.endsWith(`/${inner}`) || file.includes(`${inner}/`)
      return names.some((file) => path.parse(file).name === inner || isIt(file))
    },
    ...(/^python[\d.]*$/.test(path.basename(interpreter)) ? { python: interpreter } : {}),
  }
}

/** What the texts of a hook lack here, and what they use. */
const needsOfHook = (entry: Entry, files: readonly Inside[], found: AvailableNeeds) => {
  const command = entry.shell === undefined ? undefined : withoutHeredocs(entry.command)
  const strange = [...gitRemarks(command ?? '', true), ...files.flatMap((file) => file.strange ?? [])]
  const texts = [
    ...(command === undefined ? [] : [readText(command, 'shell')]),
    ...files.flatMap(({ text }) => (text === undefined ? [] : [text])),
  ]
  return { lacks: [...new Set([...strange, ...lacksOf(texts, found)])], uses: usesOf(texts) }
}

const maxSaid = 5

type SealedPart = SealedFile & Inside

/** Of the files that are sealed beside a program, those that it or its parts name. */
const reachedFrom = (own: readonly SealedPart[], files: readonly SealedPart[]): readonly SealedPart[] => {
  const reached = new Set(own)
  const names = new Map(files.map((file) => [file, `/${file.path}`]))
  // The set grows while it is walked.
  for (const { beside, code } of reached) {
    for (const name of [...beside, ...code.beside]) {
      const end = `/${name.replace(/^(?:\.{1,2}\/)+/, '')}`
      for (const [file, full] of names) if (full.endsWith(end)) reached.add(file)
    }
  }
  return [...reached]
}

/** Code that sources code, and so on, is followed so far. */
const maxRounds = 8
/** So many files of it are held to their bytes: each is read before and after each run. */
const maxCode = 64

const listedIn = (names: readonly string[]): string =>
  [
    ...names.slice(0, maxSaid),
    ...(names.length > maxSaid ? [`and ${names.length - maxSaid} more`] : []),
  ].join(', ')

interface Following {
  readonly places: ProgramPlaces
  readonly cwd: string
  /** Reads files; the first that cannot be read ends it. */
  take(names: readonly string[]): WithProblem | undefined
  kept(names: readonly string[]): readonly SealedPart[]
  /** What scripts that run from where they lie load from there. */
  partsOf(files: readonly SealedPart[]): Closure
}

/** What is found of code that lies elsewhere, by name. */
interface Followed {
  /** Used by its path. */
  readonly watched: Set<string>
  /** Those of them that stand beside a script which names them. */
  readonly beside: Set<string>
  readonly absent: Set<string>
  readonly runs: Set<string>
  /** What no name says, as it is written. */
  readonly open: Set<string>
  readonly unfollowed: Set<string>
}

const wordsOf = ({ watched, beside, absent, runs, open, unfollowed }: Followed): readonly string[] => [
  ...[...watched].map((name) => (beside.has(name) ? usedWords(name) : heldWords(name))),
  ...[...absent].map(absentWords),
  ...[...runs].slice(0, maxSaid).map((name) => `${shownName(name)} is run from where it lies, as it is then`),
  ...(runs.size > maxSaid ? [`${runs.size - maxSaid} more files are run so`] : []),
  ...(open.size > 0 ? [`it runs code of the workspace that only it knows (${listedIn([...open])})`] : []),
  ...(unfollowed.size > 0
    ? [`it takes in more code than is followed (${listedIn([...unfollowed].map(shownName))})`]
    : []),
]

/**
 * Follows the code that scripts take from elsewhere, until nothing new is found: what becomes a part of them is held to
 * its bytes. What they run from where it lies is the workspace's own, and said, as is what no name says.
 */
const withCode = (
  led: ProgramPlan,
  sealed: readonly SealedPart[],
  { places, cwd, take, kept, partsOf }: Following,
): Outcome<{ readonly program: ProgramPlan; readonly said: readonly string[] }> => {
  const found: Followed = {
    watched: new Set(),
    beside: new Set(),
    absent: new Set(),
    runs: new Set(),
    open: new Set(),
    unfollowed: new Set(),
  }
  const said: string[] = []
  const hold = (names: readonly string[], isTooFar = false): readonly string[] =>
    names
      .filter((name) => !led.watched.includes(name) && !found.watched.has(name))
      .filter((name) => {
        const isHeld = !isTooFar && found.watched.size < maxCode
        ;(isHeld ? found.watched : found.unfollowed).add(name)
        return isHeld
      })
  const loaded = (files: readonly SealedPart[]): readonly SealedPart[] => {
    const parts = partsOf(files)
    said.push(...parts.said)
    const held = hold(parts.names)
    for (const name of held) found.beside.add(name)
    return kept(held)
  }
  const open = kept(led.watched)
  let fresh = [...sealed, ...open, ...loaded(open)]
  for (let round = 1; fresh.length > 0; round++) {
    const more = findCode(
      fresh.map(({ code }) => code),
      { ...places, cwd },
    )
    for (const name of more.absent) if (!led.absent.includes(name)) found.absent.add(name)
    for (const name of more.runs) found.runs.add(name)
    for (const file of fresh) {
      // What a sealed script finds beside itself lies in its seal.
      const names = sealed.includes(file) ? file.code.open : [...file.code.open, ...file.code.openBeside]
      for (const name of names) found.open.add(name)
    }
    const names = hold(more.watched, round >= maxRounds)
    const unread = take(names)
    if (unread !== undefined) return unread
    const files = kept(names)
    fresh = [...files, ...loaded(files)]
  }
  const program = {
    ...led,
    watched: [...led.watched, ...found.watched],
    absent: [...led.absent, ...found.absent],
    unsealed: [...new Set([...led.unsealed, ...wordsOf(found)])],
  }
  return { program, said }
}

/** Reads every file of a program with `read`, those that are only watched too; the first that cannot be held to its bytes ends it. */
export const readFiles = <T extends Facts>(
  entry: Entry,
  resolved: ProgramPlan,
  places: ProgramPlaces,
  read: (file: string, shown: string) => Outcome<T>,
): Outcome<ProgramFiles<T>> => {
  const { workspace } = places
  const seen = new Map<string, T>()
  let total = 0
  const take = (names: readonly string[]): WithProblem | undefined => {
    for (const name of names) {
      if (seen.has(name)) continue
      const source = read(path.resolve(workspace, name), name)
      if ('problem' in source) return source
      seen.set(name, source)
      total += source.bytes
      if (total > maxTotalBytes) return tooMuch('more', `at most ${maxTotalBytes} bytes of files`)
    }
    return undefined
  }
  const kept = (names: readonly string[]): readonly (T & SealedFile)[] =>
    [...new Set(names)].flatMap((name) =>
      [seen.get(name)].flatMap((source) => (source === undefined ? [] : [{ ...source, path: name }])),
    )

  const unread = take(resolved.sources)
  if (unread !== undefined) return unread
  const left: string[] = []
  let moving: WithProblem | undefined
  const siblings = (resolved.siblings ?? []).filter((name) => {
    const problem = take([name])?.problem
    // Nobody was shown the folder without it.
    if (problem?.code === 'file.changed') moving ??= { problem }
    if (problem !== undefined) left.push(`${shownName(name)} is not sealed: ${problem.message}`)
    return problem === undefined
  })
  if (moving !== undefined) return moving
  const takePart = (name: string): (T & SealedFile) | string => {
    const problem = take([name])?.problem
    return problem === undefined ? (kept([name])[0] ?? 'nothing is there') : problem.message
  }
  const beside = closeOver(kept(resolved.sources), (name) => seen.has(name), workspace, takePart)
  const files = kept([...resolved.sources, ...siblings, ...beside.names])
  const cwd = path.resolve(workspace, entry.cwd ?? '.')
  const led = started(resolved, files, places, cwd)
  if ('problem' in led) return led
  // Of its whole folder a hook runs one program: what the others would need is none of its business.
  const own = kept(resolved.sources)
  const alone = successorProblem(own, places.path)
  if (alone !== undefined) return alone
  const unheld = take(led.watched)
  if (unheld !== undefined) return unheld
  const partsOf = (some: readonly SealedPart[]): Closure =>
    closeOver(some, (name) => seen.has(name), workspace, takePart)
  const coded = withCode(led, reachedFrom(own, files), { places, cwd, take, kept, partsOf })
  if ('problem' in coded) return coded
  const { program, said } = coded
  const watched = kept(program.watched).map(({ path, sha256, bytes }) => ({ path, sha256, bytes }))
  const { absent } = program
  const surroundings = {
    ...(watched.length === 0 ? {} : { watched }),
    ...(absent.length === 0 ? {} : { absent: [...absent] }),
  }
  const { lacks, uses } = needsOfHook(entry, own, foundBy(entry, files, program, places))
  const missing = [...left.slice(0, maxSaid), ...lacks, ...beside.said, ...said]
  const fingerprint = fingerprintOf(entry, files, surroundings)
  return { program, files, missing, uses, surroundings, fingerprint }
}

import path from 'node:path'
import type { Entry } from '../model/entry.ts'
import { canonicalEntry, fingerprintOf, type SealedFile, type Surroundings } from './canonical.ts'
import { gitRemarks } from './git-writes.ts'
import { withoutHeredocs } from './heredocs.ts'
import type { Inside } from './inside.ts'
import { closeOver } from './closure.ts'
import { isSystemStream, shownName, sourceName } from './names.ts'
import { lacksOf, readText, usesOf, type Found } from './needs.ts'
import type { Failed, Outcome, Places, Program } from './program.ts'
import { resolveProgram } from './resolve.ts'
import { leadingOf } from './runnable.ts'
import { hasClash } from './seal.ts'
import type { Source } from './source-file.ts'
import { findOnPath, foldersOf } from './tool.ts'
import { findWatched, usedWords } from './watched.ts'

const maxFiles = 1024
const maxTotalBytes = 64 * 1024 * 1024
const maxEntryUnits = 256 * 1024

export type Facts = Omit<Source, 'content'> & Inside

const tooMuch = (what: string, limit: string): Failed => ({
  problem: {
    code: 'entry.size',
    message: `Expected an entry with ${limit}, got ${what}.`,
    fix: 'Seal less: list only the files that the program itself reads.',
  },
})

/** The program of an entry that is small enough, each of whose files has its own place in a seal. */
export const programOf = (entry: Entry, places: Places): Outcome<Program> => {
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
  readonly program: Program
  /** Sentences for the person: what a sealed file may miss in its seal. */
  readonly missing: readonly string[]
  /** What it uses, each in a few words. */
  readonly uses: readonly string[]
  readonly files: readonly (T & SealedFile)[]
  readonly surroundings: Surroundings
  readonly fingerprint: string
}

/** The program as it will be started: a file that is executed by itself stands behind the words of its first line. */
const started = (program: Program, files: readonly (SealedFile & Inside)[], places: Places, cwd: string): Outcome<Program> => {
  const [first, ...rest] = program.words
  const file = typeof first === 'object' && 'sealed' in first ? files.find(({ path }) => path === first.sealed) : undefined
  if (first === undefined || file === undefined) return program
  const found = leadingOf({ shown: file.path, isExecutable: file.isExecutable, head: file.head, path: places.path, cwd })
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
    unsealed: [...program.unsealed, ...held.map((name) => `${shownName(name)} runs it from where it lies; a change stops the hook`)],
  }
}

/** Why a script that at once puts another program in its place could only fail. */
const successorProblem = (files: readonly (SealedFile & Inside)[], searched: string): Failed | undefined => {
  const folders = foldersOf(searched)
  const file = files.find(({ successor }) => successor !== undefined && findOnPath(successor, folders) === undefined)
  return file?.successor === undefined ? undefined : {
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
const foundBy = (entry: Entry, sealed: readonly SealedFile[], program: Program, places: Places): Found => {
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
const needsOfHook = (entry: Entry, files: readonly Inside[], found: Found) => {
  const command = entry.shell === undefined ? undefined : withoutHeredocs(entry.command)
  const strange = [...gitRemarks(command ?? '', true), ...files.flatMap((file) => file.strange ?? [])]
  const texts = [
    ...(command === undefined ? [] : [readText(command, 'shell')]),
    ...files.flatMap(({ text }) => (text === undefined ? [] : [text])),
  ]
  return { lacks: [...new Set([...strange, ...lacksOf(texts, found)])], uses: usesOf(texts) }
}

const maxSaid = 5

/** What sealed shell scripts source is held to its bytes. What else they run from where it lies is the workspace's own, and said. */
const withCode = (program: Program, files: readonly Inside[], places: Places, cwd: string): Outcome<Program> => {
  const code = [...new Set(files.flatMap((file) => file.sourced))]
  const system = foldersOf(places.path)
  const runs = files.flatMap((file) => file.runs).map((name) => path.resolve(cwd, name)).filter((file) => !isSystemStream(file) && !system.includes(path.dirname(file)))
  if (code.length === 0 && runs.length === 0) return program
  const more = findWatched({ texts: [], names: [], isShell: true, code }, { ...places, cwd }, {})
  if ('problem' in more) return more
  const both = (key: 'watched' | 'absent'): readonly string[] => [...new Set([...program[key], ...more[key]])]
  const said = [...new Set(runs)].slice(0, maxSaid).map((file) => `${shownName(sourceName(places.workspace, file))} is run from where it lies, as it is then`)
  return { ...program, watched: both('watched'), absent: both('absent'), unsealed: [...new Set([...program.unsealed, ...more.unsealed, ...said])] }
}

const withParts = (program: Program, names: readonly string[]): Program =>
  names.length === 0 ? program : { ...program, watched: [...program.watched, ...names], unsealed: [...new Set([...program.unsealed, ...names.map(usedWords)])] }

/** Reads every file of a program with `read`, those that are only watched too; the first that cannot be held to its bytes ends it. */
export const readFiles = <T extends Facts>(entry: Entry, resolved: Program, places: Places, read: (file: string, shown: string) => Outcome<T>): Outcome<ProgramFiles<T>> => {
  const { workspace } = places
  const seen = new Map<string, T>()
  let total = 0
  const take = (names: readonly string[]): Failed | undefined => {
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
    [...new Set(names)].flatMap((name) => [seen.get(name)].flatMap((source) => (source === undefined ? [] : [{ ...source, path: name }])))

  const unread = take(resolved.sources)
  if (unread !== undefined) return unread
  const left: string[] = []
  let moving: Failed | undefined
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
  const coded = withCode(led, [...own, ...kept(led.watched)], places, cwd)
  if ('problem' in coded) return coded
  const uncoded = take(coded.watched)
  if (uncoded !== undefined) return uncoded
  // A script that runs from where it lies loads its parts from there, too.
  const parts = closeOver(kept(coded.watched), (name) => seen.has(name), workspace, takePart)
  const program = withParts(coded, parts.names)
  const watched = kept(program.watched).map(({ path, sha256, bytes }) => ({ path, sha256, bytes }))
  const { absent } = program
  const surroundings = { ...(watched.length === 0 ? {} : { watched }), ...(absent.length === 0 ? {} : { absent: [...absent] }) }
  const { lacks, uses } = needsOfHook(entry, own, foundBy(entry, files, program, places))
  const missing = [...left.slice(0, maxSaid), ...lacks, ...beside.said, ...parts.said]
  const fingerprint = fingerprintOf(entry, files, surroundings)
  return { program, files, missing, uses, surroundings, fingerprint }
}

import type { WithProblem } from '../../core/model/gate/problem.ts'
import path from 'node:path'
import type { Entry } from '../../core/model/hooks/entry.ts'
import {
  canonicalEntry,
  fingerprintOf,
  type SealedFile,
  type Surroundings,
} from '../../core/model/approval/canonical.ts'
import { boundOf, hasClash } from '../../shared/gate/names.ts'
import { noCode, type ScriptCode } from './code/code-finds.ts'
import { codeIn } from './code/script-code.ts'
import { lacksOf, starchildWords } from './lacks.ts'
import type { Inside } from './inside.ts'
import { closeOver, type Closure } from './closure.ts'
import { shownName, sourceName } from '../../core/model/approval/names.ts'
import { shellFault } from '../../shared/base/shell-text.ts'
import type { Outcome, ProgramContext, ProgramPlan } from './program.ts'
import { resolveProgram } from './resolve.ts'
import { leadingOf } from './runnable.ts'
import type { Source } from '../../core/model/approval/source-file.ts'
import { findOnPath, foldersOf } from './tool.ts'
import { absentWords, findCode, heldWords, usedWords } from './watched.ts'

const maxFiles = 1024
const maxTotalBytes = 64 * 1024 * 1024
const maxEntryUnits = 256 * 1024

export type InspectedSource = Omit<Source, 'content'> & Inside

const tooMuch = (what: string, limit: string): WithProblem => ({
  problem: {
    code: 'entry.size',
    message: `Expected an entry with ${limit}, got ${what}.`,
    fix: 'List only the files that the program itself reads.',
  },
})

/**
 * Finds the program of an entry, and checks that the entry is not too large and that no two files share a
 * path in the seal.
 */
export const programOf = (entry: Entry, context: ProgramContext): Outcome<ProgramPlan> => {
  const units = canonicalEntry(entry).length
  if (units > maxEntryUnits) return tooMuch(`${units} characters`, `at most ${maxEntryUnits} characters`)
  const program = resolveProgram(entry, context)
  if ('problem' in program) return program
  const sources = [...program.sources, ...(program.siblings ?? [])]
  if (sources.length > maxFiles) return tooMuch(`${sources.length} files`, `at most ${maxFiles} files`)
  if (hasClash(sources)) {
    return {
      problem: {
        code: 'entry.files',
        message:
          'Expected every file of the entry to have its own path in the seal, got two files with the same path.',
        fix: 'Rename the workspace folder "_outside"; hookgate uses that name for files from outside the workspace.',
      },
    }
  }
  return program
}

/** The files of a program and the facts in them. */
export interface ProgramFiles<T extends InspectedSource> {
  /** The program as it will be started, with the words of its first line. */
  readonly program: ProgramPlan
  /** Sentences for the owner about things that a sealed file may not find in its seal. */
  readonly missing: readonly string[]
  readonly files: readonly (T & SealedFile)[]
  readonly surroundings: Surroundings
  readonly fingerprint: string
}

/**
 * The program as it will be started. For a file that is executed by itself, the words of its first line come
 * first.
 */
const started = (
  program: ProgramPlan,
  files: readonly (SealedFile & Inside)[],
  context: ProgramContext,
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
    path: context.path,
    cwd,
  })
  if ('problem' in found) return found
  const { leading } = found
  if (leading === undefined) return program
  const { words, interpreter, isOpen } = leading
  const held = isOpen ? [sourceName(context.workspace, interpreter)] : []
  return {
    ...program,
    words: [...words, first, ...rest],
    interpreter,
    watched: [...program.watched, ...held],
    unsealed: [
      ...program.unsealed,
      ...held.map(
        (name) => `${shownName(name)} runs it and is used at its own path; a change stops the hook`,
      ),
    ],
  }
}

/** The problem of a script that executes a missing program in its own place, so it could only fail. */
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
          fix: 'Install it for all users. The script cannot work without it.',
          lacks: file.successor,
        },
      }
}

const maxRemarks = 5

/** What to say of a text that its shell cannot read. */
const faultWords = (whose: string, fault: string | undefined): readonly string[] =>
  fault === undefined
    ? []
    : [`${whose} has a syntax error: ${fault}. So it fails at each event, and a failure can block the step.`]

type SealedPart = SealedFile & Inside

/** The code that the entry's text for a shell uses. */
const codeOfText = ({ shell, command, origin }: Entry, workspace: string): ScriptCode =>
  shell === undefined
    ? noCode
    : codeIn(command, 'shell', { project: workspace, origin: path.dirname(origin) }, [])

/** The sealed files that a program or its parts name. */
export const reachedFrom = (
  own: readonly SealedPart[],
  files: readonly SealedPart[],
): readonly SealedPart[] => {
  const reached = new Set(own)
  const names = new Map(files.map((file) => [file, `/${file.path}`]))
  // The set grows during the loop.
  for (const { beside, code } of reached) {
    for (const name of [...beside, ...code.beside]) {
      const end = `/${name.replace(/^(?:\.{1,2}\/)+/, '')}`
      for (const [file, full] of names) if (full.endsWith(end)) reached.add(file)
    }
  }
  return [...reached]
}

/** The maximum depth to which code that sources other code is followed. */
const maxRounds = 8
/** The maximum number of such files that are watched, because each is read before and after each run. */
const maxCode = 64

const listedIn = (names: readonly string[]): string =>
  [
    ...names.slice(0, maxRemarks),
    ...(names.length > maxRemarks ? [`… +${names.length - maxRemarks}`] : []),
  ].join(', ')

interface Following {
  readonly context: ProgramContext
  readonly cwd: string
  /** Reads files. Stops at the first one that cannot be read and returns its problem. */
  readAll(names: readonly string[]): WithProblem | undefined
  filesNamed(names: readonly string[]): readonly SealedPart[]
  /** The files beside unsealed scripts that these scripts load. */
  partsOf(files: readonly SealedPart[]): Closure
}

/** The names of found code that is not sealed. */
interface Followed {
  /** Files that are used at their own path and watched. */
  readonly watched: Set<string>
  /** The watched files that a script loads from its own folder. */
  readonly beside: Set<string>
  readonly absent: Set<string>
  readonly runs: Set<string>
  /** Text that runs code without a name that can be resolved, as it is written. */
  readonly open: Set<string>
  readonly unfollowed: Set<string>
}

const wordsOf = ({ watched, beside, absent, runs, open, unfollowed }: Followed): readonly string[] => [
  ...[...watched].map((name) => (beside.has(name) ? usedWords(name) : heldWords(name))),
  ...[...absent].map(absentWords),
  ...[...runs]
    .slice(0, maxRemarks)
    .map((name) => `${shownName(name)} is run at its own path and may change without notice`),
  ...(runs.size > maxRemarks ? [`${runs.size - maxRemarks} more files are run like that`] : []),
  ...(open.size > 0
    ? [`it runs code of the workspace that cannot be determined (${listedIn([...open])})`]
    : []),
  ...(unfollowed.size > 0
    ? [`it loads more code than hookgate follows (${listedIn([...unfollowed].map(shownName))})`]
    : []),
]

/**
 * Follows the code that scripts use from other files, until nothing new is found. Files that become a part of
 * a script are watched. Files that scripts run, and code without a resolvable name, belong to the workspace
 * and are only reported.
 */
const withCode = (
  startedProgram: ProgramPlan,
  sealed: readonly SealedPart[],
  { context, cwd, readAll, filesNamed, partsOf }: Following,
): Outcome<{
  readonly program: ProgramPlan
  readonly remarks: readonly string[]
  /** The watched files that are a part of the scripts. */
  readonly parts: readonly string[]
}> => {
  const found: Followed = {
    watched: new Set(),
    beside: new Set(),
    absent: new Set(),
    runs: new Set(),
    open: new Set(),
    unfollowed: new Set(),
  }
  const remarks: string[] = []
  const hold = (names: readonly string[], isTooFar = false): readonly string[] =>
    names
      .filter((name) => !startedProgram.watched.includes(name) && !found.watched.has(name))
      .filter((name) => {
        const isHeld = !isTooFar && found.watched.size < maxCode
        ;(isHeld ? found.watched : found.unfollowed).add(name)
        return isHeld
      })
  const loaded = (files: readonly SealedPart[]): readonly SealedPart[] => {
    const parts = partsOf(files)
    remarks.push(...parts.remarks)
    const held = hold(parts.names)
    for (const name of held) found.beside.add(name)
    return filesNamed(held)
  }
  const open = filesNamed(startedProgram.watched)
  let fresh = [...sealed, ...open, ...loaded(open)]
  for (let round = 1; fresh.length > 0; round++) {
    const more = findCode(
      fresh.map(({ code }) => code),
      { ...context, cwd },
    )
    for (const name of more.absent) if (!startedProgram.absent.includes(name)) found.absent.add(name)
    for (const name of more.runs) found.runs.add(name)
    for (const file of fresh) {
      // The files that a sealed script finds in its own folder are in its seal.
      const names = sealed.includes(file) ? file.code.open : [...file.code.open, ...file.code.openBeside]
      for (const name of names) found.open.add(name)
    }
    const names = hold(more.watched, round >= maxRounds)
    const unread = readAll(names)
    if (unread !== undefined) return unread
    const files = filesNamed(names)
    fresh = [...files, ...loaded(files)]
  }
  const program = {
    ...startedProgram,
    watched: [...startedProgram.watched, ...found.watched],
    absent: [...startedProgram.absent, ...found.absent],
    unsealed: [...new Set([...startedProgram.unsealed, ...wordsOf(found)])],
  }
  return { program, remarks, parts: [...found.watched] }
}

/**
 * Reads every file of a program with `read`, including watched files. Stops at the first file that cannot be
 * sealed or watched and returns its problem.
 */
export const readFiles = <T extends InspectedSource>(
  entry: Entry,
  resolved: ProgramPlan,
  context: ProgramContext,
  read: (file: string, shown: string) => Outcome<T>,
): Outcome<ProgramFiles<T>> => {
  const { workspace } = context
  const seen = new Map<string, T>()
  let total = 0
  const readAll = (names: readonly string[]): WithProblem | undefined => {
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
  const filesNamed = (names: readonly string[]): readonly (T & SealedFile)[] =>
    [...new Set(names)].flatMap((name) =>
      [seen.get(name)].flatMap((source) => (source === undefined ? [] : [{ ...source, path: name }])),
    )

  const unread = readAll(resolved.sources)
  if (unread !== undefined) return unread
  const unsealable: string[] = []
  let moving: WithProblem | undefined
  const siblings = (resolved.siblings ?? []).filter((name) => {
    const problem = readAll([name])?.problem
    // The owner was shown the folder with this file, so the approval must not go on without it.
    if (problem?.code === 'file.changed') moving ??= { problem }
    if (problem !== undefined) unsealable.push(`${shownName(name)} is not sealed: ${problem.message}`)
    return problem === undefined
  })
  if (moving !== undefined) return moving
  const readPart = (name: string): (T & SealedFile) | string => {
    const problem = readAll([name])?.problem
    return problem === undefined ? (filesNamed([name])[0] ?? 'nothing is there') : problem.message
  }
  const beside = closeOver(filesNamed(resolved.sources), (name) => seen.has(name), workspace, readPart)
  const files = filesNamed([...resolved.sources, ...siblings, ...beside.names])
  const cwd = path.resolve(workspace, entry.cwd ?? '.')
  const startedProgram = started(resolved, files, context, cwd)
  if ('problem' in startedProgram) return startedProgram
  // A hook runs one program of its folder. The needs of the other programs there do not matter.
  const own = filesNamed(resolved.sources)
  const alone = successorProblem(own, context.path)
  if (alone !== undefined) return alone
  const unheld = readAll(startedProgram.watched)
  if (unheld !== undefined) return unheld
  const partsOf = (some: readonly SealedPart[]): Closure =>
    closeOver(some, (name) => seen.has(name), workspace, readPart)
  const reached = reachedFrom(own, files)
  const coded = withCode(startedProgram, reached, {
    context,
    cwd,
    readAll,
    filesNamed,
    partsOf,
  })
  if ('problem' in coded) return coded
  const { program, remarks, parts } = coded
  const watched = filesNamed(program.watched).map(boundOf)
  const { absent } = program
  const surroundings = {
    ...(watched.length === 0 ? {} : { watched }),
    ...(absent.length === 0 ? {} : { absent: [...absent] }),
  }
  const text = codeOfText(entry, workspace)
  const scripts = findCode([text], { ...context, cwd })
  const run = [...reached, ...filesNamed([...scripts.watched, ...scripts.runs, ...parts])]
  const lacks = [
    ...faultWords('Its text', entry.shell && shellFault(entry.command, entry.shell)),
    ...run.flatMap(({ path: name, fault }) => faultWords(shownName(name), fault)),
    ...(run.some(({ asksStarchild }) => asksStarchild === true) ? [starchildWords(entry)] : []),
    ...lacksOf([text, ...run.map(({ code }) => code)], {
      path: context.path,
      variables: [...Object.keys(entry.env), ...(context.variables?.(entry) ?? [])],
    }),
  ]
  const missing = [...unsealable.slice(0, maxRemarks), ...lacks, ...beside.remarks, ...remarks]
  const fingerprint = fingerprintOf(entry, files, surroundings)
  return { program, files, missing, surroundings, fingerprint }
}

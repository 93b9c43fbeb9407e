import path from 'node:path'
import type { Entry } from '../model/entry.ts'
import type { Problem } from '../model/problem.ts'
import { canonicalEntry, fingerprintOf, type SealedFile, type Surroundings, type WatchedFile } from './canonical.ts'
import type { Failed, Outcome, Places, Program } from './program.ts'
import { resolveProgram } from './resolve.ts'
import { startProblem } from './runnable.ts'
import { hasClash } from './seal.ts'
import type { Source } from './source-file.ts'

const maxFiles = 256
const maxTotalBytes = 64 * 1024 * 1024
const maxEntryUnits = 256 * 1024

type Facts = Omit<Source, 'content'>

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
  const { sources } = program
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
  readonly files: readonly (T & SealedFile)[]
  readonly surroundings: Surroundings
  readonly fingerprint: string
}

/** Reads every file of a program with `read`, those that are only watched too; the first that cannot be held to its bytes ends it. */
export const readFiles = <T extends Facts>(entry: Entry, { sources, watched, absent }: Program, workspace: string, read: (file: string, shown: string) => Outcome<T>): Outcome<ProgramFiles<T>> => {
  const files: (T & SealedFile)[] = []
  const watching: WatchedFile[] = []
  let total = 0
  for (const name of new Set([...sources, ...watched])) {
    const source = read(path.resolve(workspace, name), name)
    if ('problem' in source) return source
    const { sha256, bytes } = source
    total += bytes
    if (total > maxTotalBytes) return tooMuch('more', `at most ${maxTotalBytes} bytes of files`)
    if (sources.includes(name)) files.push({ ...source, path: name })
    if (watched.includes(name)) watching.push({ path: name, sha256, bytes })
  }
  const surroundings = { ...(watching.length === 0 ? {} : { watched: watching }), ...(absent.length === 0 ? {} : { absent: [...absent] }) }
  return { files, surroundings, fingerprint: fingerprintOf(entry, files, surroundings) }
}

/** The file that is executed by itself must be one that can be; what an interpreter is given need not. */
export const unrunnable = (program: Program, entry: Entry, files: readonly SealedFile[], places: Places, head: (name: string) => Buffer): Problem | undefined => {
  const [first] = program.words
  const file = typeof first === 'object' ? files.find(({ path }) => path === first.sealed) : undefined
  if (file === undefined) return undefined
  const cwd = path.resolve(places.workspace, entry.cwd ?? '.')
  return startProblem({ shown: file.path, isExecutable: file.isExecutable, head: head(file.path), path: places.path, cwd })
}

import path from 'node:path'
import type { Entry } from '../model/entry.ts'
import type { Problem } from '../model/problem.ts'
import { canonicalEntry, fingerprintOf, type SealedFile } from './canonical.ts'
import type { ApprovedRecord } from './fold.ts'
import { resolveProgram, type Places, type Program } from './program.ts'
import { headOf, startProblem } from './runnable.ts'
import { hasClash } from './seal.ts'
import { createHashCache, readSource, type Source } from './source-file.ts'

const maxFiles = 256
const maxTotalBytes = 64 * 1024 * 1024
const maxEntryUnits = 256 * 1024

/** What approving an entry now would seal. */
export interface Proposal {
  readonly entry: Entry
  /** Absent when there is a problem: then it cannot be approved. */
  readonly fingerprint?: string
  readonly problem?: Problem
  /** The real path of the interpreter or tool that would be pinned. */
  readonly interpreter?: string
  /** Sentences for the person: what this hook may read that would not be sealed. */
  readonly unsealed: readonly string[]
  readonly files: readonly SealedFile[]
}

/** What one approval binds, with the very bytes that were hashed. */
export interface Prepared {
  readonly record: ApprovedRecord
  readonly contents: readonly (SealedFile & { readonly content: Buffer })[]
}

type Failed = { readonly problem: Problem }

const tooMuch = (what: string, limit: string): Failed => ({
  problem: {
    code: 'entry.size',
    message: `Expected an entry with ${limit}, got ${what}.`,
    fix: 'Seal less: list only the files that the program itself reads.',
  },
})

const resolve = (entry: Entry, places: Places): Program | Failed => {
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

/** Reads every file of a program with `read`; the first one that cannot be sealed ends it. */
const readAll = <T extends Omit<Source, 'content'>>(
  program: Program,
  workspace: string,
  read: (file: string, shown: string) => T | Failed,
): Failed | { readonly files: readonly (T & SealedFile)[] } => {
  const files: (T & SealedFile)[] = []
  let total = 0
  for (const name of program.sources) {
    const source = read(path.resolve(workspace, name), name)
    if ('problem' in source) return source
    total += source.bytes
    if (total > maxTotalBytes) return tooMuch('more', `at most ${maxTotalBytes} bytes of files`)
    files.push({ ...source, path: name })
  }
  return { files }
}

/** The file that is executed by itself must be one that can be; what an interpreter is given need not. */
const unrunnable = (program: Program, entry: Entry, files: readonly SealedFile[], places: Places, head: (name: string) => Buffer): Problem | undefined => {
  const [first] = program.words
  const file = typeof first === 'object' ? files.find(({ path }) => path === first.sealed) : undefined
  if (file === undefined) return undefined
  const cwd = path.resolve(places.workspace, entry.cwd ?? '.')
  return startProblem({ shown: file.path, isExecutable: file.isExecutable, head: head(file.path), path: places.path, cwd })
}

const pinned = (program: Program): { readonly interpreter?: string } =>
  program.interpreter === undefined ? {} : { interpreter: program.interpreter }

export interface Proposer {
  /** For showing: a file is hashed again only when its stat moved. */
  propose(entry: Entry): Proposal
  /** For sealing: every file is read now, and what comes back are the bytes that were hashed. */
  prepare(entry: Entry): Prepared | Failed
}

export const createProposer = (places: Places): Proposer => {
  const hashNow = createHashCache()
  return {
    propose: (entry) => {
      const program = resolve(entry, places)
      if ('problem' in program) return { entry, problem: program.problem, unsealed: [], files: [] }
      const { unsealed } = program
      const read = readAll(program, places.workspace, hashNow)
      if ('problem' in read) return { entry, problem: read.problem, unsealed, files: [] }
      const problem = unrunnable(program, entry, read.files, places, (name) => headOf(path.resolve(places.workspace, name)))
      if (problem !== undefined) return { entry, problem, unsealed, files: read.files }
      return { entry, fingerprint: fingerprintOf(entry, read.files), ...pinned(program), unsealed, files: read.files }
    },
    prepare: (entry) => {
      const program = resolve(entry, places)
      if ('problem' in program) return program
      const read = readAll(program, places.workspace, readSource)
      if ('problem' in read) return read
      const problem = unrunnable(program, entry, read.files, places, (name) => read.files.find((file) => file.path === name)?.content ?? Buffer.alloc(0))
      if (problem !== undefined) return { problem }
      const { words, unsealed, hookDir } = program
      return {
        contents: read.files,
        record: {
          fingerprint: fingerprintOf(entry, read.files),
          entry: entry as ApprovedRecord['entry'],
          words: [...words],
          ...pinned(program),
          unsealed: [...unsealed],
          hookDir,
          files: read.files.map(({ path, sha256, bytes, isExecutable }) => ({ path, sha256, bytes, isExecutable })),
        },
      }
    },
  }
}

import path from 'node:path'
import type { Entry, Shell } from '../model/entry.ts'
import type { Problem } from '../model/problem.ts'
import type { SealedFile, Surroundings } from './canonical.ts'
import type { ApprovedRecord } from './fold.ts'
import type { GatekeeperOptions } from './gate-state.ts'
import { leadsInto } from './names.ts'
import { paced } from './pace.ts'
import { programOf, readFiles, unrunnable } from './program-files.ts'
import type { Failed, Outcome, Places, Program } from './program.ts'
import { headOf } from './runnable.ts'
import { createHashCache, readSource } from './source-file.ts'

/** What approving an entry now would seal, and what it would watch. */
export interface Proposal extends Surroundings {
  readonly entry: Entry
  /** Absent when there is a problem: then it cannot be approved. */
  readonly fingerprint?: string
  readonly problem?: Problem
  /** The real path of the interpreter or tool that would be pinned. */
  readonly interpreter?: string
  /** The shell that reads the entry's text; absent when it runs without one. */
  readonly under?: Shell
  /** Sentences for the person: what this hook may read that would not be sealed. */
  readonly unsealed: readonly string[]
  readonly files: readonly SealedFile[]
}

/** What one approval binds, with the very bytes that were hashed. */
export interface Prepared {
  readonly record: ApprovedRecord
  readonly contents: readonly (SealedFile & { readonly content: Buffer })[]
}

const pinned = (program: Program): { readonly interpreter?: string } =>
  program.interpreter === undefined ? {} : { interpreter: program.interpreter }

const homeProblem = (shown: string): Problem => ({
  code: 'file.home',
  message: `Expected "${shown}" to lie outside the gate's own folder, got a file in it.`,
  fix: 'Name a file of the workspace.',
})

export interface Proposer {
  /** For showing: a file is hashed again only when its stat moved. */
  propose(entry: Entry): Proposal
  /** For sealing: every file is read now, and what comes back are the bytes that were hashed. */
  prepare(entry: Entry): Prepared | Failed
}

/** `home`: the gate's own folder. What lies there is no hook's: the seal of it could be read by all of them. */
export const createProposer = ({ home, refuses, ...places }: Places & { readonly home: string; readonly refuses?: GatekeeperOptions['refuses'] }): Proposer => {
  const { workspace } = places
  const outsideHome = <T>(read: (file: string, shown: string) => Outcome<T>) => (file: string, shown: string): Outcome<T> =>
    (leadsInto(home, file) ? { problem: homeProblem(shown) } : read(file, shown))
  const [hashNow, readNow] = [outsideHome(createHashCache(refuses)), outsideHome((file, shown) => readSource(file, shown, undefined, refuses))]
  return {
    propose: paced((entry) => {
      const program = programOf(entry, places)
      if ('problem' in program) return { entry, problem: program.problem, unsealed: [], files: [] }
      const { unsealed, under } = program
      const known = { entry, unsealed, ...(under === undefined ? {} : { under }) }
      const read = readFiles(entry, program, workspace, hashNow)
      if ('problem' in read) return { ...known, problem: read.problem, files: [] }
      const { files, surroundings, fingerprint } = read
      const problem = unrunnable(program, entry, files, places, (name) => headOf(path.resolve(workspace, name)))
      return problem === undefined ? { ...known, fingerprint, ...pinned(program), files, ...surroundings } : { ...known, problem, files }
    }),
    prepare: (entry) => {
      const program = programOf(entry, places)
      if ('problem' in program) return program
      const read = readFiles(entry, program, workspace, readNow)
      if ('problem' in read) return read
      const { files, surroundings, fingerprint } = read
      const problem = unrunnable(program, entry, files, places, (name) => files.find((file) => file.path === name)?.content ?? Buffer.alloc(0))
      if (problem !== undefined) return { problem }
      const { words, unsealed, hookDir } = program
      return {
        contents: files,
        record: {
          fingerprint,
          entry: entry as ApprovedRecord['entry'],
          words: [...words],
          ...pinned(program),
          unsealed: [...unsealed],
          hookDir,
          files: files.map(({ path, sha256, bytes, isExecutable }) => ({ path, sha256, bytes, isExecutable })),
          ...(surroundings as Pick<ApprovedRecord, 'watched' | 'absent'>),
        },
      }
    },
  }
}

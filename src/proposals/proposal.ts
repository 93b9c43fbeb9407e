import path from 'node:path'
import type { Shell } from '../core/model/hooks/dialect.ts'
import type { Entry } from '../core/model/hooks/entry.ts'
import type { Problem, WithProblem } from '../core/model/gate/problem.ts'
import { canonicalEntry, type SealedFile, type Surroundings } from '../core/model/approval/canonical.ts'
import { boundOf, leadsInto } from '../shared/gate/names.ts'
import type { Prepared } from '../core/model/approval/approved.ts'
import { createRecent } from './program/belonging.ts'
import { withLinks } from './program/closure.ts'
import { namesOfCode } from './program/code/own-path.ts'
import { lookInside } from './program/inside.ts'
import { programOf, readFiles, type InspectedSource } from './program/program-files.ts'
import { fail, type Outcome, type ProgramContext } from './program/program.ts'
import { readSource, type Refuses, type Source } from '../core/model/approval/source-file.ts'
import { createSourceCache } from '../shared/gate/source-cache.ts'

/** What an approval of the entry now would seal and watch. */
export interface Sealable extends Surroundings {
  /** Absent when there is a problem, so the entry cannot be approved. */
  readonly fingerprint?: string
  readonly problem?: Problem
  /** The real path of the interpreter or tool that would be pinned. */
  readonly interpreter?: string
  /** The shell that reads the entry's text; absent when it runs without one. */
  readonly under?: Shell
  /** Sentences for the owner about files that the hook may read and that would not be sealed. */
  readonly unsealed: readonly string[]
  /** Sentences for the owner about things that a sealed file may not find in its seal. */
  readonly missing?: readonly string[]
  readonly files: readonly SealedFile[]
}

/** The result for an entry that was not inspected yet. */
export const later: Sealable = {
  ...fail(
    'later',
    'Expected time to inspect this proposal, got too many files or bytes in the other ones. It will be inspected soon.',
    'Send the command again in a few seconds. If this continues, propose fewer hooks or smaller files.',
  ),
  unsealed: [],
  files: [],
}

/** The maximum size of an entry in characters. The owner reads the whole entry in a few chat messages. */
const maxEntryChars = 24_000

const lengthProblem = (entry: Entry): WithProblem | undefined => {
  const { length } = canonicalEntry(entry)
  if (length <= maxEntryChars) return undefined
  return fail(
    'entry.long',
    `Expected the entry to have at most ${maxEntryChars} characters, which its owner can read, got ${length}.`,
    'Put long texts into a file that the program reads, and list it under files.',
  )
}

const homeProblem = (shown: string): Problem => ({
  code: 'file.home',
  message: `Expected "${shown}" to lie outside the gate's own folder, got a file in it.`,
  fix: 'Name a file of the workspace.',
})

/** Reads the current bytes of a file like an approval. `file` is its full path. */
export const readProposed = (
  file: string,
  shown: string,
  { home, refuses }: { readonly home: string; readonly refuses?: Refuses },
): Source | WithProblem =>
  leadsInto(home, file) ? { problem: homeProblem(shown) } : readSource(file, shown, undefined, refuses)

export interface Proposer {
  /** Describes an entry for a list or card. A file is hashed again only when its stat changed. */
  propose(entry: Entry): Sealable
  /** Prepares an approval. Reads every file now and returns the bytes that were hashed. */
  prepare(entry: Entry): Prepared | WithProblem
}

/**
 * `home` is the gate's own folder. Files in it are refused, because every hook could read their sealed
 * copies.
 */
export const createProposer = ({
  home,
  refuses,
  ...options
}: ProgramContext & { readonly home: string; readonly refuses?: Refuses }): Proposer => {
  const context: ProgramContext = { ...options, seals: path.join(home, 'seal') }
  const { workspace } = context
  const outsideHome =
    <T>(read: (file: string, shown: string) => Outcome<T>) =>
    (file: string, shown: string): Outcome<T> =>
      leadsInto(home, file) ? { problem: homeProblem(shown) } : read(file, shown)
  const look = (source: Source, file: string): InspectedSource & Pick<Source, 'content'> => ({
    ...source,
    ...lookInside(source, file, workspace),
  })
  const hashNow = outsideHome(
    createSourceCache((source, file): InspectedSource => {
      const { content: _, ...facts } = look(source, file)
      return facts
    }, refuses),
  )
  const readNow = (file: string, shown: string): ReturnType<typeof look> | WithProblem => {
    const source = readProposed(file, shown, { home, refuses })
    return 'problem' in source ? source : look(source, file)
  }
  const recent = createRecent<ReturnType<typeof hashNow>>()
  const hashRecent: typeof hashNow = (file, shown) =>
    recent.file(
      file,
      () => hashNow(file, shown),
      (found) => !('problem' in found),
    )
  return {
    propose: (entry) => {
      const resolved = lengthProblem(entry) ?? programOf(entry, { ...context, recent })
      if ('problem' in resolved) return { problem: resolved.problem, unsealed: [], files: [] }
      const { unsealed, under } = resolved
      const read = readFiles(entry, resolved, context, hashRecent)
      if ('problem' in read) return { under, unsealed, problem: read.problem, files: [] }
      const { program, files, missing, surroundings, fingerprint } = read
      const isLinked = namesOfCode(program.words, files) !== undefined
      const linked = isLinked ? missing.map(withLinks) : missing
      return {
        under,
        fingerprint,
        interpreter: program.interpreter,
        unsealed: program.unsealed,
        missing: linked.length === 0 ? undefined : linked,
        files: files.map(boundOf),
        ...surroundings,
      }
    },
    prepare: (entry) => {
      const resolved = lengthProblem(entry) ?? programOf(entry, context)
      if ('problem' in resolved) return resolved
      const read = readFiles(entry, resolved, context, readNow)
      if ('problem' in read) return read
      const { program, files, surroundings, fingerprint } = read
      const { words, unsealed, hookDir } = program
      const unlinked = namesOfCode(words, files)
      return {
        contents: files,
        record: {
          fingerprint,
          entry,
          words,
          interpreter: program.interpreter,
          unsealed,
          hookDir,
          files: files.map(boundOf),
          ...surroundings,
          unlinked,
        },
      }
    },
  }
}

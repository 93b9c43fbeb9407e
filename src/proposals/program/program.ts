import type { Entry } from '../../core/model/hooks/entry.ts'
import type { Shell } from '../../core/model/hooks/dialect.ts'
import type { createFolderFiles } from './belonging.ts'
import type { WithProblem } from '../../core/model/gate/problem.ts'
import type { ProgramWord } from '../../core/model/approval/approved.ts'

/**
 * What an entry would run, before its files are read. File names are relative to the workspace, or absolute
 * outside it.
 */
export interface ProgramPlan {
  /** Empty for a handler that is no program. */
  readonly words: readonly ProgramWord[]
  /** Files to seal. */
  readonly sources: readonly string[]
  /**
   * Files that belong to the sources and are sealed with them. One that cannot be sealed is left out and
   * reported.
   */
  readonly siblings?: readonly string[]
  /** Folders from which it runs files that only its shell knows. */
  readonly folders?: readonly string[]
  /** Files that are used at their own path. They are compared before each run. */
  readonly watched: readonly string[]
  /** Paths at which no file exists. A file that appears there later is not approved. */
  readonly absent: readonly string[]
  /** The shell that reads the entry's text. Absent when the words run without a shell. */
  readonly under?: Shell
  /** The real path of a program from the fixed PATH. It is pinned, never sealed or hashed. */
  readonly interpreter?: string
  /** Sentences for the owner about files that the hook may read and that are not sealed. */
  readonly unsealed: readonly string[]
  /** The folder that the program came from. */
  readonly hookDir: string
}

export interface ProgramContext {
  readonly workspace: string
  /** The fixed PATH of hooks. */
  readonly path: string
  /**
   * The home of the person who started hookgate. When absent, files of a text in that home are not looked
   * for.
   */
  readonly person?: string
  /** The names of variables that an entry's program gets in addition to those of every hook and its own. */
  variables?(this: void, entry: Entry): readonly string[]
  /** A cache for folders that many hooks share. When absent, each folder is read again. */
  readonly recent?: Parameters<typeof createFolderFiles>[1]
  /** The folder of all seals. A shell's text names the copies in it. */
  readonly seals?: string
}

export type Outcome<T> = T | WithProblem

export const fail = (code: string, message: string, fix: string): WithProblem => ({
  problem: { code: `program.${code}`, message, fix },
})

/** Marks a problem as a program that is missing on this machine. */
export const lacking = (lacks: string, failed: WithProblem): WithProblem => ({
  problem: { ...failed.problem, lacks },
})

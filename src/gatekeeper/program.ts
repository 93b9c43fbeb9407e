import type { Shell } from '../model/dialect.ts'
import type { Problem } from '../model/problem.ts'

/** One word of a hook's argv; a sealed word stands for the seal's copy of that file. */
export type Word = string | { readonly sealed: string }

/** What an entry would run, before anything of it is read. File names are relative to the workspace, or absolute outside it. */
export interface Program {
  /** None for what is no program. */
  readonly words: readonly Word[]
  /** Files to seal. */
  readonly sources: readonly string[]
  /** Files that are used from where they lie: compared before each run. */
  readonly watched: readonly string[]
  /** Where nothing lies: what comes there later was not approved. */
  readonly absent: readonly string[]
  /** The shell that reads the entry's text; absent when its words run without one. */
  readonly under?: Shell
  /** The real path of a program that was found on the fixed PATH. It is pinned, never sealed or hashed. */
  readonly interpreter?: string
  /** Sentences for the person: what this hook may read that is not sealed. */
  readonly unsealed: readonly string[]
  /** The folder that the program came from. */
  readonly hookDir: string
}

export interface Places {
  readonly workspace: string
  /** The fixed PATH of hooks. */
  readonly path: string
}

export type Failed = { readonly problem: Problem }
export type Outcome<T> = T | Failed

export const fail = (code: string, message: string, fix: string): Failed => ({ problem: { code: `program.${code}`, message, fix } })

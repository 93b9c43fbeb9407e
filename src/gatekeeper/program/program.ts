import type { Shell } from '../../model/hooks/dialect.ts'
import type { Entry } from '../../model/hooks/entry.ts'
import type { createBelonging } from './belonging.ts'
import type { Problem } from '../../model/gate/problem.ts'

/** A part of a text; a sealed one stands for the path of the seal's copy of that file or folder. */
export type TextPart = string | { readonly sealed: string }

/** One word of a hook's argv: as it stands, the seal's copy of a file, or a text in which such copies are named. */
export type ProgramWord = TextPart | { readonly text: readonly TextPart[] }
export const hasParts = (word: ProgramWord): word is Extract<ProgramWord, { readonly text: unknown }> =>
  typeof word === 'object' && 'text' in word

/** What an entry would run, before anything of it is read. File names are relative to the workspace, or absolute outside it. */
export interface ProgramPlan {
  /** None for what is no program. */
  readonly words: readonly ProgramWord[]
  /** Files to seal. */
  readonly sources: readonly string[]
  /** Files that belong to those and are sealed with them; one that cannot be is left out and told. */
  readonly siblings?: readonly string[]
  /** Folders out of which it runs what only its shell knows. */
  readonly folders?: readonly string[]
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

export interface ProgramPlaces {
  readonly workspace: string
  /** The fixed PATH of hooks. */
  readonly path: string
  /** The home of the person who started hookgate; absent: what a text names there is not looked for. */
  readonly person?: string
  /** The variables that an entry's program finds beside those of every hook and its own. */
  variables?(this: void, entry: Entry): readonly string[]
  /** What was just found in folders that many hooks share; absent: each is looked at anew. */
  readonly recent?: Parameters<typeof createBelonging>[1]
  /** The folder of all seals: a shell's text names copies in it. */
  readonly seals?: string
}

export type WithProblem = { readonly problem: Problem }
export type Outcome<T> = T | WithProblem

export const fail = (code: string, message: string, fix: string): WithProblem => ({
  problem: { code: `program.${code}`, message, fix },
})

/** All that is wrong is that a program is not on this machine. */
export const lacking = (lacks: string, failed: WithProblem): WithProblem => ({
  problem: { ...failed.problem, lacks },
})

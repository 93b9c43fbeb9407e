import type { Answer } from '../model/hooks/answer.ts'
import type { FileFacts, ListedHook } from '../model/gate/catalogue.ts'
import type { ArmedHook } from '../model/hooks/entry.ts'
import type { Prose } from '../model/chat/prose.ts'

/** One thing that doctor found out about a hook, with what to do when it is not well. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'bad'
  readonly text: Prose
}

/** What the checks look at: an approved hook, its line in the list, and what it answered on a sample. */
export interface Patient {
  readonly hook: ArmedHook
  readonly row: ListedHook | undefined
  /** What its seal holds, and the program that is pinned with it. */
  readonly approved: { readonly files: readonly FileFacts[]; readonly interpreter?: string } | undefined
  readonly answer: Answer
  readonly durationMs: number
  /** Of a resident program: how it has been. */
  readonly resident?: ResidentFacts
  /** Of a command that may gain from it: what came of letting it wait, started, at its stdin. */
  readonly warmth?: Warmth
}

export interface ResidentFacts {
  readonly pid?: number
  readonly restarts: number
  readonly asked: number
  /** Lines that were no answer in time to a request. */
  readonly dropped: number
  readonly lastError?: string
  readonly uptimeMs: number
}

export interface Warmth {
  readonly isSafe: boolean
  readonly why?: string
  readonly coldMs?: number
  readonly warmMs?: number
}

export type Check = (patient: Patient) => readonly Finding[]

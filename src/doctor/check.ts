import type { Answer } from '../core/model/hooks/answer.ts'
import type { FileFacts, ListedHook } from '../shared/gate/catalogue.ts'
import type { ArmedHook } from '../core/model/hooks/entry.ts'
import type { Prose } from '../core/model/chat/prose.ts'

/** One finding of doctor about a hook. When something is wrong, the text says what to do. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'bad'
  readonly text: Prose
}

export const ok = (text: Prose): Finding => ({ level: 'ok', text })
export const warn = (text: Prose): Finding => ({ level: 'warn', text })
export const bad = (text: Prose): Finding => ({ level: 'bad', text })

/** The input of the checks: an approved hook, its line in the list, and its answer to a sample payload. */
export interface Patient {
  readonly hook: ArmedHook
  readonly row: ListedHook | undefined
  /** The files in its seal, and the interpreter that is pinned with them. */
  readonly approved: { readonly files: readonly FileFacts[]; readonly interpreter?: string } | undefined
  readonly answer: Answer
  readonly durationMs: number
  /** Only for a resident program: the counters of its process. */
  readonly resident?: ResidentFacts
  /**
   * Only for a command that may gain from a warm start: the result of starting it before it gets its input.
   */
  readonly warmth?: Warmth
}

export interface ResidentFacts {
  readonly pid?: number
  readonly restarts: number
  readonly asked: number
  /** The number of its output lines that did not answer a request in time. */
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

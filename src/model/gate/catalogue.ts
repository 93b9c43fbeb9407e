import type { Shell } from '../hooks/dialect.ts'
import { handlerOf, type Entry } from '../hooks/entry.ts'
import { choiceOf, type ChoiceFacts } from '../hooks/fault.ts'
import type { Problem } from './problem.ts'

/** One line of the hook list: what a file proposes, what an owner approved, and how the two stand to each other. */
export interface ListedHook extends ChoiceFacts {
  readonly status: 'approved' | 'waiting' | 'changed' | 'gone' | 'invalid'
  /** As the file spells it: for an invalid entry it may be no event at all. */
  readonly event: string
  readonly command: string
  readonly entry?: Entry
  /** The fingerprint of the approval in force. */
  readonly live?: string
  /** The fingerprint that approving now would give. */
  readonly proposed?: string
  readonly problem?: Problem
  /** What approving would leave unsealed, in words. */
  readonly unsealed: readonly string[]
  /** What of it is not taken as its own system would take it, in words. */
  readonly remarks?: readonly string[]
  /** What a sealed file of it may miss in its seal, in words. */
  readonly missing?: readonly string[]
  /** What it uses of the world around it, each in a few words. */
  readonly uses?: readonly string[]
  /** What approving now would seal, or what was sealed. */
  readonly files: readonly FileFacts[]
  /** What runs from where it lies, and is compared before each run. */
  readonly watched?: readonly FileFacts[]
  /** What the approval watches is not as it was: each run of it is a fault until it is approved again. */
  readonly isStopped?: true
  /** The shell that reads the command's text; absent when it runs without one. */
  readonly under?: Shell
  /** The real path of the program that runs it, pinned; absent when it runs by itself. */
  readonly interpreter?: string
}

/** A file as an approval knows it, relative to the workspace or absolute outside it. */
export interface FileFacts {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
  /** Absent where it does not matter. */
  readonly isExecutable?: boolean
}

export const statusWords: Readonly<Record<ListedHook['status'], string>> = {
  approved: '✓ approved',
  waiting: '✗ NOT approved',
  changed: 'changed since approval',
  gone: 'gone from the file, still approved',
  invalid: '✗ invalid',
}

export const failWords = { block: 'blocks', warn: 'goes on and tells you', ignore: 'goes on' } as const

/** What happens when a hook fails: of an approval in force as its owner chose, of a proposal as its file says. */
export const failsHow = (row: ListedHook): string | undefined => {
  const { entry, status } = row
  if (entry === undefined) return undefined
  const choice = choiceOf(row)
  const words = failWords[entry.onError]
  if (choice === undefined) return words
  if (status === 'changed')
    return `${words} (${choice === 'closed' ? 'blocks' : 'goes on in any case'} now, your choice)`
  return choice === 'closed'
    ? 'blocks (your choice)'
    : `${words}, even where the agent makes it fail (your choice)`
}

/** The handler in the words of lists and records, with the shell that its text runs under. */
export const handlerUnder = (entry: Pick<Entry, 'type' | 'command'>, under: Shell | undefined): string =>
  under === undefined ? handlerOf(entry) : `${under}: ${entry.command}`

/** The row's own name for a handle: what approving or revoking it would act on. */
export const rowKey = (row: ListedHook): string | undefined => row.proposed ?? row.live

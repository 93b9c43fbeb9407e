import { type Prose, fixed, prose } from '../../core/model/chat/prose.ts'
import type { Problem } from '../../core/model/gate/problem.ts'
import type { Shell } from '../../core/model/hooks/dialect.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { type ChoiceFacts, choiceOf } from '../../core/model/hooks/fault.ts'

/**
 * One row of the hook list: the proposal of a file, the approval of an owner, and the status that follows
 * from both.
 */
export interface ListedHook extends ChoiceFacts {
  readonly status: 'approved' | 'waiting' | 'changed' | 'gone' | 'invalid'
  /** The event as the file spells it. An invalid entry may name no event at all. */
  readonly event: string
  readonly command: string
  /** The name for people: that of the approval in force, or else the one that the file gives. */
  readonly name?: string
  readonly entry?: Entry
  /** The fingerprint of the approval in force. */
  readonly live?: string
  /** The fingerprint that approving now would give. */
  readonly proposed?: string
  readonly problem?: Problem
  /** What an approval would leave unsealed, in words. */
  readonly unsealed: readonly string[]
  /** Its own system lets no hook refuse at this event, so its failure refuses nothing. */
  readonly hasNoVeto?: true
  /** The parts that hookgate treats differently from the hook's own system, in words. */
  readonly remarks?: readonly string[]
  /** What a sealed file may miss inside the seal, in words. */
  readonly missing?: readonly string[]
  /** The files that an approval would seal, or that were sealed. */
  readonly files: readonly FileFacts[]
  /** The files that run unsealed from their own place and are compared before each run. */
  readonly watched?: readonly FileFacts[]
  /** A watched file has changed. Each run is a fault until the hook is approved again. */
  readonly isStopped?: true
  /** No file proposes it as far as is known, because its node has not connected since the gate started. */
  readonly isUnheard?: true
  /** The shell that interprets the command's text. Absent when the hook runs without a shell. */
  readonly under?: Shell
  /** The pinned real path of the program that runs it. Absent when it runs directly. */
  readonly interpreter?: string
}

/** A file as an approval knows it, relative to the workspace or absolute outside it. */
export interface FileFacts {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
  /** Absent where it is not relevant. */
  readonly isExecutable?: boolean
}

const words: Readonly<Record<ListedHook['status'], Prose>> = {
  approved: fixed('✓ approved'),
  waiting: fixed('✗ NOT approved'),
  changed: fixed('changed since approval'),
  gone: fixed('gone from the file, still approved'),
  invalid: fixed('✗ invalid'),
}

/** The words of a shadow, where they differ. */
const shadowWords: Partial<Readonly<Record<ListedHook['status'], Prose>>> = {
  approved: fixed('✓ shadow: asked, never decides'),
  changed: fixed('shadow, changed since approval'),
  gone: fixed('gone from the file, still a shadow'),
}

export const statusWords = ({ status, isUnheard, isShadow }: ListedHook): Prose => {
  if (isUnheard === true)
    return isShadow === true
      ? fixed('shadow, and its node is not connected')
      : fixed('approved, and its node is not connected')
  return (isShadow === true ? shadowWords[status] : undefined) ?? words[status]
}

export const failWords: Readonly<Record<Entry['onError'], Prose>> = {
  block: fixed('blocks'),
  warn: fixed('goes on and tells you'),
  ignore: fixed('goes on'),
}

/**
 * What happens when a hook fails. An approval in force follows its owner's choice, a proposal follows its
 * file.
 */
export const failsHow = (row: ListedHook): Prose | undefined => {
  const { entry, status } = row
  if (entry === undefined) return undefined
  const choice = choiceOf(row)
  const words = failWords[entry.onError]
  if (choice === undefined) return words
  if (choice === 'shadow') return status === 'changed' ? words : prose`${words} (a shadow only records it)`
  if (status === 'changed')
    return choice === 'closed'
      ? prose`${words} (blocks now, your choice)`
      : prose`${words} (goes on in any case now, your choice)`
  return choice === 'closed'
    ? fixed('blocks (your choice)')
    : prose`${words}, even where the agent makes it fail (your choice)`
}

/** The key of the row's handle: the fingerprint that an approval or a revocation would affect. */
export const rowKey = (row: ListedHook): string | undefined => row.proposed ?? row.live
/**
 * One hook in a file of proposals: an entry that could be read, or an invalid one with what could be read of
 * it.
 */
export type ProposedHook =
  /** `remarks`: the differences from the hook's own system, as sentences for the person. */
  | { readonly kind: 'entry'; readonly entry: Entry; readonly remarks?: readonly string[] }
  | { readonly kind: 'invalid'; readonly event: string; readonly command: string; readonly problem: Problem }

import type { Problem } from '../gate/problem.ts'
import type { FaultKind } from './answer.ts'

/** Who can cause a fault. Where several can, the most hostile one counts. */
export type FaultCause = 'agent' | 'hook' | 'machine'

interface FaultFacts {
  readonly by: FaultCause
  /** The cause, in words for people. */
  readonly how: string
}

/**
 * Every kind of fault. A fault that the agent can cause blocks at events where a block prevents something:
 * otherwise an agent could bypass a guard by breaking it. Other faults follow the hook's `on_error`.
 */
export const FAULTS: Readonly<Record<FaultKind, FaultFacts>> = {
  timeout: {
    by: 'agent',
    how: 'the hook did not answer in time, because of load or a payload that is slow to judge',
  },
  folder: { by: 'agent', how: 'the working folder that the hook needs is closed or missing' },
  limit: {
    by: 'agent',
    how: 'a limit was reached: processes, files, memory, the size of the payload or the answer, or model calls per hour',
  },
  broken: { by: 'agent', how: 'the shell, interpreter or model of the hook failed, which is not a verdict' },
  killed: { by: 'agent', how: 'a signal ended the hook, such as when memory ran out' },
  host: { by: 'agent', how: 'the hook host or the agent host was not running or too busy' },
  network: { by: 'agent', how: 'the server of the hook could not be reached, or failed' },
  rewrite: { by: 'agent', how: 'the rewrite of the hook does not fit the payload' },
  changed: { by: 'agent', how: 'the approved files were changed' },
  crash: { by: 'agent', how: 'the hook ended with an exit code above 2, as a failed program does' },
  garbled: { by: 'agent', how: 'the output begins like an answer but cannot be read' },
  exit: { by: 'hook', how: 'the hook ended with exit code 1, which is not an answer' },
  output: { by: 'hook', how: 'the output is plain text and not an answer' },
  refused: { by: 'hook', how: 'hookgate cannot run the entry as it is written' },
  start: { by: 'machine', how: 'the program or interpreter is missing or cannot be executed' },
}

/**
 * The owner's choice for an approval. `closed`: any failure blocks. `open`: no failure blocks, even one that
 * the agent can cause. `shadow`: the hook is asked after the verdict and recorded, and it never decides.
 */
export type ApprovalChoice = 'closed' | 'open' | 'shadow'

/** What an owner can choose for a hook that decides. */
export type PromotionChoice = Exclude<ApprovalChoice, 'shadow'>

/** The choice as an approval stores it. At most one of the fields is set. */
export interface ChoiceFacts {
  readonly failsClosed?: true
  readonly failsOpen?: true
  readonly isShadow?: true
}

const facts: Readonly<Record<ApprovalChoice, ChoiceFacts>> = {
  closed: { failsClosed: true },
  open: { failsOpen: true },
  shadow: { isShadow: true },
}

export const choiceFacts = (choice: ApprovalChoice | undefined): ChoiceFacts =>
  choice === undefined ? {} : facts[choice]

export const choiceOf = ({ failsClosed, failsOpen, isShadow }: ChoiceFacts): ApprovalChoice | undefined => {
  if (isShadow === true) return 'shadow'
  if (failsClosed === true) return 'closed'
  return failsOpen === true ? 'open' : undefined
}

export const isFaultKind = (kind: unknown): kind is FaultKind =>
  typeof kind === 'string' && Object.hasOwn(FAULTS, kind)

/** The refusal of a shadow in the place of a hook that decides. */
export const decidesAlready: Problem = {
  code: 'shadow.decides',
  message: 'It decides already: an owner approved it.',
  fix: 'A shadow in its place would end what it guards. If you want that, send "/hooks revoke" with its handle first.',
}

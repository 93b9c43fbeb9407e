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
  timeout: { by: 'agent', how: 'it did not answer in time: load, or a payload that is slow to judge' },
  folder: { by: 'agent', how: 'the working folder that it asks for is closed or gone' },
  limit: {
    by: 'agent',
    how: 'no room was left: processes, files, memory, the size of the payload or of the answer, questions by the hour',
  },
  broken: { by: 'agent', how: 'its shell, interpreter or model failed, which is no verdict' },
  killed: { by: 'agent', how: 'it was ended by a signal, as for want of memory' },
  host: { by: 'agent', how: 'the hook host or the agent host was gone or too busy' },
  network: { by: 'agent', how: 'its server could not be reached, or failed' },
  rewrite: { by: 'agent', how: 'its rewrite does not fit the payload' },
  changed: { by: 'agent', how: 'what was approved is not what lies there' },
  crash: { by: 'agent', how: 'it ended with an exit code above 2, as what it ran does when it fails' },
  garbled: { by: 'agent', how: 'what it printed begins as an answer and cannot be read' },
  exit: { by: 'hook', how: 'it ended with exit code 1, which is no answer' },
  output: { by: 'hook', how: 'what it printed is words and no answer' },
  refused: { by: 'hook', how: 'its entry cannot be asked as it stands' },
  start: { by: 'machine', how: 'its program or interpreter is not there or cannot be executed' },
}

/**
 * The owner's choice for an approval. `closed`: any failure blocks. `open`: no failure blocks, even one that
 * the agent can cause.
 */
export type FaultChoice = 'closed' | 'open'

/** The choice as an approval stores it. At most one of the two fields is set. */
export interface ChoiceFacts {
  readonly failsClosed?: true
  readonly failsOpen?: true
}

export const choiceFacts = (choice: FaultChoice | undefined): ChoiceFacts => {
  if (choice === undefined) return {}
  return choice === 'closed' ? { failsClosed: true } : { failsOpen: true }
}

export const choiceOf = ({ failsClosed, failsOpen }: ChoiceFacts): FaultChoice | undefined => {
  if (failsClosed === true) return 'closed'
  return failsOpen === true ? 'open' : undefined
}

import type { JsonObject } from '../base/json.ts'

/** Why a hook gave no usable answer. */
export type FaultKind =
  | 'timeout'
  | 'start'
  | 'folder'
  /** A limit was reached: of the machine or of hookgate. */
  | 'limit'
  /** Exit code 1: the hook itself reports a failure. */
  | 'exit'
  /** The output is text but not an answer. */
  | 'output'
  /** Any exit code except 0, 1 and 2. */
  | 'crash'
  /** The output begins like an answer but cannot be read. */
  | 'garbled'
  /** The hook's shell or interpreter failed, which is not a verdict of the hook. */
  | 'broken'
  | 'rewrite'
  | 'changed'
  | 'host'
  | 'killed'
  /** hookgate did not run the hook: a forbidden address, or a spent budget. */
  | 'refused'
  | 'network'

export interface Fault {
  readonly kind: FaultKind
  /** One sentence for the person: what happened and what to do. */
  readonly detail: string
}

/**
 * The reply of one hook. `abstain`, `allow` and `fault` are three different things: an abstention is not
 * consent, and a fault is neither.
 */
export interface Answer {
  readonly kind: 'abstain' | 'allow' | 'ask' | 'block' | 'fault'
  /** The reason for the agent and the person. Always set for `block` and `ask`. */
  readonly reason?: string
  /** New values by field, before they are checked against the event's contract. */
  readonly rewrite?: JsonObject
  /** Text for the model. */
  readonly context?: string
  /** Texts for the person. They never reach the model. */
  readonly notes: readonly string[]
  /** It asks to end the turn, whatever else it answers. */
  readonly stopsTurn?: true
  /**
   * Always set for `fault`. Set beside `ask` when the rest of the answer was unusable: the question is still
   * asked.
   */
  readonly fault?: Fault
}

export const abstain: Answer = { kind: 'abstain', notes: [] }

export const faultAnswer = (kind: FaultKind, detail: string): Answer => ({
  kind: 'fault',
  fault: { kind, detail },
  notes: [],
})

/**
 * What remains of a partly unusable answer: a question stays beside the fault, anything else becomes a fault.
 */
export const withFault = ({ kind, reason, notes, stopsTurn }: Answer, fault: Fault): Answer => ({
  ...(kind === 'ask' ? { kind, notes, fault, reason } : { kind: 'fault', notes, fault }),
  stopsTurn,
})

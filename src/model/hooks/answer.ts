import type { JsonObject } from '../base/json.ts'

/** Why a hook gave no usable answer. */
export type FaultKind =
  | 'timeout'
  | 'start'
  | 'folder'
  /** Some bound was reached: the machine's, or one of hookgate's. */
  | 'limit'
  /** Exit code 1: by its own word it failed. */
  | 'exit'
  /** Words that are no answer. */
  | 'output'
  /** Any exit code but 0, 1 and 2. */
  | 'crash'
  /** It begins as an answer, and cannot be read as one. */
  | 'garbled'
  /** Its shell or interpreter failed, which is no verdict of the hook. */
  | 'broken'
  | 'rewrite'
  | 'changed'
  | 'host'
  | 'killed'
  /** hookgate did not ask: a forbidden address, a spent budget. */
  | 'refused'
  | 'network'

export interface Fault {
  readonly kind: FaultKind
  /** One sentence for the person: what happened and what to do. */
  readonly detail: string
}

/**
 * One hook's reply. `abstain`, `allow` and `fault` are three different things:
 * no opinion is not consent, and a fault is neither.
 */
export interface Answer {
  readonly kind: 'abstain' | 'allow' | 'ask' | 'block' | 'fault'
  /** For the agent and the person; always there for `block` and `ask`. */
  readonly reason?: string
  /** Field → new value, before it was checked against the event's contract. */
  readonly rewrite?: JsonObject
  /** Text for the model. */
  readonly context?: string
  /** Texts for the person; they never reach the model. */
  readonly notes: readonly string[]
  /** It asks that the turn end, whatever else it says. */
  readonly stopsTurn?: true
  /** Always there for `fault`; beside `ask` when the rest of the answer could not be used: the careful half stands. */
  readonly fault?: Fault
}

export const abstain: Answer = { kind: 'abstain', notes: [] }

export const faultAnswer = (kind: FaultKind, detail: string): Answer => ({
  kind: 'fault',
  fault: { kind, detail },
  notes: [],
})

/** What is left of an answer that is not all usable: a question stands beside the fault, anything else is a fault alone. */
export const withFault = ({ kind, reason, notes, stopsTurn }: Answer, fault: Fault): Answer => ({
  ...(kind === 'ask'
    ? { kind, notes, fault, ...(reason === undefined ? {} : { reason }) }
    : { kind: 'fault', notes, fault }),
  ...(stopsTurn === undefined ? {} : { stopsTurn }),
})

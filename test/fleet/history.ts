/** What happened in one run of a fleet. All times are milliseconds of one monotonic clock. */

/**
 * `unknown`: nobody told how it ended. It may still take effect later. `failed`: it was refused, and nothing
 * was done.
 */
export type Ending = 'ok' | 'failed' | 'unknown'

interface Operation {
  readonly startMs: number
  readonly endMs: number
  readonly ending: Ending
}

export type ActName = 'on' | 'off' | 'approve' | 'revoke'

/**
 * The owner turns the switch, or decides about the guard of outgoing messages. The guard of events is always
 * approved.
 */
export interface OwnerAct extends Operation {
  readonly kind: 'act'
  readonly act: ActName
  /** False: the receipt says that it was so already, so the ledger has no line of it. */
  readonly isChange: boolean
}

/** The owner asks for the list, which shows the switch. */
export interface SwitchRead extends Operation {
  readonly kind: 'read'
  readonly isOn?: boolean
}

/** An agent pushes a message, and asks again with the same id until it is told what became of it. */
export interface PushCall extends Operation {
  readonly kind: 'push'
  /** No two pushes have the same. */
  readonly text: string
  /** The guard of outgoing messages blocks it. */
  readonly isForbidden: boolean
  /** The last outcome that the agent was told. */
  readonly told?: string
}

/** An event over the socket of one gate, or by `hookgate fire`. */
export interface EventCall extends Operation {
  readonly kind: 'event'
  readonly gate: string
  /** The guard of events blocks it. */
  readonly isForbidden: boolean
  /** `held`: the gate itself blocked it, because it may not work now. */
  readonly verdict?: 'allowed' | 'blocked' | 'held'
}

/** A person asks the agent to do something once and to answer. `ok`: the answer came. */
export interface PromptCall extends Operation {
  readonly kind: 'prompt'
  /** No two prompts have the same. The agent answers with it. */
  readonly text: string
  /** How often the agent has done it. */
  readonly timesDone: number
  /** The person was told that it may not have been done or answered. */
  readonly isTold: boolean
}

export type Call = OwnerAct | SwitchRead | PushCall | EventCall | PromptCall

/** A message that the Bot API server took from a gate. */
export interface Arrival {
  readonly chat: string
  readonly text: string
  readonly atMs: number
}

export interface ChainLine {
  readonly head: string
  /** The head of the line before it. */
  readonly previous: string
  /** An act of `ActName`, or another one. */
  readonly act: string
}

/** Where somebody saw that the ledger ended. */
export interface Sighting {
  readonly by: string
  readonly revision: number
  readonly head: string
}

export interface History {
  readonly calls: readonly Call[]
  readonly arrivals: readonly Arrival[]
  /** The lines of the ledger in the database at the end of the run. */
  readonly chain: readonly ChainLine[]
  /** How many lines it had at the beginning of the run. */
  readonly linesBefore: number
  readonly sightings: readonly Sighting[]
}

import type { ArmedHook, Entry } from '../model/hooks/entry.ts'
import type { Problem } from '../model/gate/problem.ts'
import type { ApprovedHook } from './approved.ts'
import type { Owner, StandingOwner } from './ledger/fold.ts'

export interface GateState {
  readonly isOn: boolean
  /** On because of the environment variable at start, until an owner says on or off. */
  readonly isForcedOn: boolean
  readonly revision: number
  /** The chain hash of the ledger's last line, or of the last one that is known to be good. */
  readonly head: string
  /** Off for a while: when it ends by the wall clock, in epoch milliseconds. */
  readonly offUntilMs?: number
  /** Why the gate doubts itself; absent when it does not. */
  readonly lockdown?: string
  /** In a lockdown: the part of the ledger that an owner can go on from. */
  readonly good?: Good
  readonly owners: readonly StandingOwner[]
  /** By fingerprint, in the order of approval. */
  readonly approvals: ReadonlyMap<string, ApprovedHook>
}

export interface Good {
  readonly lines: number
  readonly head: string
}

/** The state and what follows from it, made anew when something changed. */
export interface GateView {
  readonly state: GateState
  readonly armed: readonly ArmedHook[]
  readonly approved: readonly ArmedHook[]
}

export type NotDone = { readonly ok: false; readonly problem: Problem }
export const notDone = (code: string, message: string, fix: string): NotDone => ({
  ok: false,
  problem: { code, message, fix },
})

export type Approved =
  | { readonly ok: true; readonly approval: ApprovedHook; readonly isNew: boolean }
  | NotDone
/** What an owner reads who went on from a part of the ledger. */
export interface Receipt extends Good {
  /** Approved in that part, but revoked behind it. */
  readonly revoked: readonly Entry[]
  /** Approved in that part, but their sealed bytes are not the approved ones. */
  readonly broken: readonly Entry[]
  /** Approved behind it. */
  readonly lost: readonly Entry[]
  /** How many lines behind it nobody can read. */
  readonly unread: number
}

/** `kept`: the file name of what was there before. */
export type Recovered = { readonly ok: true; readonly kept?: string; readonly receipt?: Receipt } | NotDone

export interface GatekeeperOptions {
  readonly home: string
  readonly workspace: string
  /** The fixed PATH of hooks. */
  readonly path: string
  /** The home of the person who started hookgate: what a foreign hook names there is sealed from there. */
  readonly person?: string
  /** How long a card must have stood before a tap on its answers counts, in milliseconds. Absent: as `cards.ts` says. */
  readonly leastAgeMs?: number
  /** The variables that an entry's program finds beside those of every hook and its own. */
  readonly variables?: (entry: Entry) => readonly string[]
  /** Taken over once, when there is no ledger yet. The owners also count in a lockdown that leaves no owner readable. */
  readonly adopt: { readonly owners: readonly Owner[]; readonly isOn: boolean }
  /** Which of those owners is whoever reads the console: the gate is nobody's until that login was used or somebody paired. */
  readonly console?: string
  /** The login under which a channel's ids are good now; undefined where they last for ever. */
  readonly loginOf?: (channel: string) => string | undefined
  /** On from the start, whatever the ledger says, until an owner says off. */
  readonly isForcedOn: boolean
  /** Why a file that was opened at this path may not be proposed, as what was got. */
  readonly refuses?: (descriptor: number, path: string) => string | undefined
  readonly now: () => number
  /** For intervals, by a clock that nobody can set. */
  readonly elapsedMs: () => number
  readonly log: (
    level: 'debug' | 'info' | 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ) => void
  /** Called once for each lockdown; when it is found at start, before `openGatekeeper` returns. */
  readonly onLockdown: (why: string) => void
}

export const lockdownProblem = (why: string): Problem => ({
  code: 'gate.lockdown',
  message: `Expected a gate that trusts itself, got lockdown: ${why}.`,
  fix: 'Find out what happened, then send "/hooks recover".',
})

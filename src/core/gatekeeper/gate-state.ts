import type { ChannelPorts } from '../model/chat/channel.ts'
import type { ArmedHook, Entry } from '../model/hooks/entry.ts'
import type { ApprovalChoice } from '../model/hooks/fault.ts'
import type { Acted, Problem, Refusal, WithProblem } from '../model/gate/problem.ts'
import type { ApprovedHook, Prepared, RenameFiles } from '../model/approval/approved.ts'
import type { Reserve } from './ledger/reserve.ts'
import type { SharedFiles, SharedLines } from '../model/gate/shared.ts'
import type { Grant } from '../model/gate/grant.ts'
import type { Person } from '../model/gate/person.ts'
import type { Owner, StandingMember, StandingOwner } from './ledger/fold.ts'

/** A person in the ledger: `by` gave them this role at the time `at` (ISO 8601). */
export type StandingPerson = (StandingOwner & Pick<Person, 'role'>) | StandingMember

export interface GateState {
  readonly isOn: boolean
  /** True when the environment variable switched the hooks on at start, until an owner uses the switch. */
  readonly isForcedOn: boolean
  readonly revision: number
  /** The chain hash of the ledger's last line, or of the last line that is known to be good. */
  readonly head: string
  /** When a temporary off ends, by the wall clock, in epoch milliseconds. */
  readonly offUntilMs?: number
  /** The reason of the lockdown. Absent when there is none. */
  readonly lockdown?: string
  /** In a lockdown, the part of the ledger from which an owner can resume. */
  readonly good?: GoodPart
  readonly owners: readonly StandingOwner[]
  /** Everybody who has a role, the owners first. */
  readonly people: readonly StandingPerson[]
  /** By id, in the order in which they were given. Some of them may be over. */
  readonly grants: ReadonlyMap<string, Grant>
  /** By fingerprint, in the order of approval. */
  readonly approvals: ReadonlyMap<string, ApprovedHook>
}

export interface GoodPart {
  readonly lines: number
  readonly head: string
}

/** The state and the hook lists derived from it. It is computed again after each change. */
export interface GateView {
  readonly state: GateState
  readonly armed: readonly ArmedHook[]
  readonly approved: readonly ArmedHook[]
}

export const refusal = (code: string, message: string, fix: string): Refusal => ({
  ok: false,
  problem: { code, message, fix },
})

export type Approved = Acted<{ readonly approval: ApprovedHook; readonly isNew: boolean }>

/** The report for an owner who resumed from a part of the ledger. */
export interface Receipt extends GoodPart {
  /** Approved in that part and revoked by a later line. */
  readonly revoked: readonly Entry[]
  /** Approved in that part, but the sealed bytes are not the approved bytes. */
  readonly broken: readonly Entry[]
  /** Approved by a later line, so no longer approved. */
  readonly lost: readonly Entry[]
  /** The number of later lines that cannot be read. */
  readonly unread: number
}

/** `kept` is the file name under which the old ledger was saved. */
export type Recovered = Acted<{ readonly kept?: string; readonly receipt?: Receipt }>

export interface GatekeeperOptions {
  readonly home: string
  readonly workspace: string
  /**
   * The age that a card must have before a tap on its answers counts, in milliseconds. Default: `leastAgeMs`
   * in `cards.ts`.
   */
  readonly leastAgeMs?: number
  /**
   * The owners and the switch of a new ledger. In a lockdown without readable owners, these owners count too.
   */
  readonly adopt: { readonly owners: readonly Owner[]; readonly isOn: boolean }
  /**
   * The owner id of the person who reads the console. The gate has no owner until somebody uses that login or
   * pairs.
   */
  readonly console?: string
  /** The login under which a channel's ids are valid now. Undefined when the ids never change. */
  readonly loginOf?: (channel: string) => string | undefined
  /** Hooks are on from the start, whatever the ledger has, until an owner switches them off. */
  readonly isForcedOn: boolean
  /**
   * Reads the current bytes that an approval of the entry would bind, or says why the entry cannot be
   * approved with this choice. Never rejects.
   */
  readonly prepare: (entry: Entry, choice: ApprovalChoice | undefined) => Promise<Prepared | WithProblem>
  readonly renamed: RenameFiles
  /** The ledger in a database that several gates share. Absent: the ledger is a file of the gate's folder. */
  readonly lines?: SharedLines
  /** The sealed files that several gates share. Absent: each seal is only in the folder of the gate. */
  readonly sharedFiles?: SharedFiles
  /** Space on the disk for owners' acts. Absent: there is none. */
  readonly reserve?: Reserve
  readonly now: () => number
  /** A monotonic clock for intervals, in milliseconds. */
  readonly elapsedMs: () => number
  readonly log: ChannelPorts['log']
  /** Called once for each lockdown. For one found at start, it is called before `openGatekeeper` returns. */
  readonly onLockdown: (why: string) => void
}

export const lockdownProblem = (why: string): Problem => ({
  code: 'gate.lockdown',
  message: `The gate is in lockdown: ${why}.`,
  fix: 'Find out what happened, then send "/hooks recover".',
})

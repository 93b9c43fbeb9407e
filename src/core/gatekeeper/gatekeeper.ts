import { pathInSeal } from '../model/approval/names.ts'
import path from 'node:path'
import type { Message } from '../model/chat/channel.ts'
import type { ArmedHook, Entry } from '../model/hooks/entry.ts'
import type { ApprovalChoice, PromotionChoice } from '../model/hooks/fault.ts'
import { ProblemError, asProblem } from '../model/gate/problem.ts'
import { createApproving, createPromoting } from './approving.ts'
import type { ApprovedHook } from '../model/approval/approved.ts'
import { canonicalEntry } from '../model/approval/canonical.ts'
import { createCards, type Cards } from './owners/cards.ts'
import { claimGate, type Claim } from './owners/claim.ts'
import { createGranting, type Granting } from './grants/granting.ts'
import type { Pause } from './ledger/fold.ts'
import {
  lockdownProblem,
  refusal,
  type Approved,
  type GatekeeperOptions,
  type GateState,
  type Recovered,
} from './gate-state.ts'
import { openGateLedger, unchanged, type GateLedger } from './gate.ts'
import { createHandles, type Handles } from './owners/handles.ts'
import { createOwnerList, type OwnerList } from './owners/owner-list.ts'
import { ownerProblem } from './owners/owners.ts'
import { createNodes, type Nodes } from './nodes/nodes.ts'
import { createPasskeys, type Passkeys } from './owners/passkeys.ts'
import { createPairing, type Pairing } from './owners/pairing.ts'
import { readSource } from '../model/approval/source-file.ts'
import { admits, type Admission, type CommandKind } from './owners/provenance.ts'

/**
 * The master switch, the approvals and the owners. A method that changes the gate rejects or returns a
 * problem when the ledger cannot be written or the gate is in lockdown; then nothing has changed. It
 * takes the owner by name, so it stays inside of the core: `openGate` asks for a consent in front of it.
 */
export interface Gatekeeper {
  state(): GateState
  /**
   * The hooks that fire, in order. Empty when the switch is off or in a lockdown. The same list until
   * something changes.
   */
  armed(): readonly ArmedHook[]
  /** The approved hooks in order, also while the switch is off. Empty in a lockdown. */
  approvedHooks(): readonly ArmedHook[]
  /** Sets the order in which the files propose entries now. It decides between hooks of equal priority. */
  setProposalOrder(entries: readonly Entry[]): void
  /**
   * Seals the current bytes. With `expected`, only when they still have this fingerprint. `choice` holds
   * until the hook is approved without one. The gate goes on meanwhile; approvals are written one after the
   * other. A revoke of the hook, a lockdown, or the removal of the owner stops an approval that is not
   * written yet. Rejects only for a bug.
   */
  approve(entry: Entry, by: string, expected?: string, choice?: ApprovalChoice): Promise<Approved>
  /**
   * Makes a shadow decide, with exactly the bytes that are sealed. `choice`: whether its failures block.
   * Rejects when it could not be written.
   */
  promote(fingerprint: string, by: string, choice?: PromotionChoice): Promise<Approved>
  /** Returns the revoked approval, or undefined when there was none. */
  revoke(fingerprint: string, by: string): Promise<ApprovedHook | undefined>
  /**
   * Returns whether the switch changed. `forMs` limits an off, to at most a day; the caller that reads
   * `pause` must end it.
   */
  setSwitch(isOn: boolean, by: string, forMs?: number): Promise<boolean>
  /** The temporary off in force: its owner, its start by the wall clock, and its length. */
  pause(): Pause | undefined
  addOwner: OwnerList['add']
  removeOwner: OwnerList['remove']
  setRole: OwnerList['setRole']
  person: OwnerList['person']
  grant: Granting['grant']
  ungrant: Granting['ungrant']
  isOwner: OwnerList['isOwner']
  readonly passkeys: Passkeys
  readonly nodes: Nodes
  admits(message: Message, kind: CommandKind): Admission
  readonly pairing: Pairing
  readonly claim: Claim
  readonly handles: Handles
  readonly cards: Cards
  /**
   * Ends a lockdown with a new ledger: the known owners, no approvals, switched off. With a head, resumes
   * from the good line with that head and returns a receipt.
   */
  recover(by: string, head?: string): Promise<Recovered>
  checkAnchor: GateLedger['checkAnchor']
  noteAnchor: GateLedger['noteAnchor']
  onChange(listener: (state: GateState) => void): () => void
  lockDown(why: string): void
  /** A sealed file of an approval in force. Undefined when the seal does not have the approved bytes. */
  sealedBytes(fingerprint: string, name: string): Buffer | undefined
}

/** A sealed file of an approval in force. Undefined when the seal does not have the approved bytes. */
const bytesInSeal = (
  seals: string,
  approval: Pick<ApprovedHook, 'fingerprint' | 'files'> | undefined,
  name: string,
): Buffer | undefined => {
  const file = approval?.files.find((one) => one.path === name)
  if (approval === undefined || file === undefined) return undefined
  const source = readSource(path.join(seals, approval.fingerprint, pathInSeal(name)), name)
  return 'problem' in source || source.sha256 !== file.sha256 ? undefined : source.content
}

/**
 * Opens the gate's folder. Rejects with a ProblemError when it cannot be written. A damaged ledger causes a
 * lockdown instead.
 */
export const openGatekeeper = async (options: GatekeeperOptions): Promise<Gatekeeper> => {
  const wrong = options.adopt.owners.map(ownerProblem).find((problem) => problem !== undefined)
  if (wrong !== undefined) throw new ProblemError(wrong)
  const { now, elapsedMs, log, loginOf = () => undefined } = options
  const gate = await openGateLedger(options)
  const handles = createHandles(elapsedMs)
  const cards = createCards(elapsedMs, handles.hiddenBy, options.leastAgeMs)
  const spend = (fingerprint: string, by: string): void => {
    handles.spend(fingerprint)
    cards.forget(fingerprint, by)
  }
  const { approve, revoke } = createApproving(gate, options.prepare, spend)
  const owners = createOwnerList(gate, loginOf)
  const pairing = createPairing({
    now,
    elapsedMs,
    isOwner: owners.isOwner,
    loginOf,
    handle: handles.mint,
    addPerson: async (person, { role, ...scope }, by) => {
      try {
        if (role !== 'owner') return (await owners.setRole({ ...person, ...scope, role }, by)).ok
        await owners.add(person, by)
        return true
      } catch (error) {
        log('warn', 'a pairing could not be written to the ledger', { code: asProblem(error).code })
        return false
      }
    },
  })
  const claim = await claimGate(gate, options, pairing.close)

  return {
    state: () => gate.view().state,
    armed: () => gate.view().armed,
    approvedHooks: () => gate.view().approved,
    setProposalOrder: (entries) => gate.setProposalOrder(entries.map(canonicalEntry)),
    approve,
    promote: createPromoting(gate, spend),
    revoke,
    setSwitch: (isOn, by, forMs) =>
      gate.change(() => {
        const { state } = gate.view()
        // In a lockdown the state of the switch is not reliable, so it is not reported.
        if (state.lockdown !== undefined) throw new ProblemError(lockdownProblem(state.lockdown))
        /*
         * When the environment forced the switch, an owner's off ends that, and an owner's on makes it
         * permanent.
         */
        const isAsItWas = isOn === gate.folded().isOn && isOn === state.isOn
        if (isAsItWas && forMs === undefined && gate.folded().pause === undefined) return unchanged(false)
        return {
          acts: [{ act: isOn ? 'on' : 'off', by, data: { for_ms: forMs } }],
          answer: () => {
            cards.forget('on', by)
            return true
          },
        }
      }),
    pause: () => gate.folded().pause,
    addOwner: owners.add,
    removeOwner: owners.remove,
    setRole: owners.setRole,
    person: owners.person,
    ...createGranting(gate, owners.isOwner, now),
    isOwner: owners.isOwner,
    passkeys: createPasskeys(gate, owners.isOwner),
    nodes: createNodes(gate, owners.isOwner, elapsedMs),
    admits: (message, kind) =>
      admits(message, kind, {
        isOwner: owners.isOwner,
        isKnown: owners.isKnown,
        roleOf: (id) => owners.person(id)?.role,
        now: now(),
      }),
    pairing,
    claim,
    handles,
    cards,
    checkAnchor: gate.checkAnchor,
    noteAnchor: gate.noteAnchor,
    recover: async (by, head) => {
      if (gate.view().state.lockdown === undefined) {
        return refusal('gate.sound', 'The gate is not in lockdown.', 'There is nothing to recover.')
      }
      try {
        const done = await gate.recover(by, head)
        if (!done.ok) return done
        handles.forgetAll()
        cards.forgetAll()
        return done
      } catch (error) {
        return { ok: false, problem: asProblem(error) }
      }
    },
    onChange: gate.onChange,
    lockDown: gate.lockDown,
    sealedBytes: (fingerprint, name) =>
      bytesInSeal(gate.seals, gate.view().state.approvals.get(fingerprint), name),
  }
}

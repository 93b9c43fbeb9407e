import path from 'node:path'
import type { Message } from '../model/chat/channel.ts'
import type { ArmedHook, Entry } from '../model/hooks/entry.ts'
import type { FaultChoice } from '../model/hooks/fault.ts'
import { ProblemError } from '../model/gate/problem.ts'
import { asProblem, createApproving } from './approving.ts'
import type { ApprovedHook } from './approved.ts'
import { canonicalEntry } from './seal/canonical.ts'
import { createCards, type Cards } from './owners/cards.ts'
import type { Claim } from './owners/claim.ts'
import { claimGate } from './owners/claiming.ts'
import type { Owner, Pause } from './ledger/fold.ts'
import {
  lockdownProblem,
  notDone,
  type Approved,
  type NotDone,
  type GatekeeperOptions,
  type GateState,
  type Recovered,
} from './gate-state.ts'
import { openGate, type Gate } from './gate.ts'
import { createHandles, type Handles } from './owners/handles.ts'
import { createInterpreterWatch, type InterpreterNews } from './program/interpreters.ts'
import { createOwnerList } from './owners/owner-list.ts'
import { ownerProblem } from './owners/owners.ts'
import { createPairing, type Pairing } from './owners/pairing.ts'
import { createProposer, type Sealable } from './proposal.ts'
import { placeInSeal } from './seal/seal.ts'
import { readSource } from './seal/source-file.ts'
import { admits, type Admission, type CommandKind } from './owners/provenance.ts'

/**
 * The two gates: the master switch and the approvals, with the owners who hold them. What changes the gate throws a
 * ProblemError when the ledger cannot be written or doubts itself, unless it returns one; then nothing has changed.
 * It checks no sender: whoever calls it has asked `admits` first.
 */
export interface Gatekeeper {
  state(): GateState
  /** What fires, in order. Empty when off or in lockdown. The same list until something changes. */
  armed(): readonly ArmedHook[]
  /** The same while off, for doctor. Empty in lockdown. */
  approvedHooks(): readonly ArmedHook[]
  /** The order in which the files propose entries now; it decides between hooks of one priority. */
  setProposalOrder(entries: readonly Entry[]): void
  /** What approving now would seal. Reads the files; a file is hashed again only when its stat moved. */
  propose(entry: Entry): Sealable
  /** Seals the bytes as they are now. With `expected`, only if that is still their fingerprint. `choice` holds until it is approved without. */
  approve(entry: Entry, by: string, expected?: string, choice?: FaultChoice): Approved
  /** What was revoked; undefined when it was not approved. */
  revoke(fingerprint: string, by: string): ApprovedHook | undefined
  /** Whether it changed. `forMs`: off only for so long, at most a day; whoever looks at `pause` ends it. */
  setSwitch(isOn: boolean, by: string, forMs?: number): boolean
  /** Off for a while: who said so, since when by the wall clock, and for how long. */
  pause(): Pause | undefined
  /** Whether it changed: a new owner, or a known one's other chat or login. */
  addOwner(owner: Owner, by: string): boolean
  /** Never removes the last owner who can command. */
  removeOwner(id: string, by: string): { readonly ok: true } | NotDone
  /** False also for one whose messenger was logged in anew since. */
  isOwner(id: string): boolean
  admits(message: Message, kind: CommandKind): Admission
  readonly pairing: Pairing
  readonly claim: Claim
  readonly handles: Handles
  readonly cards: Cards
  /**
   * Ends lockdown with a new ledger: the known owners, nothing approved, off. With a head, goes on from the good line
   * that has it, and a receipt says what that comes to.
   */
  recover(by: string, head?: string): Recovered
  checkAnchor: Gate['checkAnchor']
  noteAnchor: Gate['noteAnchor']
  onChange(listener: (state: GateState) => void): () => void
  lockDown(why: string): void
  /** What of the pinned interpreters changed since it was last asked, each change once. */
  interpreterNews(): readonly InterpreterNews[]
  /** The bytes of a file of an approval in force, from its seal; undefined when they are not there as approved. */
  sealedBytes(fingerprint: string, name: string): Buffer | undefined
  /** A proposed file's bytes as they are now; undefined when an approval could not read it. */
  proposedBytes(name: string): Buffer | undefined
}

/** The bytes of a file of an approval in force, from its seal; undefined when they are not there as approved. */
const bytesInSeal = (
  seals: string,
  approval: Pick<ApprovedHook, 'fingerprint' | 'files'> | undefined,
  name: string,
): Buffer | undefined => {
  const file = approval?.files.find((one) => one.path === name)
  if (approval === undefined || file === undefined) return undefined
  const source = readSource(path.join(seals, approval.fingerprint, placeInSeal(name)), name)
  return 'problem' in source || source.sha256 !== file.sha256 ? undefined : source.content
}

/** Opens the gate's folder. Throws a ProblemError when it cannot be written; a damaged ledger is lockdown instead. */
export const openGatekeeper = (options: GatekeeperOptions): Gatekeeper => {
  const wrong = options.adopt.owners.map(ownerProblem).find((problem) => problem !== undefined)
  if (wrong !== undefined) throw new ProblemError(wrong)
  const { now, elapsedMs, log, loginOf = () => undefined } = options
  const gate = openGate(options)
  const handles = createHandles(elapsedMs)
  const cards = createCards(elapsedMs, handles.hiddenBy, options.leastAgeMs)
  const { refuses, person, variables } = options
  const proposer = createProposer({
    workspace: gate.workspace,
    home: gate.home,
    path: options.path,
    refuses,
    ...(person === undefined ? {} : { person }),
    ...(variables === undefined ? {} : { variables }),
  })
  const { approve, revoke } = createApproving(gate, proposer, (fingerprint, by) => {
    handles.forget(fingerprint)
    cards.forget(fingerprint, by)
  })
  const owners = createOwnerList(gate, loginOf)
  const pairing = createPairing({
    now,
    elapsedMs,
    isOwner: owners.isOwner,
    loginOf,
    handle: handles.mint,
    addOwner: (owner, by) => {
      try {
        owners.add(owner, by)
        return true
      } catch (error) {
        log('warn', 'a pairing could not be written', { code: asProblem(error).code })
        return false
      }
    },
  })
  const claim = claimGate(gate, options, pairing.close)

  return {
    state: () => gate.view().state,
    armed: () => gate.view().armed,
    approvedHooks: () => gate.view().approved,
    setProposalOrder: (entries) => gate.setProposalOrder(entries.map(canonicalEntry)),
    propose: proposer.propose,
    approve,
    revoke,
    setSwitch: (isOn, by, forMs) => {
      const { state } = gate.view()
      // Of a gate that doubts its ledger nobody may hear that it was on or off already.
      if (state.lockdown !== undefined) throw new ProblemError(lockdownProblem(state.lockdown))
      // A forced gate takes an owner's word either way: off ends it, on makes it last beyond this run.
      const isAsItWas = isOn === gate.folded().isOn && isOn === state.isOn
      if (isAsItWas && forMs === undefined && gate.folded().pause === undefined) return false
      gate.appendSwitch(isOn, by, forMs)
      cards.forget('on', by)
      return true
    },
    pause: () => gate.folded().pause,
    addOwner: owners.add,
    removeOwner: owners.remove,
    isOwner: owners.isOwner,
    admits: (message, kind) =>
      admits(message, kind, { isOwner: owners.isOwner, isKnown: owners.isKnown, now: now() }),
    pairing,
    claim,
    handles,
    cards,
    checkAnchor: gate.checkAnchor,
    noteAnchor: gate.noteAnchor,
    recover: (by, head) => {
      if (gate.view().state.lockdown === undefined) {
        return notDone(
          'gate.sound',
          'Expected a gate in lockdown, got one that trusts itself.',
          'There is nothing to recover.',
        )
      }
      try {
        const done = gate.recover(by, head)
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
    interpreterNews: createInterpreterWatch({
      file: path.join(gate.home, 'interpreters.json'),
      approvals: () => [...gate.view().state.approvals.values()],
      log,
    }),
    sealedBytes: (fingerprint, name) =>
      bytesInSeal(gate.seals, gate.view().state.approvals.get(fingerprint), name),
    proposedBytes: (name) => {
      const source = proposer.readNow(path.resolve(gate.workspace, name), name)
      return 'problem' in source ? undefined : source.content
    },
  }
}

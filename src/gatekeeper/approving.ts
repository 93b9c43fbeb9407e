import type { Entry } from '../model/hooks/entry.ts'
import { choiceFacts, type FaultChoice } from '../model/hooks/fault.ts'
import { ProblemError, type Problem } from '../model/gate/problem.ts'
import type { ApprovalRecord, ApprovedHook } from './approved.ts'
import { canonicalEntry, canonicalJson } from './seal/canonical.ts'
import { dropChecked } from './seal/checked-copy.ts'
import { lockdownProblem, type Approved } from './gate-state.ts'
import type { Gate } from './gate.ts'
import type { Act } from './ledger/lines.ts'
import type { Proposer } from './proposal.ts'
import { stuckProblem, writeSeal } from './seal/seal.ts'

/**
 * Turns an error of the operating system into a problem for the owner. Any other error is a bug and is thrown
 * again.
 */
export const asProblem = (error: unknown): Problem => {
  if (error instanceof ProblemError) return error.problem
  if (!(error instanceof Error && 'code' in error)) throw error
  return {
    code: 'home.write',
    message: `Expected to write the gate's folder, got an error (${String(error.code)}).`,
    fix: "Make room on the disk and give hookgate's user the right to write its folder, then try again. Nothing was changed.",
  }
}

const changedSince: Problem = {
  code: 'approve.changed',
  message: 'Expected the hook as it was shown, got one that has changed since.',
  fix: 'Send "/hooks list" and look at it again.',
}

const revoking = (fingerprint: string, by: string): Act => ({ act: 'revoke', by, data: { fingerprint } })

/** `forget` invalidates every card and handle that shows this fingerprint. */
export const createApproving = (
  gate: Gate,
  proposer: Proposer,
  forget: (fingerprint: string, by: string) => void,
) => {
  /**
   * The approval in force with the same bytes, interpreter and failure choice. Approving again would change
   * nothing.
   */
  const currentApproval = (record: ApprovalRecord): ApprovedHook | undefined => {
    const known = gate.folded().approvals.get(record.fingerprint)
    const pinOf = ({ words, interpreter, failsClosed, failsOpen }: ApprovalRecord): string =>
      canonicalJson({ words, interpreter, failsClosed, failsOpen })
    return known !== undefined && pinOf(known) === pinOf(record)
      ? gate.view().state.approvals.get(record.fingerprint)
      : undefined
  }
  /** The approvals of the same entry with other bytes. One entry has at most one approval in force. */
  const superseded = (entry: Entry, fingerprint: string): readonly string[] => {
    const key = canonicalEntry(entry)
    return [...gate.folded().approvals.values()]
      .filter((other) => other.fingerprint !== fingerprint && canonicalEntry(other.entry) === key)
      .map((other) => other.fingerprint)
  }
  const approve = (entry: Entry, by: string, expected?: string, choice?: FaultChoice): Approved => {
    const { lockdown } = gate.view().state
    if (lockdown !== undefined) return { ok: false, problem: lockdownProblem(lockdown) }
    const prepared = proposer.prepare(entry)
    if ('problem' in prepared) return { ok: false, problem: prepared.problem }
    const { contents } = prepared
    const record: ApprovalRecord = { ...prepared.record, ...choiceFacts(choice) }
    const { fingerprint } = record
    if (expected !== undefined && expected !== fingerprint) return { ok: false, problem: changedSince }
    const known = currentApproval(record)
    if (known !== undefined) return { ok: true, approval: known, isNew: false }
    const olds = superseded(entry, fingerprint)
    try {
      gate.verify()
      writeSeal(gate.seals, fingerprint, contents)
      if (!gate.view().state.approvals.has(fingerprint)) dropChecked(gate.seals, fingerprint)
      const stuck = stuckProblem(gate.seals, record)
      if (stuck !== undefined) return { ok: false, problem: stuck }
      // The approval comes first: if only its line reaches the disk, the next start revokes the old ones.
      gate.append([{ act: 'approve', by, data: record }, ...olds.map((old) => revoking(old, by))])
    } catch (error) {
      return { ok: false, problem: asProblem(error) }
    }
    for (const gone of [fingerprint, ...olds]) forget(gone, by)
    const approval = gate.view().state.approvals.get(fingerprint)
    if (approval === undefined) throw new Error('an approval that was just written is not in the state')
    return { ok: true, approval, isNew: true }
  }
  const revoke = (fingerprint: string, by: string): ApprovedHook | undefined => {
    const approval = gate.view().state.approvals.get(fingerprint)
    if (approval === undefined) return undefined
    gate.append([revoking(fingerprint, by)])
    forget(fingerprint, by)
    return approval
  }
  return { approve, revoke }
}

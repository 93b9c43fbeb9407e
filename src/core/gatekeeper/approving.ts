import { isForGate, type Entry } from '../model/hooks/entry.ts'
import { createMutex } from '../model/base/mutex.ts'
import {
  choiceFacts,
  choiceOf,
  decidesAlready,
  type ApprovalChoice,
  type PromotionChoice,
} from '../model/hooks/fault.ts'
import { asProblem, type Problem, type Refusal } from '../model/gate/problem.ts'
import type { ApprovalRecord, ApprovedHook, Prepared } from '../model/approval/approved.ts'
import { canonicalEntry, canonicalJson, fingerprintOf, sha256 } from '../model/approval/canonical.ts'
import { dropChecked } from './seal/checked-copy.ts'
import { lockdownProblem, type Approved, type GatekeeperOptions } from './gate-state.ts'
import { unchanged, type GateLedger } from './gate.ts'
import { prepareCopies } from './arming.ts'
import type { Act } from './ledger/lines.ts'
import { placeSeal, removeFreshSeal, removeSeal, stuckProblem, writeFreshSeal } from './seal/seal.ts'

/** A change of the gate, with the refusal for its owner where it could not be written. */
export const orRefusal = async <T>(change: () => Promise<T>): Promise<T | Refusal> => {
  try {
    return await change()
  } catch (error) {
    return { ok: false, problem: asProblem(error) }
  }
}

const changedSince: Problem = {
  code: 'approve.changed',
  message: 'The hook has changed since it was shown.',
  fix: 'Send "/hooks list" and look at it again.',
}

/** The problem of an approval that something stopped before it was written. `why` is a noun phrase. */
const stopped = (why: string): Problem => ({
  code: 'approve.stopped',
  message: `This approval was stopped while its files were sealed: there was ${why}.`,
  fix: 'Send "/hooks list", and approve it again if you still want it.',
})

/**
 * True when the fingerprint is the one of the entry and of these bytes. Whoever reads programs is not trusted
 * with it: a hostile program may have taken over the reader.
 */
const isOfThese = (
  { fingerprint, entry, ...record }: ApprovalRecord,
  contents: Prepared['contents'],
): boolean =>
  fingerprintOf(entry, record.files, record) === fingerprint &&
  contents.length === record.files.length &&
  contents.every((file, index) => {
    const named = record.files[index]
    return file.path === named?.path && file.sha256 === named.sha256 && sha256(file.content) === file.sha256
  })

/** What was read, without any word about what happens when the hook fails: that is the owner's to choose. */
const unchosen = ({ failsClosed: _closed, failsOpen: _open, isShadow: _shadow, ...read }: ApprovalRecord) =>
  read

const forged: Problem = {
  code: 'approve.forged',
  message: 'The files of the hook were not read as they are.',
  fix: 'Nothing was approved. What reads the files of hooks does not work as it should: start hookgate again.',
}

const noShadow: Problem = {
  code: 'promote.gone',
  message: 'This shadow is not approved any more.',
  fix: 'Send "/hooks list" and look at it again.',
}

const revoking = (fingerprint: string, by: string): Act => ({ act: 'revoke', by, data: { fingerprint } })

/** An approval that an owner asked for and that is not in the ledger yet. */
interface PendingApproval {
  readonly entry: string
  /** The reason why it must not be written any more. */
  stop?: string
}

/** What an owner asked for. */
interface Wish {
  readonly entry: Entry
  readonly by: string
  readonly expected: string | undefined
  readonly choice: ApprovalChoice | undefined
}

/** `spend`: no card or handle that shows this fingerprint counts any more. */
export const createApproving = (
  gate: GateLedger,
  prepare: GatekeeperOptions['prepare'],
  spend: (fingerprint: string, by: string) => void,
) => {
  const pending = new Set<PendingApproval>()
  gate.onChange(({ lockdown }) => {
    if (lockdown !== undefined) for (const one of pending) one.stop ??= 'a lockdown'
  })
  /**
   * The approval in force with the same bytes, interpreter and failure choice. Approving again would change
   * nothing.
   */
  const currentApproval = (record: ApprovalRecord): ApprovedHook | undefined => {
    const known = gate.folded().approvals.get(record.fingerprint)
    const pinOf = (one: ApprovalRecord): string =>
      canonicalJson({
        words: one.words,
        interpreter: one.interpreter,
        unlinked: one.unlinked,
        choice: choiceOf(one),
      })
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
  /** Writes the seal to a fresh folder. Undefined when an approval in force has the same seal already. */
  const writeFresh = async (record: ApprovalRecord, contents: Prepared['contents']) => {
    const { fingerprint } = record
    if (gate.view().state.approvals.has(fingerprint)) return undefined
    // These are left from an earlier approval that was revoked.
    await removeSeal(gate.seals, fingerprint)
    await dropChecked(gate.seals, fingerprint)
    // A node makes the copies of its own files.
    if (isForGate(record.entry)) await prepareCopies(record, gate)
    return await writeFreshSeal(gate.seals, contents)
  }
  /**
   * The consent is checked again and written without a pause in between, so that nothing can come between.
   */
  const write = (
    record: ApprovalRecord,
    fresh: string | undefined,
    by: string,
    problemNow: () => Problem | undefined,
  ): Promise<Approved> =>
    gate.change<Approved>(() => {
      const { fingerprint, entry } = record
      const problem = problemNow()
      if (problem !== undefined) return unchanged({ ok: false, problem })
      const olds = superseded(entry, fingerprint)
      const { approvals } = gate.folded()
      const ends = [fingerprint, ...olds].map((one) => approvals.get(one)).filter((one) => one !== undefined)
      if (record.isShadow === true && ends.some(({ isShadow }) => isShadow !== true))
        return unchanged({ ok: false, problem: decidesAlready })
      if (fresh !== undefined) placeSeal(gate.seals, fingerprint, fresh)
      const stuck = stuckProblem(gate.seals, record)
      if (stuck !== undefined) return unchanged({ ok: false, problem: stuck })
      return {
        // The approval comes first: if only its line reaches the disk, the next start revokes the old ones.
        acts: [{ act: 'approve', by, data: record }, ...olds.map((old) => revoking(old, by))],
        answer: () => {
          for (const gone of [fingerprint, ...olds]) spend(gone, by)
          const approval = gate.view().state.approvals.get(fingerprint)
          if (approval === undefined) throw new Error('an approval that was just written is not in the state')
          return { ok: true, approval, isNew: true }
        },
      }
    })
  const approveNow = async (
    { entry, by, expected, choice }: Wish,
    problemNow: () => Problem | undefined,
  ): Promise<Approved> => {
    const early = problemNow()
    if (early !== undefined) return { ok: false, problem: early }
    const prepared = await prepare(entry, choice)
    if ('problem' in prepared) return { ok: false, problem: prepared.problem }
    const record: ApprovalRecord = { ...unchosen(prepared.record), entry, ...choiceFacts(choice) }
    if (!isOfThese(record, prepared.contents)) return { ok: false, problem: forged }
    if (expected !== undefined && expected !== record.fingerprint) return { ok: false, problem: changedSince }
    const problem = problemNow()
    if (problem !== undefined) return { ok: false, problem }
    const known = currentApproval(record)
    if (known !== undefined) return { ok: true, approval: known, isNew: false }
    let fresh: string | undefined
    try {
      await gate.verify()
      fresh = await writeFresh(record, prepared.contents)
      if (fresh !== undefined) await gate.shareFiles(prepared.contents)
      return await write(record, fresh, by, problemNow)
    } catch (error) {
      return { ok: false, problem: asProblem(error) }
    } finally {
      // It is there no longer when it became the seal.
      if (fresh !== undefined) await removeFreshSeal(fresh)
    }
  }
  const inTurn = createMutex()
  const approve = async (
    entry: Entry,
    by: string,
    expected?: string,
    choice?: ApprovalChoice,
  ): Promise<Approved> => {
    const own: PendingApproval = { entry: canonicalEntry(entry) }
    const wasOwner = gate.folded().owners.has(by)
    const problemNow = (): Problem | undefined => {
      const { lockdown } = gate.view().state
      if (lockdown !== undefined) return lockdownProblem(lockdown)
      if (own.stop !== undefined) return stopped(own.stop)
      return wasOwner && !gate.folded().owners.has(by) ? stopped('the removal of its owner') : undefined
    }
    pending.add(own)
    return await inTurn(() => approveNow({ entry, by, expected, choice }, problemNow)).finally(() =>
      pending.delete(own),
    )
  }
  const revoke = (fingerprint: string, by: string): Promise<ApprovedHook | undefined> =>
    gate.change(() => {
      const approval = gate.view().state.approvals.get(fingerprint)
      if (approval === undefined) return unchanged(undefined)
      return {
        acts: [revoking(fingerprint, by)],
        answer: () => {
          const key = canonicalEntry(approval.entry)
          for (const one of pending) if (one.entry === key) one.stop ??= 'a revoke of the hook'
          spend(fingerprint, by)
          return approval
        },
      }
    })
  return { approve, revoke }
}

/** Makes a shadow decide. `spend`: no card or handle that shows this fingerprint counts any more. */
export const createPromoting =
  (gate: GateLedger, spend: (fingerprint: string, by: string) => void) =>
  (fingerprint: string, by: string, choice?: PromotionChoice): Promise<Approved> => {
    const wasOwner = gate.folded().owners.has(by)
    return gate.change<Approved>(() => {
      const { lockdown } = gate.view().state
      if (lockdown !== undefined) return unchanged({ ok: false, problem: lockdownProblem(lockdown) })
      if (wasOwner && !gate.folded().owners.has(by))
        return unchanged({ ok: false, problem: stopped('the removal of its owner') })
      const approval = gate.folded().approvals.get(fingerprint)
      if (approval === undefined) return unchanged({ ok: false, problem: noShadow })
      if (approval.isShadow !== true) return unchanged({ ok: true, approval, isNew: false })
      return {
        acts: [{ act: 'promote', by, data: { fingerprint, ...choiceFacts(choice) } }],
        answer: () => {
          spend(fingerprint, by)
          const promoted = gate.view().state.approvals.get(fingerprint)
          if (promoted === undefined) throw new Error('a hook that was just promoted is not in the state')
          return { ok: true, approval: promoted, isNew: true }
        },
      }
    })
  }

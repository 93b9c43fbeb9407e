import path from 'node:path'
import { anchorKey, shortHead, type Anchor } from '../../../model/gate/anchor.ts'
import type { FoldedLedger } from '../folded-ledger.ts'
import type { Receipt, Recovered } from '../../gate-state.ts'
import { findCut, type Cut } from './cut.ts'
import { inspectSeal, linksOf } from '../../seal/seal.ts'

/** The facts of a gate in lockdown that a recovery needs. */
export interface LockedDownGate {
  /** The folder of all seals. */
  readonly seals: string
  readonly workspace: string
  readonly ledger: FoldedLedger
  /** The known anchors. A new ledger overrules them. */
  readonly anchors: readonly Anchor[]
  readonly lockdown: string | undefined
  /** The wall clock, in epoch milliseconds. */
  now(): number
}

/** The approvals at the cut that are not revoked later, but whose sealed bytes are not the approved bytes. */
const brokenIn = ({ state, revoked }: Cut, gate: LockedDownGate) =>
  [...state.approvals.values()].filter(
    (approval) =>
      !revoked.includes(approval) &&
      inspectSeal(path.join(gate.seals, approval.fingerprint), approval.files, linksOf(approval, gate))
        .tampered !== undefined,
  )

const receiptOf = ({ prefix, revoked, lost, unread }: Cut, broken: ReturnType<typeof brokenIn>): Receipt => ({
  lines: prefix.heads.length,
  head: shortHead(prefix.heads.at(-1) ?? ''),
  revoked: revoked.map(({ entry }) => entry),
  broken: broken.map(({ entry }) => entry),
  lost,
  unread,
})

/**
 * Keeps the damaged ledger under another name. Then begins a new ledger with the known owners, or resumes
 * from the good line with `head`.
 */
export const recoverLedger = async (
  by: string,
  head: string | undefined,
  gate: LockedDownGate,
): Promise<Recovered> => {
  const { ledger, anchors, now } = gate
  const folded = ledger.folded()
  const cut =
    head === undefined
      ? undefined
      : findCut(await ledger.survey(), head, {
          key: ledger.key(),
          current: folded,
          revision: Math.max(0, ...anchors.map(({ revision }) => revision)),
        })
  if (cut !== undefined && 'problem' in cut) return { ok: false, problem: cut.problem }
  const broken = cut === undefined ? [] : brokenIn(cut, gate)
  const kept = await ledger.keepDamaged(now())
  const data = {
    owners: [...folded.owners.values()],
    overrules: [...new Set(anchors.map(anchorKey))],
    why: gate.lockdown ?? '',
    kept: kept ?? '',
  }
  if (cut === undefined) await ledger.begin({ act: 'recover', by, data: { ...data, has_head: true } })
  else {
    const revoked = [...cut.revoked, ...broken].map(({ fingerprint }) => fingerprint)
    await ledger.begin({ act: 'resume', by, data: { ...data, revoked } }, cut)
  }
  return {
    ok: true,
    kept,
    receipt: cut && receiptOf(cut, broken),
  }
}

import type { WithProblem } from '../../core/model/gate/problem.ts'
import fs from 'node:fs'
import path from 'node:path'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import type { ApprovalRecord, ApprovedHook, Prepared } from '../../core/model/approval/approved.ts'
import { armedFrom, prepareCopies, type SealLocation } from '../../core/gatekeeper/arming.ts'
import { placeSeal, stopSearchAbove, stuckProblem, writeFreshSeal } from '../../core/gatekeeper/seal/seal.ts'

const armed = (record: ApprovalRecord, place: SealLocation): ArmedHook =>
  armedFrom({ ...record, by: 'nobody', at: new Date(0).toISOString() }, place, {
    onTampered: () => undefined,
    log: () => undefined,
  })

/** Makes the folder of seals in a scratch folder. */
export const scratchSeals = (scratch: string): string => {
  const seals = path.join(scratch, 'seal')
  fs.mkdirSync(seals, { recursive: true, mode: 0o755 })
  // The process's umask must not restrict what others can read.
  fs.chmodSync(seals, 0o755)
  stopSearchAbove(seals)
  return seals
}

/** Writes the bytes of a prepared approval to a seal in scratch, and arms it without any approval. */
export const armPrepared = async (
  { record, contents }: Prepared,
  place: SealLocation,
): Promise<ArmedHook | WithProblem> => {
  await prepareCopies(record, place)
  placeSeal(place.seals, record.fingerprint, await writeFreshSeal(place.seals, contents))
  const stuck = stuckProblem(place.seals, record)
  return stuck === undefined ? armed(record, place) : { problem: stuck }
}

/**
 * Copies the seal of an approval to scratch and arms the copy. A copy with other bytes than the approved ones
 * never runs, since the armed hook checks it.
 */
export const armCopy = async (
  approved: ApprovedHook,
  sealsOfGate: string,
  place: SealLocation,
): Promise<ArmedHook> => {
  const { fingerprint } = approved
  await prepareCopies(approved, place)
  const from = path.join(sealsOfGate, fingerprint)
  await fs.promises.cp(from, path.join(place.seals, fingerprint), {
    recursive: true,
    preserveTimestamps: true,
  })
  return armed(approved, place)
}

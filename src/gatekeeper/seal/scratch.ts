import fs from 'node:fs'
import path from 'node:path'
import type { ArmedHook, Entry } from '../../model/hooks/entry.ts'
import type { ApprovalRecord, ApprovedHook } from '../approved.ts'
import { armedFrom, prepareCopies } from '../arming.ts'
import { createProposer, type Prepared } from '../proposal.ts'
import type { WithProblem, ProgramContext } from '../program/program.ts'
import { placeSeal, stopSearchAbove, stuckProblem, writeFreshSeal } from './seal.ts'

export interface ScratchOptions extends ProgramContext {
  /** The gate's own folder. Files in it are refused. */
  readonly home: string
  /** The folder for the seal. It belongs to no gate, and the caller must remove it. */
  readonly scratch: string
}

/** An entry as it would run from its seal, with the facts that its card would show. */
export interface Scratch {
  readonly hook: ArmedHook
  /** The files that would be sealed, then the files that would only be watched. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[]
  /** The real path of the program that runs it. */
  readonly interpreter?: string
  readonly unsealed: readonly string[]
  readonly missing: readonly string[]
}

interface ScratchPlace {
  readonly workspace: string
  /** The folder of the seals, which belongs to no gate. It must exist. */
  readonly seals: string
}

const armed = (record: ApprovalRecord, { workspace, seals }: ScratchPlace): ArmedHook =>
  armedFrom(
    { ...record, by: 'nobody', at: new Date(0).toISOString() },
    { workspace, seals },
    { onTampered: () => undefined, log: () => undefined },
  )

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
  place: ScratchPlace,
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
  place: ScratchPlace,
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

/**
 * Seals an entry like an approval and arms it, without any approval. Reads and writes no gate. Returns the
 * same problems as an approval.
 */
export const sealInScratch = async (
  entry: Entry,
  { home, scratch, ...context }: ScratchOptions,
): Promise<Scratch | WithProblem> => {
  const proposer = createProposer({ ...context, home })
  const prepared = proposer.prepare(entry)
  if ('problem' in prepared) return prepared
  const { record } = prepared
  const hook = await armPrepared(prepared, { workspace: context.workspace, seals: scratchSeals(scratch) })
  if ('problem' in hook) return hook
  const { missing = [] } = proposer.propose(entry)
  return {
    hook,
    files: [...record.files, ...(record.watched ?? [])],
    interpreter: record.interpreter,
    unsealed: record.unsealed,
    missing,
  }
}

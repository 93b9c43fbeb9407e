import fs from 'node:fs'
import path from 'node:path'
import type { ArmedHook, Entry } from '../../model/hooks/entry.ts'
import { armedFrom } from '../arming.ts'
import { createProposer } from '../proposal.ts'
import type { WithProblem, ProgramContext } from '../program/program.ts'
import { placeSeal, stuckProblem, writeFreshSeal } from './seal.ts'

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
  const { record, contents } = prepared
  const seals = path.join(scratch, 'seal')
  fs.mkdirSync(seals, { recursive: true, mode: 0o755 })
  placeSeal(seals, record.fingerprint, await writeFreshSeal(seals, contents))
  const stuck = stuckProblem(seals, record)
  if (stuck !== undefined) return { problem: stuck }
  const location = { workspace: context.workspace, seals }
  const approved = { ...record, by: 'nobody', at: new Date(0).toISOString() }
  const { missing = [] } = proposer.propose(entry)
  return {
    hook: armedFrom(approved, location, { onTampered: () => undefined, log: () => undefined }),
    files: [...record.files, ...(record.watched ?? [])],
    ...(record.interpreter === undefined ? {} : { interpreter: record.interpreter }),
    unsealed: record.unsealed,
    missing,
  }
}

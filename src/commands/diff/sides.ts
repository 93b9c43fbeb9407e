import type { ListedHook } from '../../shared/gate/catalogue.ts'
import type { CommandPorts } from '../ports.ts'
import type { Side } from './difference.ts'

/** Where the two states of a hook come from. */
export type SidePorts = Pick<CommandPorts, 'approved' | 'proposedBytes' | 'sealedBytes'>

/** A hook as its file proposes it now. */
export const proposedSide = (row: ListedHook, ports: SidePorts): Side | undefined =>
  row.entry === undefined
    ? undefined
    : { ...row, entry: row.entry, bytes: (file) => ports.proposedBytes(file) }

/** A hook as it was approved. */
export const approvedSide = (fingerprint: string, ports: SidePorts): Side | undefined => {
  const approved = ports.approved(fingerprint)
  return approved === undefined
    ? undefined
    : { ...approved, bytes: ({ path }) => ports.sealedBytes(fingerprint, path) }
}

/** Only the options of a state. Of a row with a problem, only the entry was read. */
const optionsOnly = ({ entry, bytes }: Side): Side => ({ entry, bytes, files: [], unsealed: [] })

/** What was approved of a row, and what its file proposes now. Undefined: there are no two states. */
export const sidesOf = (
  row: ListedHook,
  ports: SidePorts,
): readonly [before: Side, after: Side] | undefined => {
  const before = row.live === undefined ? undefined : approvedSide(row.live, ports)
  const after = proposedSide(row, ports)
  if (before === undefined || after === undefined) return undefined
  return row.problem === undefined ? [before, after] : [optionsOnly(before), optionsOnly(after)]
}

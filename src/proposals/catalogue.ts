import type { ListedHook, ProposedHook } from '../shared/gate/catalogue.ts'
import type { Entry } from '../core/model/hooks/entry.ts'
import { choiceFacts, choiceOf, type ChoiceFacts } from '../core/model/hooks/fault.ts'
import { PROTECTION } from '../shared/hooks/protection.ts'
import { underOf, type ApprovedHook } from '../core/model/approval/approved.ts'
import { canonicalEntry, isOtherThan, type Surroundings } from '../core/model/approval/canonical.ts'
import type { Sealable } from './proposal.ts'

const isSameSlot = (a: Entry, b: Entry): boolean =>
  a.event === b.event &&
  a.dialect?.event === b.dialect?.event &&
  a.type === b.type &&
  a.command === b.command &&
  a.origin === b.origin &&
  a.node === b.node

/** True when a new look at the proposal finds the files that the approval watches unchanged. */
const isAsWatched = ({ watched = [], absent = [] }: Surroundings, now: Surroundings): boolean =>
  watched.every((file) => now.watched?.some((one) => one.path === file.path && !isOtherThan(file, one))) &&
  absent.every((name) => now.absent?.includes(name))

/** True when an entry of a file that cannot be read is the one that was approved. */
const isOfFile = ({ entry }: ApprovedHook, { event, command }: ProposedHook & { kind: 'invalid' }): boolean =>
  entry.command === command && (entry.event === event || entry.dialect?.event === event)

/** The guards that hookgate itself proposes, whatever the files say. */
const shipped: ReadonlySet<string> = new Set(PROTECTION.map(({ entry }) => canonicalEntry(entry)))

/** The failure choice of the owner for an approval in force. */
const chosenFor = (approval: ApprovedHook | undefined): ChoiceFacts => choiceFacts(choiceOf(approval ?? {}))

/** The fields of a row that do not depend on its status. They come from a proposal or an approval. */
const factsOf = (
  entry: Entry,
  {
    unsealed,
    files,
    watched,
    under,
    interpreter,
  }: Pick<ListedHook, 'unsealed' | 'files' | 'watched' | 'under' | 'interpreter'>,
  mayRefuse: (entry: Entry) => boolean,
) => ({
  event: entry.event,
  command: entry.command,
  entry,
  unsealed,
  files,
  hasNoVeto: mayRefuse(entry) ? undefined : (true as const),
  watched,
  under,
  interpreter,
})

/** The fields of a row about an approval for which no file proposes an entry that can be read. */
const standing = (approval: ApprovedHook, mayRefuse: (entry: Entry) => boolean) => ({
  ...factsOf(approval.entry, { ...approval, under: underOf(approval) }, mayRefuse),
  live: approval.fingerprint,
  name: approval.entry.name,
  ...chosenFor(approval),
})

/** A remark when another shell than the one of the hook's system reads its text. */
const shellRemark = ({ shell }: Entry, under: ListedHook['under']): readonly string[] =>
  under === undefined || shell === undefined || under === shell
    ? []
    : [
        `Its text is written for ${shell}, which is not on the hooks' PATH. ${under} reads it instead and may interpret parts of it differently.`,
      ]

/** A hook for all machines has one row, however many workspaces propose it. */
const onceForAll = (
  proposed: readonly ProposedHook[],
  propose: (entry: Entry) => Sealable,
): readonly ProposedHook[] => {
  const seen = new Set<string>()
  return proposed.filter((proposal) => {
    if (proposal.kind !== 'entry' || proposal.entry.nodes !== 'all') return true
    const { fingerprint } = propose(proposal.entry)
    if (fingerprint === undefined || seen.has(fingerprint)) return fingerprint === undefined
    seen.add(fingerprint)
    return true
  })
}

/**
 * Compares the proposals of the files with the approvals. Returns one row for each proposal, then one for
 * each approval that no file proposes any more, or that hookgate itself proposes. `isUnheard` says that a
 * node has not told its proposals yet, and `mayRefuse` whether a failure of the hook may refuse.
 */
export const catalogue = (
  all: readonly ProposedHook[],
  approvals: readonly ApprovedHook[],
  propose: (entry: Entry) => Sealable,
  isUnheard: (node: string) => boolean = () => false,
  mayRefuse: (entry: Entry) => boolean = () => true,
): readonly ListedHook[] => {
  const proposed = onceForAll(all, propose)
  const unmatched = new Map(approvals.map((approval) => [approval.fingerprint, approval]))
  const sealables = proposed.map((proposal) =>
    proposal.kind === 'entry' ? propose(proposal.entry) : undefined,
  )
  for (const sealable of sealables)
    if (sealable?.fingerprint !== undefined) unmatched.delete(sealable.fingerprint)

  const approved = new Map(approvals.map((approval) => [approval.fingerprint, approval]))
  const isApproved = (index: number): boolean => approved.has(sealables[index]?.fingerprint ?? '')
  /**
   * By index of a proposal, the older approval that it replaces. Entries that differ only in their bytes are
   * matched first, before those that share only event, command and file.
   */
  const older = new Map<number, ApprovedHook>()
  for (const isMeant of [
    (a: Entry, b: Entry): boolean => canonicalEntry(a) === canonicalEntry(b),
    isSameSlot,
  ]) {
    for (const [index, proposal] of proposed.entries()) {
      if (proposal.kind !== 'entry' || isApproved(index) || older.has(index)) continue
      const found = [...unmatched.values()].find((approval) => isMeant(approval.entry, proposal.entry))
      if (found === undefined) continue
      older.set(index, found)
      unmatched.delete(found.fingerprint)
    }
  }

  const rows = proposed.map((proposal, index): ListedHook => {
    if (proposal.kind === 'invalid') {
      const before = [...unmatched.values()].find((approval) => isOfFile(approval, proposal))
      if (before !== undefined) {
        unmatched.delete(before.fingerprint)
        return { ...standing(before, mayRefuse), status: 'changed', problem: proposal.problem }
      }
      return {
        status: 'invalid',
        event: proposal.event,
        command: proposal.command,
        problem: proposal.problem,
        unsealed: [],
        files: [],
      }
    }
    const { entry } = proposal
    const sealable = sealables[index]
    const remarks = [...(proposal.remarks ?? []), ...shellRemark(entry, sealable?.under)]
    const { fingerprint, problem, missing } = sealable ?? {}
    const base = {
      ...factsOf(entry, sealable ?? { unsealed: [], files: [] }, mayRefuse),
      remarks: remarks.length === 0 ? undefined : remarks,
      missing,
      proposed: fingerprint,
      problem,
    }
    const current = fingerprint === undefined ? undefined : approved.get(fingerprint)
    if (current !== undefined)
      return {
        ...base,
        name: current.entry.name,
        status: 'approved',
        live: current.fingerprint,
        ...chosenFor(current),
      }
    const before = older.get(index)
    if (before === undefined) return { ...base, name: entry.name, status: 'waiting' }
    return {
      ...base,
      name: before.entry.name,
      status: 'changed',
      live: before.fingerprint,
      ...chosenFor(before),
      isStopped: isAsWatched(before, sealable ?? {}) ? undefined : true,
    }
  })
  const gone = [...unmatched.values()].map((approval): ListedHook => {
    const { node } = approval.entry
    return {
      ...standing(approval, mayRefuse),
      status: shipped.has(canonicalEntry(approval.entry)) ? 'approved' : 'gone',
      isUnheard: node !== undefined && isUnheard(node) ? true : undefined,
    }
  })
  return [...rows, ...gone]
}

import type { ListedHook } from '../model/gate/catalogue.ts'
import type { Entry, ProposedHook } from '../model/hooks/entry.ts'
import { choiceFacts, choiceOf, type ChoiceFacts } from '../model/hooks/fault.ts'
import { underOf, type ApprovedHook } from './approved.ts'
import { canonicalEntry, type Surroundings } from './seal/canonical.ts'
import type { Sealable } from './proposal.ts'

const isSamePlace = (a: Entry, b: Entry): boolean =>
  a.event === b.event &&
  a.dialect?.event === b.dialect?.event &&
  a.type === b.type &&
  a.command === b.command &&
  a.origin === b.origin

/** Whether what an approval watches lies there as approved, by what a proposal found now. */
const isAsWatched = ({ watched = [], absent = [] }: Surroundings, now: Surroundings): boolean =>
  watched.every((file) =>
    now.watched?.some(({ path, sha256 }) => path === file.path && sha256 === file.sha256),
  ) && absent.every((name) => now.absent?.includes(name))

/** What the owner chose for an approval in force. */
const chosenFor = (approval: ApprovedHook | undefined): ChoiceFacts => choiceFacts(choiceOf(approval ?? {}))

/** What a row shows beside its state, of a proposal or of an approval. */
const factsOf = (
  entry: Entry,
  {
    unsealed,
    files,
    watched,
    under,
    interpreter,
  }: Pick<ListedHook, 'unsealed' | 'files' | 'watched' | 'under' | 'interpreter'>,
) => ({
  event: entry.event,
  command: entry.command,
  entry,
  unsealed,
  files,
  ...(watched === undefined ? {} : { watched }),
  ...(under === undefined ? {} : { under }),
  ...(interpreter === undefined ? {} : { interpreter }),
})

/** Its system has another shell than the one that is here. */
const shellRemark = ({ shell }: Entry, under: ListedHook['under']): readonly string[] =>
  under === undefined || shell === undefined || under === shell
    ? []
    : [
        `Its text is for ${shell}, which is not on the hooks' PATH: ${under} reads it, and may read parts of it otherwise.`,
      ]

/** Sets what the files propose beside what the owner approved: one row for each proposed place, then what is gone from the files. */
export const catalogue = (
  proposed: readonly ProposedHook[],
  approvals: readonly ApprovedHook[],
  propose: (entry: Entry) => Sealable,
): readonly ListedHook[] => {
  const unmatched = new Map(approvals.map((approval) => [approval.fingerprint, approval]))
  const sealables = proposed.map((place) => (place.kind === 'entry' ? propose(place.entry) : undefined))
  for (const sealable of sealables)
    if (sealable?.fingerprint !== undefined) unmatched.delete(sealable.fingerprint)

  const approved = new Map(approvals.map((approval) => [approval.fingerprint, approval]))
  const isStanding = (index: number): boolean => approved.has(sealables[index]?.fingerprint ?? '')
  /** The approval that each proposed place has moved away from. All that are the same entry with other bytes find theirs before any that is only at the same place. */
  const older = new Map<number, ApprovedHook>()
  for (const isMeant of [
    (a: Entry, b: Entry): boolean => canonicalEntry(a) === canonicalEntry(b),
    isSamePlace,
  ]) {
    for (const [index, place] of proposed.entries()) {
      if (place.kind !== 'entry' || isStanding(index) || older.has(index)) continue
      const found = [...unmatched.values()].find((approval) => isMeant(approval.entry, place.entry))
      if (found === undefined) continue
      older.set(index, found)
      unmatched.delete(found.fingerprint)
    }
  }

  const rows = proposed.map((place, index): ListedHook => {
    if (place.kind === 'invalid')
      return {
        status: 'invalid',
        event: place.event,
        command: place.command,
        problem: place.problem,
        unsealed: [],
        files: [],
      }
    const { entry } = place
    const sealable = sealables[index]
    const remarks = [...(place.remarks ?? []), ...shellRemark(entry, sealable?.under)]
    const { fingerprint, problem, missing, uses } = sealable ?? {}
    const told = {
      ...(missing === undefined ? {} : { missing }),
      ...(uses === undefined ? {} : { uses }),
      ...(fingerprint === undefined ? {} : { proposed: fingerprint }),
      ...(problem === undefined ? {} : { problem }),
    }
    const base = {
      ...factsOf(entry, sealable ?? { unsealed: [], files: [] }),
      ...(remarks.length === 0 ? {} : { remarks }),
      ...told,
    }
    if (fingerprint !== undefined && approved.has(fingerprint))
      return { ...base, status: 'approved', live: fingerprint, ...chosenFor(approved.get(fingerprint)) }
    const before = older.get(index)
    if (before === undefined) return { ...base, status: 'waiting' }
    return {
      ...base,
      status: 'changed',
      live: before.fingerprint,
      ...chosenFor(before),
      ...(isAsWatched(before, sealable ?? {}) ? {} : { isStopped: true }),
    }
  })
  const gone = [...unmatched.values()].map((approval): ListedHook => {
    const under = underOf(approval)
    return {
      ...factsOf(approval.entry, under === undefined ? approval : { ...approval, under }),
      status: 'gone',
      live: approval.fingerprint,
      ...chosenFor(approval),
    }
  })
  return [...rows, ...gone]
}

import { got, ProblemError } from '../../model/gate/problem.ts'
import { shortHead } from './anchor.ts'
import { canonicalEntry } from '../seal/canonical.ts'
import { fold, nothingYet, type Folded, type Owner, type StandingOwner } from './fold.ts'
import { lockdownProblem, type GatekeeperOptions, type GoodPart } from '../gate-state.ts'
import type { Act } from './lines.ts'
import { surveyLedger } from './read.ts'
import { beginLedger, openLedger, type Ledger } from './ledger.ts'
import { withoutRemoved, type Cut } from './recovering.ts'
import { createReserve } from './reserve.ts'

/** The value of `by` for owners who were configured before the ledger existed. */
export const adoption = 'adoption'

export interface FoldedLedgerPorts extends Pick<GatekeeperOptions, 'adopt' | 'now'> {
  /** The reason of the lockdown. Undefined when there is none. */
  lockdown(): string | undefined
  /** Called when the file is not what this gate wrote. `good` is the part from which an owner can resume. */
  onDamage(why: string, good: GoodPart | undefined): void
}

/** The ledger on disk with its folded state. Both change together, or neither does. */
export interface FoldedLedger {
  folded(): Folded
  /** The chain hash of each line of the folded state. */
  heads(): readonly string[]
  /** The part of the ledger that is known to be good. */
  good(): GoodPart | undefined
  /** The key that signs the ledger. Undefined when no good ledger was found. */
  key(): Buffer | undefined
  /** Reads the ledger from disk. `begun`: there was none, and the first line was written. */
  open(): { readonly kind: 'begun' | 'good' } | { readonly kind: 'damaged'; readonly why: string }
  /** Checks that the ledger can be appended to. Throws a ProblemError when it cannot. */
  verify(): void
  /** Writes all acts at once. When it cannot write, it throws a ProblemError and nothing has changed. */
  append(acts: readonly Act[]): void
  /** Begins a new ledger with this act, or resumes from the cut with it. */
  begin(act: Act, cut?: Cut): void
}

/** The acts that complete an approval after a power cut: older approvals of the same entry are revoked. */
const leftovers = (folded: Folded): readonly Act[] => {
  const latest = new Map(
    [...folded.approvals.values()].map((approval) => [canonicalEntry(approval.entry), approval]),
  )
  return [...folded.approvals.values()].flatMap((approval): readonly Act[] => {
    const winner = latest.get(canonicalEntry(approval.entry))
    return winner === undefined || winner === approval
      ? []
      : [{ act: 'revoke', by: winner.by, data: { fingerprint: approval.fingerprint } }]
  })
}

/**
 * Returns the acts as a later start will read them. Throws when that start could not fold them, so that they
 * never reach the disk.
 */
const readable = (acts: readonly Act[], from: Folded): readonly Act[] => {
  const written = JSON.parse(JSON.stringify(acts)) as readonly Act[]
  const { problem } = fold(
    written.map((act, index) => ({ ...act, n: from.revision + index + 1, at: '' })),
    from,
  )
  if (problem === undefined) return written
  throw new ProblemError({
    code: 'ledger.act',
    message: `Expected an act that the ledger can keep, got one that it cannot keep: ${problem}.`,
    fix: 'Nothing was changed. This is a bug in hookgate. Please report it.',
  })
}

/**
 * Throws when a person with a role below that of an owner would act. Commands refuse such a person before;
 * this check holds whatever they let pass.
 */
const refuseMembers = (acts: readonly Act[], { members }: Folded): void => {
  const act = acts.find(({ by }) => members.has(by))
  if (act === undefined) return
  throw new ProblemError({
    code: 'role.low',
    message: `Expected an owner, got ${got(act.by)}, who has a lower role.`,
    fix: 'Nothing was changed. Ask an owner.',
  })
}

const ownersById = (owners: readonly Owner[], at: string): ReadonlyMap<string, StandingOwner> =>
  new Map(owners.map((owner) => [owner.id, { ...owner, by: adoption, at }]))

const goodUpTo = (lines: number, heads: readonly string[]): GoodPart | undefined => {
  const head = heads[lines - 1]
  return head === undefined ? undefined : { lines, head: shortHead(head) }
}

export const createFoldedLedger = (
  home: string,
  { adopt, now, lockdown, onDamage }: FoldedLedgerPorts,
): FoldedLedger => {
  let folded: Folded = nothingYet
  let ledger: Ledger | undefined
  let heads: string[] = []

  /**
   * The part of the file on disk from which an owner can resume, when the file is not what this gate wrote.
   */
  const goodOnDisk = (): GoodPart | undefined => {
    const survey = surveyLedger(home)
    if (survey.kind !== 'read' || ledger?.key.equals(survey.key) !== true) return undefined
    return goodUpTo(fold(survey.found.entries).state.revision, survey.found.heads)
  }
  const ports = {
    now,
    onDamage: (why: string): void => onDamage(why, goodOnDisk()),
    reserve: createReserve(home),
  }
  const sound = (): Ledger => {
    const why = lockdown()
    if (why === undefined && ledger !== undefined) return ledger
    throw new ProblemError(lockdownProblem(why ?? 'there is no ledger'))
  }
  const append = (acts: readonly Act[]): void => {
    refuseMembers(acts, folded)
    const written = sound().append(readable(acts, folded))
    heads.push(...written.heads)
    folded = fold(written.entries, folded).state
  }
  const begin = (act: Act, cut?: Cut): void => {
    refuseMembers([act], folded)
    const from = cut?.state ?? nothingYet
    const begun = beginLedger(home, readable([act], from), ports, cut?.key ?? ledger?.key, cut?.prefix)
    ledger = begun.ledger
    heads = [...(cut?.prefix.heads ?? []), ...begun.heads]
    folded = fold(begun.entries, from).state
  }

  return {
    folded: () => folded,
    heads: () => heads,
    good: () => goodUpTo(folded.revision, heads),
    key: () => ledger?.key,
    open: () => {
      const opened = openLedger(home, ports)
      if (opened.kind === 'empty') {
        begin({
          act: 'genesis',
          by: adoption,
          data: { owners: adopt.owners, isOn: adopt.isOn, has_head: true },
        })
        return { kind: 'begun' }
      }
      const { state, problem } = fold(opened.entries)
      heads = opened.heads.slice(0, state.revision)
      const owners =
        opened.kind === 'damaged' && opened.rest !== undefined
          ? withoutRemoved(state.owners, opened.rest, state.revision)
          : state.owners
      // The configured owners can command a gate whose ledger has no readable line.
      folded = {
        ...state,
        // A damaged line may remove a passkey, so none counts.
        ...(opened.kind === 'damaged' ? { passkeys: new Map() } : {}),
        owners: state.revision === 0 ? ownersById(adopt.owners, new Date(now()).toISOString()) : owners,
        // Damage may hide the end of a role or of a grant.
        ...(opened.kind === 'damaged' || problem !== undefined
          ? { members: new Map(), grants: new Map() }
          : {}),
      }
      if (opened.kind === 'damaged') return { kind: 'damaged', why: opened.why }
      if (problem !== undefined) return { kind: 'damaged', why: `the ledger is damaged: ${problem}` }
      ledger = opened.ledger
      const rest = leftovers(folded)
      if (rest.length > 0) append(rest)
      return { kind: 'good' }
    },
    verify: () => sound().verify(),
    append,
    begin,
  }
}

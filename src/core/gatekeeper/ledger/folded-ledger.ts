import { quote, ProblemError } from '../../model/gate/problem.ts'
import { shortHead } from '../../model/gate/anchor.ts'
import { canonicalEntry } from '../../model/approval/canonical.ts'
import { fold, nothingYet, type Folded, type Owner, type StandingOwner } from './fold.ts'
import { lockdownProblem, type GatekeeperOptions, type GoodPart } from '../gate-state.ts'
import type { Act } from './lines.ts'
import type { Ledger, LedgerPlace, Written } from './place.ts'
import type { Survey } from './read.ts'
import { withoutRemoved, type Cut } from './recover/cut.ts'
import type { Reserve } from './reserve.ts'

/** The value of `by` for owners who were configured before the ledger existed. */
export const adoption = 'adoption'

export interface FoldedLedgerPorts extends Pick<GatekeeperOptions, 'adopt' | 'now'> {
  readonly place: LedgerPlace
  readonly reserve: Reserve | undefined
  /** The reason of the lockdown. Undefined when there is none. */
  lockdown(): string | undefined
  /**
   * Called when the ledger is not what this gate wrote. `good` is the part from which an owner can resume.
   */
  onDamage(why: string, good: GoodPart | undefined): void
}

/** The ledger with its folded state. Both change together, or neither does. */
export interface FoldedLedger {
  folded(): Folded
  /** The chain hash of each line of the folded state. */
  heads(): readonly string[]
  /** The part of the ledger that is known to be good. */
  good(): GoodPart | undefined
  /** The key that signs the ledger. Undefined when no good ledger was found. */
  key(): Buffer | undefined
  /** Reads the ledger. `begun`: there was none, and the first line was written. */
  open(): Promise<{ readonly kind: 'begun' | 'good' } | { readonly kind: 'damaged'; readonly why: string }>
  /** Checks that the ledger can be appended to. Rejects with a ProblemError when it cannot. */
  verify(): Promise<void>
  /**
   * Writes all acts at once. “moved”: another gate was faster, and nothing was written. When it cannot write,
   * it rejects with a ProblemError and nothing has changed.
   */
  append(acts: readonly Act[]): Promise<'written' | 'moved'>
  /**
   * Folds what has been written since: by other gates, or by an append whose answer was lost. Resolves with
   * whether that is anything. In a lockdown it is nothing.
   */
  catchUp(): Promise<boolean>
  /** Begins a new ledger with this act, or resumes from the cut with it. */
  begin(act: Act, cut?: Cut): Promise<void>
  survey(): Promise<Survey>
  keepDamaged(nowMs: number): Promise<string | undefined>
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
    message: `The ledger cannot keep this act: ${problem}.`,
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
    message: `${quote(act.by)} is no owner.`,
    fix: 'Nothing was changed. Ask an owner.',
  })
}

const ownersById = (owners: readonly Owner[], at: string): ReadonlyMap<string, StandingOwner> =>
  new Map(owners.map((owner) => [owner.id, { ...owner, by: adoption, at }]))

const goodUpTo = (lines: number, heads: readonly string[]): GoodPart | undefined => {
  const head = heads[lines - 1]
  return head === undefined ? undefined : { lines, head: shortHead(head) }
}

export const createFoldedLedger = ({
  place,
  reserve,
  adopt,
  now,
  lockdown,
  onDamage,
}: FoldedLedgerPorts): FoldedLedger => {
  let folded: Folded = nothingYet
  let ledger: Ledger | undefined
  let heads: string[] = []

  /** The part from which an owner can resume, when the ledger is not what this gate wrote. */
  const goodIn = (survey: Survey): GoodPart | undefined => {
    if (survey.kind !== 'read' || ledger?.key.equals(survey.key) !== true) return undefined
    return goodUpTo(fold(survey.found.entries).state.revision, survey.found.heads)
  }
  const ports = {
    now,
    onDamage: (why: string, survey: Survey): void => onDamage(why, goodIn(survey)),
    reserve,
  }
  const sound = (): Ledger => {
    const why = lockdown()
    if (why === undefined && ledger !== undefined) return ledger
    throw new ProblemError(lockdownProblem(why ?? 'there is no ledger'))
  }
  const take = (written: Written): void => {
    const { state, problem } = fold(written.entries, folded)
    heads.push(...written.heads.slice(0, state.revision - folded.revision))
    folded = state
    if (problem !== undefined) onDamage(`the ledger is damaged: ${problem}`, goodUpTo(folded.revision, heads))
  }
  const catchUp = async (): Promise<boolean> => {
    if (lockdown() !== undefined || ledger === undefined) return false
    const news = await ledger.news()
    take(news)
    return news.entries.length > 0
  }
  const append = async (acts: readonly Act[]): Promise<'written' | 'moved'> => {
    refuseMembers(acts, folded)
    const written = await sound().append(readable(acts, folded))
    if (written === 'moved') return 'moved'
    take(written)
    return 'written'
  }
  const begin = async (act: Act, cut?: Cut): Promise<void> => {
    refuseMembers([act], folded)
    const from = cut?.state ?? nothingYet
    const begun = await place.begin(readable([act], from), ports, cut?.key ?? ledger?.key, cut?.prefix)
    ledger = begun.ledger
    heads = [...(cut?.prefix.heads ?? []), ...begun.heads]
    folded = fold(begun.entries, from).state
  }

  return {
    folded: () => folded,
    heads: () => heads,
    good: () => goodUpTo(folded.revision, heads),
    key: () => ledger?.key,
    open: async () => {
      const opened = await place.open(ports)
      if (opened.kind === 'empty') {
        await begin({
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
        // A damaged line may remove a passkey or a node, so none counts.
        ...(opened.kind === 'damaged' ? { passkeys: new Map(), nodes: new Map() } : {}),
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
      if (rest.length > 0) await append(rest)
      return { kind: 'good' }
    },
    verify: async () => sound().verify(),
    append,
    catchUp,
    begin,
    survey: place.survey,
    keepDamaged: place.keepDamaged,
  }
}

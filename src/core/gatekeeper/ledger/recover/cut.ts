import type { Entry } from '../../../model/hooks/entry.ts'
import { quote, type Problem } from '../../../model/gate/problem.ts'
import type { ApprovedHook } from '../../../model/approval/approved.ts'
import { fold, type Folded } from '../fold.ts'
import { readUnverified, type LedgerEntry, type UnverifiedLine } from '../lines.ts'
import type { Prefix } from '../place.ts'
import type { Survey } from '../read.ts'

/** The ledger up to one line, and the known facts about the removed rest. */
export interface Cut {
  readonly prefix: Prefix
  readonly state: Folded
  /** Approved in the prefix and revoked by a later line. They stay revoked. */
  readonly revoked: readonly ApprovedHook[]
  /** Approved after the prefix, so no longer approved. */
  readonly lost: readonly Entry[]
  /** The number of lines after the prefix that cannot be read. */
  readonly unread: number
  readonly key: Buffer
}

const isLater = (line: UnverifiedLine, count: number): boolean => line.isSigned && line.n > count

/**
 * The owners of the good part without those whom a later line removes, even when that line is damaged: damage
 * must not make them owners again. When nobody would remain, all stay, so that somebody can recover the gate.
 */
export const withoutRemoved = (
  owners: Folded['owners'],
  rest: { readonly bytes: Buffer; readonly key: Buffer },
  count: number,
): Folded['owners'] => {
  const removed = new Set<unknown>()
  for (const line of readUnverified(rest.bytes, rest.key).unverified) {
    if (line.n <= count) continue
    if (line.act === 'owner_remove' || line.act === 'role') removed.add(line.data['id'])
    if (line.act === 'owner_add' && line.isSigned) removed.delete(line.data['id'])
  }
  const remaining = new Map([...owners].filter(([id]) => !removed.has(id)))
  return remaining.size === 0 ? owners : remaining
}

/** The fingerprint of an approve or revoke line. Undefined for other lines. */
const subjectOf = ({ act, data }: LedgerEntry): string | undefined =>
  (act === 'revoke' || act === 'approve') && typeof data['fingerprint'] === 'string'
    ? data['fingerprint']
    : undefined

/** The entry of an approval line that is lost. The line is folded in a ledger of its own. */
const entryOf = (line: LedgerEntry): Entry | undefined => {
  const first = { n: 1, at: '', act: 'recover', by: '', data: { owners: [] } }
  return [...fold([first, { ...line, n: 2 }]).state.approvals.values()][0]?.entry
}

const refused = (message: string, fix: string): { readonly problem: Problem } => ({
  problem: { code: 'recover.head', message, fix },
})

const endOfLine = (bytes: Buffer, count: number): number => {
  let end = 0
  for (let line = 0; line < count; line++) end = bytes.indexOf(10, end) + 1
  return end
}

/** The facts of the running gate that a recovery needs. */
export interface LedgerFacts {
  /**
   * The key of this gate. Lines signed with another key are not its ledger. Undefined: use the key on disk.
   */
  readonly key: Buffer | undefined
  /** The state before the lockdown, as far as it was verified. */
  readonly current: Folded
  /** The highest revision of a known anchor. */
  readonly revision: number
}

/**
 * Finds the line of the verified part whose chain hash begins with `typed`, and reads the lines after it. A
 * later revoke counts even when its line is damaged: a hook that an owner may have revoked must not fire
 * again without a new approval.
 */
export const findCut = (
  survey: Survey,
  typed: string,
  known: LedgerFacts,
): Cut | { readonly problem: Problem } => {
  const plain = 'Send "/hooks recover" alone: it begins a new ledger with no approvals.'
  if (!/^[0-9a-f]{8,64}$/.test(typed))
    return refused(
      `${quote(typed)} is no head. A head has at least 8 digits, 0 to 9 and a to f.`,
      'Copy it from the lockdown notice.',
    )
  if (survey.kind !== 'read')
    return refused(
      survey.kind === 'empty' ? 'There is no ledger.' : `The ledger cannot be continued: ${survey.why}.`,
      plain,
    )
  const { key, bytes, found } = survey
  if (known.key !== undefined && !key.equals(known.key))
    return refused('The key of the ledger was replaced.', plain)
  const matches = found.heads.flatMap((head, index) => (head.startsWith(typed) ? [index + 1] : []))
  const [count] = matches
  if (count === undefined || matches.length > 1) {
    return refused(
      `${quote(typed)} is the head of ${matches.length === 0 ? 'none' : matches.length} of the ${found.heads.length} good lines.`,
      'Copy it from the lockdown notice.',
    )
  }
  const { state, problem } = fold(found.entries.slice(0, count))
  if (problem !== undefined)
    return refused(`This hookgate does not know these lines: ${problem}.`, 'Use an earlier head.')
  const { current } = known
  const { unverified, unread } = readUnverified(bytes.subarray(found.goodBytes), key)
  /** A hook that decides in the prefix and was a shadow later was revoked in between. */
  const wasRevokedFor = (later: { readonly isShadow?: unknown }, fingerprint: string): boolean => {
    const before = state.approvals.get(fingerprint)
    return later.isShadow === true && before !== undefined && before.isShadow !== true
  }
  const revoked = new Set(
    [...state.approvals.keys()].filter((fingerprint) => {
      const now = current.approvals.get(fingerprint)
      return now === undefined || wasRevokedFor(now, fingerprint)
    }),
  )
  const lost = new Map<string, Entry>(
    [...current.approvals].map(([fingerprint, { entry }]) => [fingerprint, entry]),
  )
  for (const line of unverified) {
    const fingerprint = subjectOf(line)
    if (fingerprint === undefined) continue
    const entry = line.act === 'approve' && isLater(line, current.revision) ? entryOf(line) : undefined
    if (entry !== undefined) lost.set(fingerprint, entry)
    if (line.act === 'approve' && !wasRevokedFor(line.data, fingerprint)) continue
    lost.delete(fingerprint)
    if (state.approvals.has(fingerprint)) revoked.add(fingerprint)
  }
  for (const fingerprint of state.approvals.keys()) lost.delete(fingerprint)
  const lines = Math.max(found.heads.length + unverified.length + unread, survey.acknowledged, known.revision)
  const legible = current.revision + unverified.filter((line) => isLater(line, current.revision)).length
  return {
    prefix: { bytes: bytes.subarray(0, endOfLine(bytes, count)), heads: found.heads.slice(0, count) },
    state,
    revoked: [...state.approvals.values()].filter(({ fingerprint }) => revoked.has(fingerprint)),
    lost: [...lost.values()],
    unread: Math.max(0, lines - legible),
    key,
  }
}

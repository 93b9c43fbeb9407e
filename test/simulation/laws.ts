/** What no simulated run may show, besides the laws of the fleet's checker. It is pure. */
import { violationsOf } from '../fleet/checker.ts'
import type { ActName, Arrival, Call, History, OwnerAct } from '../fleet/history.ts'

export const takeoverLaws = {
  switch:
    'A switch that was acknowledged as off is not on again without an act of an owner, and the other way round.',
  approval:
    'A hook that was revoked with a receipt is never live again without a new approval, and the other way round.',
  counted:
    'An act that counted is in the ledger of each gate that decides afterwards, or that gate is in lockdown.',
  epoch: 'Two gates never work at the same time, and nobody writes who does not hold the lease.',
  sender: 'No message of an agent is sent by two gates.',
  warned: 'A gate that would begin in lockdown says so while it waits.',
} as const

/** What a gate goes by. */
export interface Standing {
  /** The process. It begins with the name of its place and a space. */
  readonly by: string
  readonly epoch: number
  readonly atMs: number
  readonly revision: number
  readonly head: string
  readonly isOn: boolean
  readonly isApproved: boolean
  /** False in lockdown. */
  readonly isDeciding: boolean
}

/** How a gate that waited began to work. */
export interface Beginning {
  readonly by: string
  /** Since when it could know what is wrong with the ledger, and when it took the lease. */
  readonly sinceMs: number
  readonly atMs: number
  /** It said that it would begin in lockdown. */
  readonly isWarned: boolean
  readonly lockdown: string | undefined
}

/** An act, and what its receipt says. */
export interface ToldAct {
  readonly call: OwnerAct
  /** The nodes that have not confirmed it. */
  readonly missing: readonly string[]
  /** The places of the gates that know it, also of the one that did it. */
  readonly told: readonly string[]
  /** The last line of the ledger when it counted. Undefined: nobody told. */
  readonly head: string | undefined
  /** It began the ledger anew. */
  readonly isBeginning: boolean
}

/** A message that arrived, and the process that sent it. */
export interface SentBy extends Arrival {
  readonly by: string
}

export interface SimulatedHistory {
  readonly history: History
  readonly acts: readonly ToldAct[]
  readonly arrivals: readonly SentBy[]
  readonly standings: readonly Standing[]
  readonly beginnings: readonly Beginning[]
  /** The places of all gates. */
  readonly places: readonly string[]
  /** The database may have lost lines. */
  readonly isLossy: boolean
  /** What was written by somebody who did not hold the lease. */
  readonly strays: readonly string[]
  /** Nothing kept a gate from the database in this time. */
  isCalm(fromMs: number, toMs: number): boolean
  /** The head of the line before the line with this head. */
  previousOf(head: string): string | undefined
}

export interface Break {
  readonly law: string
  readonly what: string
}

export const placeOf = (process: string): string => process.split(' ')[0] ?? process

/**
 * The acts as a checker may rely on them. A database that lost lines may lose an act, too, when another gate
 * takes over that did not know it. So there an act is certain only when all other gates knew it.
 */
export const certainActs = ({
  acts,
  places,
  isLossy,
}: Pick<SimulatedHistory, 'acts' | 'places' | 'isLossy'>): readonly ToldAct[] =>
  acts.map((act) => {
    const isCertain = !isLossy || places.every((place) => act.told.includes(place))
    return isCertain ? act : { ...act, call: { ...act.call, ending: 'unknown' }, head: undefined }
  })

/** The last of these acts that counted before this moment. Undefined where that is not certain. */
const lastOf = (acts: readonly ToldAct[], atMs: number, names: readonly ActName[]): ToldAct | undefined => {
  const last = acts.findLast(
    ({ call: { act, ending, startMs } }) => names.includes(act) && ending !== 'failed' && startMs <= atMs,
  )
  return last?.call.ending === 'ok' && last.call.endMs <= atMs ? last : undefined
}

type Law = (seen: SimulatedHistory, acts: readonly ToldAct[]) => readonly string[]

const at = ({ by, atMs }: { readonly by: string; readonly atMs: number }): string =>
  `${by} at ${atMs.toFixed(0)} ms`

const holds =
  (names: readonly [ActName, ActName], isSo: (standing: Standing) => boolean): Law =>
  ({ standings }, acts) =>
    standings.flatMap((standing) => {
      const last = standing.isDeciding ? lastOf(acts, standing.atMs, names) : undefined
      if (last === undefined || isSo(standing) === (last.call.act === names[0])) return []
      return [`${at(standing)} does not go by “${last.call.act}” of ${last.call.startMs.toFixed(0)} ms`]
    })

const countedLaw: Law = ({ standings, previousOf }, acts) => {
  const has = (head: string, wanted: string): boolean => {
    for (let next: string | undefined = head; next !== undefined; next = previousOf(next))
      if (next === wanted) return true
    return false
  }
  const known = new Map<string, boolean>()
  return standings.flatMap((standing) => {
    if (!standing.isDeciding) return []
    const before = acts.filter(({ call }) => call.startMs <= standing.atMs)
    const begun = before.findLastIndex(({ isBeginning }) => isBeginning)
    const last = before
      .slice(Math.max(0, begun))
      .findLast(({ head, call }) => head !== undefined && call.endMs <= standing.atMs)
    if (last?.head === undefined) return []
    const key = `${standing.head} ${last.head}`
    const isThere = known.get(key) ?? has(standing.head, last.head)
    known.set(key, isThere)
    return isThere ? [] : [`${at(standing)} decides without “${last.call.act}” of ${last.call.startMs} ms`]
  })
}

const epochLaw: Law = ({ standings, strays }) => {
  let newest: Standing | undefined
  const late: string[] = []
  for (const standing of standings.filter(({ isDeciding }) => isDeciding)) {
    const isOlder = newest !== undefined && standing.epoch < newest.epoch
    const isSame = standing.epoch === newest?.epoch && standing.by !== newest.by
    if (isOlder || isSame)
      late.push(`${at(standing)} decides in term ${standing.epoch}, after ${newest?.by} in ${newest?.epoch}`)
    else newest = standing
  }
  return [...late, ...strays]
}

/** A notice may arrive twice, because what it says is true twice. */
const senderLaw: Law = ({ arrivals, history }) => {
  const pushed = new Set(history.calls.flatMap((call) => (call.kind === 'push' ? [call.text] : [])))
  const byText = Map.groupBy(arrivals, ({ text }) => text)
  return [...byText].flatMap(([text, all]) =>
    !pushed.has(text) || new Set(all.map(({ by }) => by)).size < 2
      ? []
      : [`“${text}” was sent by ${all.map(({ by }) => by).join(' and ')}`],
  )
}

/** A gate that waits looks ten times a second, and says what it sees at once. */
const seenMs = 1000

const warnedLaw: Law = ({ beginnings, isCalm }) =>
  beginnings
    .filter(
      ({ lockdown, isWarned, sinceMs, atMs }) =>
        lockdown !== undefined && !isWarned && atMs - sinceMs > seenMs && isCalm(sinceMs, atMs),
    )
    .map((beginning) => `${at(beginning)} began in lockdown (${beginning.lockdown}) and had not said so`)

const byLaw: Readonly<Record<keyof typeof takeoverLaws, Law>> = {
  switch: holds(['on', 'off'], ({ isOn }) => isOn),
  approval: holds(['approve', 'revoke'], ({ isApproved }) => isApproved),
  counted: countedLaw,
  epoch: epochLaw,
  sender: senderLaw,
  warned: warnedLaw,
}

/** What the events of each node break. An act counts on a node when its receipt does not name that node. */
const brokenOnNodes = (
  nodeEvents: ReadonlyMap<string, readonly Call[]>,
  acts: readonly ToldAct[],
): readonly Break[] =>
  [...nodeEvents].flatMap(([name, events]) => {
    const known = acts.map(({ call, missing }): Call =>
      missing.includes(name) ? { ...call, ending: 'unknown' } : call,
    )
    const history = { calls: [...events, ...known], arrivals: [], chain: [], linesBefore: 0, sightings: [] }
    return violationsOf(history).filter(({ law }) => law === 'verdict')
  })

/** All that a simulated run breaks. `nodeEvents`: by node. */
export const breaksOf = (
  seen: SimulatedHistory,
  nodeEvents: ReadonlyMap<string, readonly Call[]>,
): readonly Break[] => {
  const { history, isLossy } = seen
  const acts = certainActs(seen)
  const calls = [...acts.map(({ call }) => call), ...history.calls]
  // Where lines were lost, and an owner began the ledger anew, “counted” says what “chain” says elsewhere.
  const broken = violationsOf({ ...history, calls }).filter(({ law }) => law !== 'chain' || !isLossy)
  const taken = Object.entries(byLaw).flatMap(([law, find]) =>
    find(seen, acts).map((what) => ({ law, what })),
  )
  return [...broken, ...brokenOnNodes(nodeEvents, acts), ...taken]
}

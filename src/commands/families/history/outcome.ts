import { prose, verbatim, type Prose } from '../../../core/model/chat/prose.ts'
import type { EventRecord } from '../../../core/model/events/record.ts'
import type { CommandPorts } from '../../ports.ts'

/** A record, and where it is about a step that a person was asked about, what became of that question. */
export interface Told {
  readonly record: EventRecord
  /** Absent: nobody was asked, or nobody has answered. */
  readonly decision?: EventRecord
  /** It waits for a person's word now. */
  readonly isOpen?: true
}

const isDecision = ({ subject, kind }: EventRecord): boolean =>
  subject === 'permission' && (kind === 'gate' || kind === 'question')
const isQuestion = ({ kind, outcome }: EventRecord): boolean =>
  (kind === 'event' && outcome === 'ask') || (kind === 'push' && outcome === 'held')

/** The records of one event are few. */
const maxOfEvent = 8

/** The newest first. */
export const byTime = (a: EventRecord, b: EventRecord): number => b.atMs - a.atMs

type OutcomePorts = Pick<CommandPorts, 'records' | 'held'> & {
  readonly asks: Pick<CommandPorts['asks'], 'waiting'>
}

/**
 * A step that a person was asked about has two records: the question of a hook, and the answer. Where one of
 * them is among these, both are read, and they are told as one.
 */
export const toldOf = async (
  records: readonly EventRecord[],
  ports: OutcomePorts,
): Promise<readonly Told[]> => {
  const open = new Set([...ports.asks.waiting(), ...ports.held()].map(({ event_id }) => event_id))
  const decided = new Set(records.filter(isDecision).map(({ event_id }) => event_id))
  const known = new Set<string>()
  const told: Told[] = []
  for (const record of records) {
    const { event_id: eventId, kind } = record
    const isOpen = isQuestion(record) && open.has(eventId) ? { isOpen: true as const } : {}
    const isPart = kind === 'event' && (isQuestion(record) || decided.has(eventId))
    if (!isPart && !isDecision(record)) {
      told.push({ record, ...isOpen })
      continue
    }
    if (known.has(eventId)) continue
    known.add(eventId)
    const all = await ports.records({ limit: maxOfEvent, eventId })
    const event = all.find((one) => one.kind === 'event')
    const decision = all.filter(isDecision).toSorted(byTime)[0]
    if (event === undefined) told.push({ record })
    else told.push(decision === undefined ? { record: event, ...isOpen } : { record: event, decision })
  }
  return told
}

export const atMsOf = ({ record, decision }: Told): number => Math.max(record.atMs, decision?.atMs ?? 0)

export const isChanged = ({ hooks = [] }: EventRecord): boolean =>
  hooks.some(({ answer }) => answer?.rewrite !== undefined)

/** How a step ended, and the sign of that. A step goes on at `good` and ends at `bad`. */
interface StepEnd {
  readonly sign: '✓' | '✗' | '⚠' | '?' | '–'
  readonly words: Prose
}

const waits: StepEnd = { sign: '?', words: prose`asked; nobody has answered yet` }

/** What became of a question, by the outcome of its record. */
const decisions: Readonly<Record<string, StepEnd>> = {
  allowed: { sign: '✓', words: prose`asked, then allowed` },
  answered: { sign: '✓', words: prose`asked, then answered` },
  denied: { sign: '✗', words: prose`asked, then denied` },
  left: { sign: '–', words: prose`asked; the person answers elsewhere` },
  parked: waits,
  ask: { sign: '–', words: prose`asked; its caller did not wait for an answer` },
}

const outcomes: Readonly<Record<string, StepEnd>> = {
  allow: { sign: '✓', words: prose`allowed` },
  block: { sign: '✗', words: prose`blocked` },
  ask: { sign: '–', words: prose`a person was asked` },
  delivered: { sign: '✓', words: prose`delivered` },
  queued: { sign: '–', words: prose`waits to leave` },
  withheld: { sign: '✗', words: prose`withheld` },
  held: { sign: '–', words: prose`was held for a person` },
  failed: { sign: '⚠', words: prose`failed` },
  unknown: { sign: '⚠', words: prose`unknown whether it arrived` },
  done: { sign: '✓', words: prose`done` },
  refused: { sign: '✗', words: prose`refused` },
  told: { sign: '⚠', words: prose`told` },
}

/** What a shadow would have done, which decided nothing. */
const shadows: Readonly<Record<string, StepEnd>> = {
  'would block': { sign: '–', words: prose`a shadow would block` },
  'would ask': { sign: '–', words: prose`a shadow would ask a person` },
  'would rewrite': { sign: '–', words: prose`a shadow would rewrite` },
  failed: { sign: '⚠', words: prose`a shadow failed` },
  'would allow': { sign: '–', words: prose`a shadow would allow` },
  'would change nothing': { sign: '–', words: prose`a shadow would change nothing` },
  'not asked': { sign: '–', words: prose`a shadow was not asked` },
}

const known = (table: Readonly<Record<string, StepEnd>>, outcome: string): StepEnd =>
  (Object.hasOwn(table, outcome) ? table[outcome] : undefined) ?? { sign: '–', words: verbatim(outcome) }

/** How the step of a record ended, for its reader. A step that a person allowed was not stopped. */
export const endOf = ({ record, decision, isOpen }: Told): StepEnd => {
  const { kind, outcome, hooks = [] } = record
  if (isOpen === true) return kind === 'push' ? { sign: '?', words: prose`held for a person` } : waits
  const asked = decision ?? (isDecision(record) ? record : undefined)
  if (asked !== undefined) return known(decisions, asked.outcome)
  if (kind === 'shadow') return known(shadows, outcome)
  if (kind === 'event' && outcome === 'allow') {
    if (hooks.some(({ answer }) => answer?.kind === 'fault'))
      return { sign: '⚠', words: prose`allowed, and a hook failed` }
    if (isChanged(record)) return { sign: '✓', words: prose`allowed as a hook changed it` }
  }
  return known(outcomes, outcome)
}

/** True for a step that did not happen, or at which something failed. */
export const isStopped = (told: Told): boolean => {
  const { sign } = endOf(told)
  return sign === '✗' || sign === '⚠'
}

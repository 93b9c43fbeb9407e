import type { JsonObject } from '../core/model/base/json.ts'
import { contractOf, type EventName } from '../core/model/events/event.ts'
import type { Silent } from '../core/model/events/kept.ts'
import type { KeptEvent, HookDeed, KeptDeed } from '../shared/events/kept.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { shortJson } from '../shared/events/short-json.ts'
import type { EventRecord } from '../core/model/events/record.ts'
import type { RecordedHook, Verdict } from '../core/model/hooks/verdict.ts'

/** What a hook did: the fingerprint, the label, the deed and the time in milliseconds. */
export type DeedRow = readonly [string, string, KeptDeed, number | null]

/** The values of one event on its way to the file, in this order. */
export const columns = [
  'id',
  'at',
  /** Null: the deeds belong to the event of this id, which was kept before. */
  'name',
  'agent',
  'session',
  'tool',
  'verdict',
  'decider',
  'reason',
  'ms',
  /** These three are null where the event has a record. */
  'missed',
  'shadows',
  'revision',
  /** Null: payloads are not kept. */
  'payload',
  /** The fields that hooks changed, with their new values. Null: none. */
  'changed',
  /** 1: long texts of the payload or of the changes were cut. */
  'isCut',
  /** Null: no hook was asked. */
  'deeds',
] as const

/** A JSON object is written as text by the thread of the history. */
export type KeptValue = string | number | null | JsonObject | readonly DeedRow[]

/** One event, or what shadows answered about one. `units`: its size, in characters. */
export interface KeptRow {
  readonly values: readonly KeptValue[]
  readonly units: number
}

/** The fields that hooks changed. Undefined: none. */
const changesOf = (before: Payload, after: Payload): JsonObject | undefined => {
  if (before === after) return undefined
  const changes = Object.entries(after).filter(([field, value]) => before[field] !== value)
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

const deedOf = (event: EventName, { answer, rewrote }: RecordedHook): HookDeed => {
  const { gate } = contractOf(event)
  if (answer?.kind === 'block' && gate.includes('block')) return 'blocked'
  if (answer?.kind === 'ask' && gate.includes('ask')) return 'asked'
  if (answer?.kind === 'fault' || answer?.fault !== undefined) return 'failed'
  return rewrote !== undefined || answer?.context !== undefined ? 'wrote' : 'passed'
}

const maxLabel = 200
const shadowMark = 'shadow '

/** A deed as it is in the file, for people who read the history. */
export const deedIn = (kept: string): Pick<KeptEvent['hooks'][number], 'deed' | 'isShadow'> =>
  kept.startsWith(shadowMark)
    ? { deed: kept.slice(shadowMark.length) as HookDeed, isShadow: true }
    : { deed: kept as HookDeed }

/** The deeds of the hooks that were asked about an event. Null: none was. */
const deedsOf = (event: EventName, hooks: readonly RecordedHook[]): readonly DeedRow[] | null => {
  const deeds: DeedRow[] = []
  for (const trace of hooks) {
    if (!trace.fired) continue
    const deed = deedOf(event, trace)
    const kept = trace.isShadow === true ? (`${shadowMark}${deed}` as const) : deed
    deeds.push([trace.fingerprint, trace.label.slice(0, maxLabel), kept, trace.durationMs ?? null])
  }
  return deeds.length === 0 ? null : deeds
}

const perValue = 40
/** A deed with its label, in characters. */
const perDeed = 64 + maxLabel

const rowOf = (values: readonly KeptValue[], unitsOfObjects = 0): KeptRow => {
  let units = unitsOfObjects
  for (const value of values) {
    units += perValue
    if (typeof value === 'string') units += value.length
    else if (Array.isArray(value)) units += value.length * perDeed
  }
  return { values, units }
}

/** What shadows answered about an event that was kept before. Undefined: none was asked. */
export const rowOfShadows = ({ event_id, subject, hooks = [] }: EventRecord): KeptRow | undefined => {
  const deeds = deedsOf(subject as EventName, hooks)
  if (deeds === null) return undefined
  return rowOf(columns.map((column) => (column === 'id' ? event_id : column === 'deeds' ? deeds : null)))
}

const maxReason = 1000

/** What a chat got before a push are events of their own. They would be kept again with each later push. */
const withoutRecent = (payload: Payload): JsonObject =>
  payload.event === 'on_outbound_message' ? { ...payload, recent: [] } : payload

/** An event on its way to the file. `payload`: as it came. The verdict has it as hooks left it. */
export const rowOfEvent = (
  payload: Payload,
  verdict: Verdict,
  {
    atMs,
    durationMs,
    withPayload,
    silent,
  }: { atMs: number; durationMs: number; withPayload: boolean; silent?: Silent | undefined },
): KeptRow => {
  const whole = withPayload ? shortJson(withoutRecent(payload)) : undefined
  const changes = changesOf(payload, verdict.payload)
  const changed =
    changes === undefined
      ? undefined
      : withPayload
        ? shortJson(changes)
        : { json: {}, units: 0, isCut: false }
  const { tool_name } = payload
  const values = [
    payload.event_id,
    atMs,
    payload.event,
    payload.agent_id.slice(0, maxLabel),
    payload.session_id.slice(0, maxLabel),
    typeof tool_name === 'string' ? tool_name.slice(0, maxLabel) : null,
    verdict.verdict,
    verdict.by?.slice(0, maxLabel) ?? null,
    verdict.reason?.slice(0, maxReason) ?? null,
    durationMs,
    silent?.missed ?? null,
    silent?.shadows ?? null,
    silent === undefined ? null : verdict.revision,
    whole?.json ?? null,
    changed?.json ?? null,
    whole?.isCut === true || changed?.isCut === true ? 1 : 0,
    deedsOf(payload.event, verdict.hooks),
  ]
  return rowOf(values, (whole?.units ?? 0) + (changed?.units ?? 0))
}

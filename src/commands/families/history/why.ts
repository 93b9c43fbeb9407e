import {
  joinProse,
  named,
  ofHook,
  prose,
  verbatim,
  type Prose,
  proseLines,
} from '../../../core/model/chat/prose.ts'
import type { EventRecord } from '../../../core/model/events/record.ts'
import type { RecordedHook } from '../../../core/model/hooks/verdict.ts'
import { handlerWords } from '../../cards/handler.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { answerWords } from '../../../shared/hooks/answer-words.ts'
import { becauseWords, recordWords } from '../../reasons.ts'
import { reasonProse } from '../../../shared/hooks/guard-words.ts'
import { clock, oneLine, shorten } from '../../words.ts'
import { atMsOf, byTime, endOf, isChanged, isStopped, toldOf, type Told } from './outcome.ts'
import { labelWords, ourWords } from '../../../shared/said/our-words.ts'

const hourMs = 60 * 60_000
/** The number of recent events that are searched for one that a hook changed or refused. */
const maxLookedBack = 20
/** The number of recent acts that are searched for a no of a person. */
const maxActs = 200

const signOf = ({ answer, fired }: RecordedHook): string => {
  if (answer?.kind === 'block') return '✗'
  if (answer?.kind === 'fault') return '⚠'
  return fired ? '✓' : '–'
}

/** Whether a hook was asked, and why. */
const firedWords = (trace: RecordedHook): Prose => {
  const { label, fired, why, isShadow } = trace
  const reason = ourWords(why)
  const name = prose`${verbatim(signOf(trace))} ${labelWords(shorten(oneLine(label), 60))}`
  if (isShadow === true)
    return fired
      ? prose`${name} is a shadow and did not decide: ${reason}`
      : prose`${name} is a shadow and was not asked: ${reason}`
  return fired ? prose`${name} fired: ${reason}` : prose`${name} did not fire: ${reason}`
}

const traceWords = (trace: RecordedHook): Prose => {
  const { answer, durationMs, isShadow } = trace
  const head = firedWords(trace)
  if (answer === undefined) return head
  const rewrote =
    answer.rewrite === undefined ? [] : prose` · rewrote ${Object.keys(answer.rewrite).join(', ')}`
  const took = durationMs === undefined ? '' : ` · ${Math.round(durationMs)} ms`
  const { reason, fault } = answer
  const detail = reason === undefined ? fault && ourWords(fault.detail) : reasonProse(reason)
  const kind = isShadow === true ? prose`its answer: ${answerWords[answer.kind]}` : answerWords[answer.kind]
  return prose`${head}\n   ${kind}${rewrote}${verbatim(took)}${detail === undefined ? [] : prose`: ${detail}`}`
}

const traceLines = (trace: RecordedHook): Prose => ofHook(trace.fingerprint, traceWords(trace))

/** The tool call that the event is about. */
const toolLines = ({ tool_name, argument }: EventRecord): readonly Prose[] => {
  if (tool_name === undefined) return []
  const name = named(shorten(oneLine(tool_name), 60))
  return argument === undefined
    ? [prose`tool ${name}`]
    : [prose`tool ${name}`, prose`${prose`│ `}${argument}`]
}

/** How many shadows got an event. What they answered is in a record of its own. */
const shadowLines = ({ shadows = 0 }: EventRecord): readonly Prose[] => {
  if (shadows === 0) return []
  return [
    shadows === 1
      ? prose`– 1 shadow got it after the verdict; if it matched, its answer is kept by itself`
      : prose`– ${shadows} shadows got it after the verdict; the answers of those that matched are kept by themselves`,
  ]
}

/** `reason`: the tool, then who or what decided. */
const answerLine = (record: EventRecord, reason: string): Prose => {
  const { outcome } = record
  const why = becauseWords(reason, record)
  if (outcome === 'allowed') return prose`allowed because ${why}`
  return outcome === 'denied' ? prose`denied because ${why}` : prose`because ${why}`
}

/** Who or what decided, and why. A person's answer stands below the question of the hook. */
const becauseLines = ({ record, decision }: Told): readonly Prose[] => {
  const { reason } = record
  const why = decision?.reason
  if (decision === undefined)
    return reason === undefined ? [] : [prose`because ${recordWords(record, reason)}`]
  return [
    ...(reason === undefined ? [] : [prose`asked because ${recordWords(record, reason)}`]),
    ...(why === undefined ? [] : [answerLine({ ...decision, tool_name: record.tool_name }, why)]),
  ]
}

/** All that is known of one event: each hook, whether it fired and why, its answer, and how it ended. */
const whyText = (told: Told, ports: CommandPorts): Prose => {
  const { record } = told
  const missed = record.missed ?? 0
  return proseLines(
    prose`${verbatim(record.subject)} · ${clock(record.atMs, ports.now(), 'second')} · ${endOf(told).words}`,
    ...toolLines(record),
    ...becauseLines(told),
    ...(record.hooks ?? []).map(traceLines),
    missed > 0 && missedWords(record, missed, ports),
    ...shadowLines(record),
    record.hooks?.length === 0 &&
      missed === 0 &&
      (record.shadows ?? 0) === 0 &&
      prose`No approved hook was asked about it.`,
    record.durationMs === undefined
      ? prose`event ${verbatim(record.event_id)}`
      : prose`event ${verbatim(record.event_id)} · ${Math.round(record.durationMs)} ms`,
  )
}

/** The hooks that did not match. They can be named only while the gate has not changed since. */
const missedWords = (record: EventRecord, missed: number, ports: CommandPorts): Prose => {
  const asked = new Set((record.hooks ?? []).map(({ fingerprint }) => fingerprint))
  const idle = ports
    .rows()
    .filter(
      ({ event, live, isShadow }) =>
        event === record.subject &&
        live !== undefined &&
        !asked.has(live) &&
        (isShadow === true) === (record.kind === 'shadow'),
    )
  if (record.revision !== ports.gate().revision || idle.length !== missed)
    return record.kind === 'shadow'
      ? prose`– ${missed} more shadows did not match`
      : prose`– ${missed} more approved hooks did not match`
  return proseLines(...idle.map((row) => prose`– ${handlerWords(row, 60)} did not fire: did not match`))
}

/** The kinds of records about what an agent did. */
const stepKinds = ['event', 'push', 'question'] as const

/** The latest steps that were blocked, and those that a person refused. */
export const newestStopped = async (
  { records }: Pick<CommandPorts, 'records'>,
  limit: number,
): Promise<readonly EventRecord[]> => {
  const blocked = await records({ limit, kinds: stepKinds, ofClass: 'blocked' })
  // A person's no is an act of that person, so that no flood of an agent hides it.
  const acts = await records({ limit: maxActs, kinds: ['gate'], ofClass: 'acts' })
  const denied = acts.filter(({ subject, outcome }) => subject === 'permission' && outcome === 'denied')
  return [...blocked, ...denied].toSorted(byTime).slice(0, limit)
}

/**
 * The newest step that was blocked, withheld or failed, and how many more there were within an hour before.
 */
const lastStopped = async (
  ports: CommandPorts,
): Promise<{ readonly told: Told; readonly more: number } | undefined> => {
  const failed = await ports.records({ limit: maxLookedBack, kinds: stepKinds, ofClass: 'faults' })
  const found = [...(await newestStopped(ports, maxLookedBack)), ...failed].toSorted(byTime)
  const [told, ...others] = (await toldOf(found, ports)).filter(isStopped)
  if (told === undefined) return undefined
  const near = others.filter(
    ({ record }) => record.event_id !== told.record.event_id && told.record.atMs - record.atMs < hourMs,
  )
  return { told, more: new Set(near.map(({ record }) => record.event_id)).size }
}

const moreStopped = (count: number): Prose => {
  if (count === 1) return prose`1 more step was blocked or failed in the hour before.\n→ /hooks log blocked`
  return count >= maxLookedBack
    ? prose`${maxLookedBack} or more steps were blocked or failed in the hour before.\n→ /hooks log blocked`
    : prose`${count} more steps were blocked or failed in the hour before.\n→ /hooks log blocked`
}

/**
 * The newest step that was blocked, withheld or failed. An agent goes on after it, and whatever happens then
 * does not hide it. A later event that a hook changed or asked a person about follows it. Without one of them
 * it is the last event.
 */
const lastText = async (ports: CommandPorts): Promise<Prose | undefined> => {
  const stopped = await lastStopped(ports)
  const stoppedMs = stopped === undefined ? 0 : atMsOf(stopped.told)
  const last = await ports.records({ limit: maxLookedBack, kinds: ['event'] })
  const said = last.find(
    (record) => (isChanged(record) || record.outcome === 'ask') && record.atMs >= stoppedMs,
  )
  const shown =
    stopped === undefined
      ? []
      : (await ports.records({ limit: 5, eventId: stopped.told.record.event_id })).toSorted(byTime)
  const others = [said ?? (stopped === undefined ? last[0] : undefined)].filter(
    (record) => record !== undefined && !shown.some(({ event_id }) => event_id === record.event_id),
  )
  const all = await toldOf(
    [...shown, ...others].filter((record) => record !== undefined),
    ports,
  )
  const parts = [
    ...all.map((told) => whyText(told, ports)),
    ...(stopped === undefined || stopped.more === 0 ? [] : [moreStopped(stopped.more)]),
  ]
  return parts.length === 0 ? undefined : joinProse(parts, '\n\n')
}

export const whyCommand = (ports: CommandPorts): Command => ({
  path: 'hooks why',
  usage: '/hooks why [event id]',
  summary: 'what the hooks decided about an event',
  need: 'viewer',
  run: async (rest) => {
    if (rest === '') return (await lastText(ports)) ?? prose`No event has reached an approved hook yet.`
    const eventId = rest.slice(0, 100)
    const records = await ports.records({ limit: 5, eventId })
    return records.length === 0
      ? prose`There is no record of an event ${eventId}.\n→ /hooks log`
      : joinProse(
          (await toldOf(records, ports)).map((told) => whyText(told, ports)),
          '\n\n',
        )
  },
})

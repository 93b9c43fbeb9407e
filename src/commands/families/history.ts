import {
  joinProse,
  named,
  ofHook,
  prose,
  verbatim,
  type Prose,
  proseLines,
} from '../../core/model/chat/prose.ts'
import type { Zone } from '../../core/model/chat/zone.ts'
import type { ChatBacklog } from '../../core/model/chat/push.ts'
import { budgets } from '../../shared/base/budgets.ts'
import type { EventRecord } from '../../core/model/events/record.ts'
import type { RecordClass } from '../../shared/events/record-class.ts'
import type { RecordedHook } from '../../core/model/hooks/verdict.ts'
import { handlerLine } from '../cards/handler.ts'
import type { Command, CommandPorts } from '../ports.ts'
import { brief, clock, oneLine, shorten } from '../words.ts'

const maxLogged = 12
const maxWaitingShown = 5
const hourMs = 60 * 60_000
/** The number of recent events that are searched for one that a hook changed or refused. */
const maxLookedBack = 20
/** The number of recent messages that are searched for undelivered ones. */
const maxSearched = 2000

const signOf = ({ answer, fired }: RecordedHook): string => {
  if (answer?.kind === 'block') return '✗'
  if (answer?.kind === 'fault') return '⚠'
  return fired ? '✓' : '–'
}

/** Whether a hook was asked, and why. */
const firedWords = (trace: RecordedHook): Prose => {
  const { label, fired, why, isShadow } = trace
  const name = prose`${verbatim(signOf(trace))} ${named(brief(label, 60))}`
  if (isShadow === true)
    return fired
      ? prose`${name} is a shadow and did not decide: ${why}`
      : prose`${name} is a shadow and was not asked: ${why}`
  return fired ? prose`${name} fired: ${why}` : prose`${name} did not fire: ${why}`
}

const traceWords = (trace: RecordedHook): Prose => {
  const { answer, durationMs, isShadow } = trace
  const head = firedWords(trace)
  if (answer === undefined) return head
  const rewrote =
    answer.rewrite === undefined ? [] : prose` · rewrote ${Object.keys(answer.rewrite).join(', ')}`
  const took = durationMs === undefined ? '' : ` · ${Math.round(durationMs)} ms`
  const detail = answer.reason ?? answer.fault?.detail
  const kind = isShadow === true ? prose`its answer: ${verbatim(answer.kind)}` : verbatim(answer.kind)
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

const outcomeWords = ({ kind, outcome, hooks }: EventRecord): Prose => {
  if (kind === 'shadow') return prose`shadow: ${verbatim(outcome)}`
  return hooks === undefined ? verbatim(outcome) : prose`verdict: ${verbatim(outcome)}`
}

/** All that is known of one event: each hook, whether it fired and why, its answer, and the verdict. */
const whyText = (record: EventRecord, ports: CommandPorts): Prose => {
  const missed = record.missed ?? 0
  return proseLines(
    prose`${verbatim(record.subject)} · ${clock(record.atMs, ports.now(), 'second')} · ${outcomeWords(record)}`,
    ...toolLines(record),
    record.reason !== undefined && prose`because ${record.reason}`,
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
  return proseLines(...idle.map((row) => prose`– ${handlerLine(row, 60)} did not fire: did not match`))
}

const byTime = (a: EventRecord, b: EventRecord): number => b.atMs - a.atMs

const isChanged = ({ hooks = [] }: EventRecord): boolean =>
  hooks.some(({ answer }) => answer?.rewrite !== undefined)

/** The kinds of records about what an agent did. */
const stepKinds = ['event', 'push', 'question'] as const

/**
 * The newest step that was blocked, withheld or failed, and how many more there were within an hour before.
 */
const lastStopped = async (
  records: CommandPorts['records'],
): Promise<{ readonly record: EventRecord; readonly more: number } | undefined> => {
  const found = await Promise.all(
    (['blocked', 'faults'] as const).map((ofClass) =>
      records({ limit: maxLookedBack, kinds: stepKinds, ofClass }),
    ),
  )
  const [record, ...others] = found.flat().toSorted(byTime)
  if (record === undefined) return undefined
  const near = others.filter(
    ({ atMs, event_id }) => event_id !== record.event_id && record.atMs - atMs < hourMs,
  )
  return { record, more: new Set(near.map(({ event_id }) => event_id)).size }
}

const moreStopped = (count: number): Prose => {
  if (count === 1) return prose`1 more step was blocked or failed in the hour before.\n→ /hooks log blocked`
  return count >= maxLookedBack
    ? prose`${maxLookedBack} or more steps were blocked or failed in the hour before.\n→ /hooks log blocked`
    : prose`${count} more steps were blocked or failed in the hour before.\n→ /hooks log blocked`
}

/**
 * The newest step that was blocked, withheld or failed. An agent goes on after it, and whatever happens then
 * does not hide it. A later event that a hook changed follows it. Without one of them it is the last event.
 */
const lastText = async (ports: CommandPorts): Promise<Prose | undefined> => {
  const stopped = await lastStopped(ports.records)
  const last = await ports.records({ limit: maxLookedBack, kinds: ['event'] })
  const changed = last.find((record) => isChanged(record) && record.atMs >= (stopped?.record.atMs ?? 0))
  const shown =
    stopped === undefined
      ? []
      : (await ports.records({ limit: 5, eventId: stopped.record.event_id })).toSorted(byTime)
  const others = [changed ?? (stopped === undefined ? last[0] : undefined)].filter(
    (record) => record !== undefined && !shown.some(({ event_id }) => event_id === record.event_id),
  )
  const parts = [
    ...[...shown, ...others].flatMap((record) => (record === undefined ? [] : [whyText(record, ports)])),
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
          records.map((found) => whyText(found, ports)),
          '\n\n',
        )
  },
})

const charactersWords = (count: number): Prose =>
  count === 1 ? prose`1 character` : prose`${count} characters`

/** A message is shown by its chat, its length and the start of its hash, because the log holds no text. */
const messageWords = ({ channel, chat_id, length, sha256 }: EventRecord): Prose =>
  length === undefined || sha256 === undefined
    ? []
    : prose`\n   to ${shorten(`${channel ?? ''}:${chat_id ?? ''}`, 40)} · ${charactersWords(length)} · ${verbatim(sha256.slice(0, 12))}`

const logLines = (record: EventRecord, nowMs: number): Prose => {
  const { atMs, kind, subject, outcome, reason, event_id } = record
  const why = reason === undefined ? [] : prose`\n   ${shorten(oneLine(reason), 100)}`
  const more =
    kind === 'event' || kind === 'shadow' || (kind === 'push' && outcome !== 'delivered')
      ? prose`\n   → /hooks why ${verbatim(event_id)}`
      : []
  return prose`${clock(atMs, nowMs, 'second')} · ${verbatim(kind === 'shadow' ? `${subject}: a shadow ${outcome}` : `${subject}: ${outcome}`)}${why}${messageWords(record)}${more}`
}

const isLost = ({ subject, outcome }: EventRecord): boolean =>
  (subject === 'push' || subject === 'notice') &&
  (outcome === 'failed' || outcome === 'unknown' || outcome === 'withheld')

const waitLines = (waiting: readonly ChatBacklog[], nowMs: number): readonly Prose[] =>
  waiting.slice(0, maxWaitingShown).map(({ channel, chat_id, count, sinceMs, why }) => {
    const chat = shorten(`${channel}:${chat_id}`, 40)
    const since = clock(sinceMs, nowMs)
    const waits =
      count === 1
        ? prose`1 message waits for delivery to ${chat}; the first came at ${since}`
        : prose`${count} messages wait for delivery to ${chat}; the first came at ${since}`
    return why === undefined ? waits : prose`${waits}\n   ${shorten(oneLine(why), 100)}`
  })

const classes = Object.keys(budgets.records) as readonly RecordClass[]
const isClass = (word: string): word is RecordClass => Object.hasOwn(budgets.records, word)
/** True for news. The hooks' answers about a notice are none, and its failed delivery is. */
const isNews = ({ kind, subject }: EventRecord): boolean => kind !== 'notice' || subject === 'notice'
const newsKinds = ['event', 'push', 'gate', 'question', 'shadow', 'refusal', 'alarm', 'trouble'] as const

/** The latest records of one class. */
const newsOf = async (ofClass: RecordClass, { records }: CommandPorts): Promise<readonly EventRecord[]> => {
  const news = await records({ limit: maxLogged, kinds: newsKinds, ofClass })
  if (ofClass !== 'faults') return news
  const notices = await records({ limit: maxSearched, kinds: ['notice'], ofClass })
  return [...news, ...notices.filter(isNews)].toSorted(byTime).slice(0, maxLogged)
}

/** The latest records. The last one of each class is included, so that no flood of one kind hides another. */
const lastNews = async (ports: CommandPorts): Promise<readonly EventRecord[]> => {
  const news = await Promise.all(classes.map((name) => newsOf(name, ports)))
  const firsts = news.flatMap(([first]) => (first === undefined ? [] : [first]))
  const others = news.flatMap(([, ...more]) => more).toSorted(byTime)
  return [...firsts, ...others.slice(0, maxLogged - firsts.length)].toSorted(byTime)
}

/** The messages that did not arrive. */
const lastLost = async ({ records }: CommandPorts): Promise<readonly EventRecord[]> => {
  const of = (ofClass: RecordClass): Promise<readonly EventRecord[]> =>
    records({ limit: maxSearched, kinds: ['push', 'notice'], ofClass })
  return (await Promise.all([of('blocked'), of('faults')])).flat().filter(isLost).toSorted(byTime)
}

const askLines = (count: number): readonly Prose[] =>
  count === 0
    ? []
    : [
        count === 1
          ? prose`1 tool call waits for your decision → /hooks asks`
          : prose`${count} tool calls wait for your decision → /hooks asks`,
      ]

/** The last line of the log, because its times have no zone beside them. */
const zoneLine = ({ name }: Zone): Prose => prose`Times in ${verbatim(name)} → /tz`

export const logCommand = (ports: CommandPorts): Command => ({
  path: 'hooks log',
  usage: '/hooks log [lost]',
  need: 'viewer',
  summary: `recent events, undelivered messages (lost), or one kind: ${classes.filter((name) => name !== 'rest').join(', ')}`,
  run: async (rest, { address }) => {
    const waiting = ports.waiting().toSorted((a, b) => a.sinceMs - b.sinceMs)
    const waitingAsks = ports.asks.waiting().length
    const lines = (records: readonly EventRecord[], none: Prose): Prose => {
      const shown = [
        ...askLines(waitingAsks),
        ...waitLines(waiting, ports.now()),
        ...records.slice(0, maxLogged).map((record) => logLines(record, ports.now())),
      ]
      return shown.length === 0 ? none : proseLines(...shown, zoneLine(ports.readers.zoneOf(address)))
    }
    const asked = rest.toLowerCase()
    if (asked === 'lost') return lines(await lastLost(ports), prose`No recent message was lost.`)
    if (isClass(asked))
      return lines(await newsOf(asked, ports), prose`Nothing of that kind has happened yet.`)
    return lines(await lastNews(ports), prose`Nothing has happened yet.`)
  },
})

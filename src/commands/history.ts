import { fixed, joinProse, named, prose, type Prose } from '../model/prose.ts'
import type { Waits } from '../model/push.ts'
import type { EventRecord } from '../model/record.ts'
import type { HookTrace } from '../model/verdict.ts'
import { handlerLine } from './handler.ts'
import type { Command, CommandPorts } from './ports.ts'
import { ago, brief, oneLine, plural, shorten } from './words.ts'

const maxLogged = 12
const maxWaitingShown = 5
/** How many of the last events are looked through for one that a hook minded. */
const maxLookedBack = 20
/** How many of the last messages are looked through for those that did not arrive. */
const maxSearched = 2000

const signOf = ({ answer, fired }: HookTrace): string => {
  if (answer?.kind === 'block') return '✗'
  if (answer?.kind === 'fault') return '⚠'
  return fired ? '✓' : '–'
}

const traceLines = (trace: HookTrace): Prose => {
  const { label, fired, why, answer, durationMs } = trace
  const head = prose`${fixed(signOf(trace))} ${named(brief(label, 60))} ${fixed(fired ? 'fired' : 'did not fire')}: ${why}`
  if (answer === undefined) return head
  const rewrote = answer.rewrite === undefined ? '' : ` · rewrote ${Object.keys(answer.rewrite).join(', ')}`
  const took = durationMs === undefined ? '' : ` · ${Math.round(durationMs)} ms`
  const detail = answer.reason ?? answer.fault?.detail
  return prose`${head}\n   ${fixed(answer.kind)}${rewrote}${fixed(took)}${detail === undefined ? [] : prose`: ${detail}`}`
}

/** Everything that is known of one event: each hook, fired or not and why, what it answered, the verdict. */
const whyText = (record: EventRecord, ports: CommandPorts): Prose => {
  const missed = record.missed ?? 0
  return joinProse([
    prose`${fixed(record.subject)} · ${fixed(ago(record.atMs, ports.now()))} · ${fixed(record.hooks === undefined ? record.outcome : `verdict: ${record.outcome}`)}`,
    ...(record.reason === undefined ? [] : [prose`because ${record.reason}`]),
    ...(record.hooks ?? []).map(traceLines),
    ...(missed === 0 ? [] : [missedWords(record, missed, ports)]),
    fixed(`event ${record.event_id}${record.durationMs === undefined ? '' : ` · ${Math.round(record.durationMs)} ms`}`),
  ], '\n')
}

/** Which hooks did not match is known as long as the gate has not changed since. */
const missedWords = (record: EventRecord, missed: number, ports: CommandPorts): Prose => {
  const asked = new Set((record.hooks ?? []).map(({ fingerprint }) => fingerprint))
  const idle = ports.rows().filter(({ event, live }) => event === record.subject && live !== undefined && !asked.has(live))
  if (record.revision !== ports.gate().revision || idle.length !== missed) return fixed(`– ${missed} more in force did not match`)
  return joinProse(idle.map((row) => prose`– ${handlerLine(row, 60)} did not fire: did not match`), '\n')
}

const isMinded = ({ outcome, hooks = [] }: EventRecord): boolean => outcome !== 'allow' || hooks.some(({ answer }) => answer?.rewrite !== undefined || answer?.kind === 'fault')

/** The last event, and the last one that a hook minded: an agent that was refused goes on, and says so. */
const lastOf = (records: readonly EventRecord[]): readonly EventRecord[] => {
  const [last] = records
  const minded = records.find(isMinded)
  return [last, minded === last ? undefined : minded].filter((record) => record !== undefined)
}

export const whyCommand = (ports: CommandPorts): Command => ({
  path: 'hooks why', usage: '/hooks why [event id]', summary: 'what the hooks made of an event', need: 'owner',
  run: async (rest) => {
    const records = rest === ''
      ? lastOf(await ports.records({ limit: maxLookedBack, kinds: ['event'] }))
      : await ports.records({ limit: 5, eventId: rest.slice(0, 100) })
    const [record] = records
    if (record !== undefined) return joinProse(records.map((found) => whyText(found, ports)), '\n\n')
    return rest === '' ? fixed('No approved hook has met an event yet.') : prose`There is no record of an event ${rest.slice(0, 100)}.\n→ /hooks log`
  },
})

/** A message stands for itself by where it went, its length and the start of its hash: the log holds no text. */
const messageWords = ({ channel, chat_id, length, sha256 }: EventRecord): Prose =>
  length === undefined || sha256 === undefined ? [] : prose`\n   to ${shorten(`${channel ?? ''}:${chat_id ?? ''}`, 40)} · ${fixed(`${plural(length, 'character')} · ${sha256.slice(0, 12)}`)}`

const logLines = (record: EventRecord, nowMs: number): Prose => {
  const { atMs, kind, subject, outcome, reason, event_id } = record
  const why = reason === undefined ? [] : prose`\n   ${shorten(oneLine(reason), 100)}`
  const more = kind === 'event' || (kind === 'push' && outcome !== 'delivered') ? fixed(`\n   → /hooks why ${event_id}`) : []
  return prose`${fixed(ago(atMs, nowMs))} · ${fixed(`${subject}: ${outcome}`)}${why}${messageWords(record)}${more}`
}

const isLost = ({ subject, outcome }: EventRecord): boolean => (subject === 'push' || subject === 'notice') && (outcome === 'failed' || outcome === 'unknown' || outcome === 'withheld')

const waitLines = (waiting: readonly Waits[], nowMs: number): readonly Prose[] =>
  waiting.slice(0, maxWaitingShown).map(({ channel, chat_id, count, sinceMs, why }) =>
    prose`${fixed(plural(count, 'message'))} ${fixed(count === 1 ? 'waits' : 'wait')} to leave to ${shorten(`${channel}:${chat_id}`, 40)}; the first came ${fixed(ago(sinceMs, nowMs))}${why === undefined ? [] : prose`\n   ${shorten(oneLine(why), 100)}`}`)

export const logCommand = (ports: CommandPorts): Command => ({
  path: 'hooks log', usage: '/hooks log [lost]', summary: 'what happened last, or what did not arrive', need: 'owner',
  run: async (rest) => {
    const waiting = ports.waiting().toSorted((a, b) => a.sinceMs - b.sinceMs)
    const asked = ports.asks.waiting().length
    const lines = (records: readonly EventRecord[], none: string): Prose => {
      const shown = [...(asked === 0 ? [] : [fixed(`${plural(asked, 'tool call')} ${asked === 1 ? 'waits' : 'wait'} for your word → /hooks asks`)]), ...waitLines(waiting, ports.now()), ...records.slice(0, maxLogged).map((record) => logLines(record, ports.now()))]
      return shown.length === 0 ? fixed(none) : joinProse(shown, '\n')
    }
    if (rest.toLowerCase() === 'lost') {
      const lost = (await ports.records({ limit: maxSearched, kinds: ['push', 'notice'] })).filter(isLost)
      return lines(lost, 'Nothing that left lately failed to arrive.')
    }
    const happened = await ports.records({ limit: maxLogged, kinds: ['event', 'push', 'gate', 'refusal', 'trouble'] })
    // Beside what the hooks made of each notice, those that did not arrive.
    const lost = (await ports.records({ limit: 100, kinds: ['notice'] })).filter(({ subject }) => subject === 'notice')
    const records = [...happened, ...lost].toSorted((a, b) => b.atMs - a.atMs)
    return lines(records, 'Nothing has happened yet.')
  },
})

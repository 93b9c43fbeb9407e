import { prose, verbatim, whole, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { clockWords, type Zone } from '../../../core/model/chat/zone.ts'
import type { ChatBacklog } from '../../../core/model/chat/push.ts'
import { budgets } from '../../../shared/base/budgets.ts'
import type { EventRecord } from '../../../core/model/events/record.ts'
import type { RecordClass } from '../../../shared/events/record-class.ts'
import { exactName } from '../../cards/exact.ts'
import { fitting } from '../../columns.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { briefOurs, recordWords } from '../../reasons.ts'
import { clock, shorten } from '../../words.ts'
import { atMsOf, byTime, endOf, isChanged, toldOf, type Told } from './outcome.ts'
import { newestStopped } from './why.ts'

const maxLogged = 12
const maxWaitingShown = 5
/** The number of recent messages that are searched for undelivered ones. */
const maxSearched = 2000
/** A line of the log fills one line of a phone. */
const phoneColumns = 38
const maxToolColumns = 14

const charactersWords = (count: number): Prose =>
  count === 1 ? prose`1 character` : prose`${count} characters`

/** A message is shown by its chat, its length and the start of its hash, because the log holds no text. */
const messageWords = ({ channel, chat_id, length, sha256 }: EventRecord): Prose =>
  length === undefined || sha256 === undefined
    ? []
    : prose`\n   to ${shorten(`${channel ?? ''}:${chat_id ?? ''}`, 40)} · ${charactersWords(length)} · ${verbatim(sha256.slice(0, 12))}`

/** A tool call in the rest of a line: the tool, and behind a mark as much of its arguments as has room. */
const callWords = (tool: string, argument: string | undefined, columns: number): Prose => {
  const name = fitting(tool, maxToolColumns, exactName)
  if (argument === undefined) return whole(name.shown)
  return prose`${whole(name.shown)} │ ${whole(fitting(argument, columns - name.columns - 3).shown)}`
}

/** True for an event of which there is nothing to tell, beyond that it happened. */
const isPlain = ({ record, decision }: Told): boolean =>
  record.kind === 'event' &&
  record.outcome === 'allow' &&
  decision === undefined &&
  !isChanged(record) &&
  endOf({ record }).sign === '✓'

/** The end of a step and the reason, below a line that names the step. */
const endLines = (told: Told, isNamed: boolean): Prose => {
  const { record, decision } = told
  const reason = decision?.reason ?? record.reason
  const why = reason === undefined ? undefined : recordWords(decision ?? record, reason, 100)
  if (!isNamed) return why === undefined ? [] : prose`\n   ${why}`
  if (isPlain(told)) return []
  const { words } = endOf(told)
  return why === undefined ? prose`\n   ${words}` : prose`\n   ${words}: ${why}`
}

interface LogLook {
  readonly nowMs: number
  readonly zone: Zone
  /** Every record has the way to more about it. */
  readonly isWhole: boolean
}

const logLines = (told: Told, { nowMs, zone, isWhole }: LogLook): Prose => {
  const { record } = told
  const { kind, subject, outcome, event_id, tool_name } = record
  const { sign, words } = endOf(told)
  const at = { atMs: record.atMs, nowMs, precision: 'second' } as const
  const left = phoneColumns - clockWords(at, zone).length - 3
  const isCall = tool_name !== undefined && kind === 'event'
  const what = isCall ? callWords(tool_name, record.argument, left) : prose`${verbatim(subject)}: ${words}`
  const hasMore = kind === 'event' || kind === 'shadow' || (kind === 'push' && outcome !== 'delivered')
  const more = hasMore && (isWhole || !isPlain(told)) ? prose`\n   → /hooks why ${verbatim(event_id)}` : []
  return prose`${clock(record.atMs, nowMs, 'second')} ${verbatim(sign)} ${what}${endLines(told, isCall)}${messageWords(record)}${more}`
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
    return why === undefined ? waits : prose`${waits}\n   ${briefOurs(why, 100)}`
  })

const classes = Object.keys(budgets.records) as readonly RecordClass[]
const isClass = (word: string): word is RecordClass => Object.hasOwn(budgets.records, word)
/** True for news. The hooks' answers about a notice are none, and its failed delivery is. */
const isNews = ({ kind, subject }: EventRecord): boolean => kind !== 'notice' || subject === 'notice'
const newsKinds = ['event', 'push', 'gate', 'question', 'shadow', 'refusal', 'alarm', 'trouble'] as const

/** The latest records of one class. */
const newsOf = async (ofClass: RecordClass, ports: CommandPorts): Promise<readonly EventRecord[]> => {
  const { records } = ports
  if (ofClass === 'blocked') return newestStopped(ports, maxLogged)
  const news = await records({ limit: maxLogged, kinds: newsKinds, ofClass })
  if (ofClass !== 'faults') return news
  const notices = await records({ limit: maxSearched, kinds: ['notice'], ofClass })
  return [...news, ...notices.filter(isNews)].toSorted(byTime).slice(0, maxLogged)
}

/** What agents did and said without a word of a hook. A message that only left is not worth a line. */
const otherNews = async ({ records }: CommandPorts): Promise<readonly EventRecord[]> => {
  const kinds = newsKinds.filter((kind) => kind !== 'push')
  const news = await records({ limit: maxLogged, kinds, ofClass: 'rest' })
  return news.filter(
    (record) => record.kind !== 'event' || record.subject !== 'on_outbound_message' || isChanged(record),
  )
}

/** The latest records. The last one of each class is included, so that no flood of one kind hides another. */
const lastNews = async (ports: CommandPorts): Promise<readonly EventRecord[]> => {
  const news = await Promise.all(
    classes.map((name) => (name === 'rest' ? otherNews(ports) : newsOf(name, ports))),
  )
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
          ? prose`1 tool call waits for your decision → /asks`
          : prose`${count} tool calls wait for your decision → /asks`,
      ]

/** What the log leaves out: what was allowed, with the ways to more, and the messages that arrived. */
const restLine = prose`With deliveries → /hooks log rest`

/** The last line of the log, because its times have no zone beside them. */
const zoneLine = ({ name }: Zone): Prose => prose`Times in ${verbatim(name)} → /tz`

export const logCommand = (ports: CommandPorts): Command => ({
  path: 'hooks log',
  usage: '/hooks log [lost]',
  need: 'viewer',
  summary: 'what happened last; lost: messages that did not arrive; or one kind, such as blocked or asked',
  run: async (rest, { address }) => {
    const waiting = ports.waiting().toSorted((a, b) => a.sinceMs - b.sinceMs)
    const waitingAsks = ports.asks.waiting().length
    const zone = ports.readers.zoneOf(address)
    const lines = async (records: readonly EventRecord[], none: Prose, isWhole: boolean): Promise<Prose> => {
      const look = { nowMs: ports.now(), zone, isWhole }
      const told = (await toldOf(records, ports)).toSorted((a, b) => atMsOf(b) - atMsOf(a))
      const shown = [
        ...askLines(waitingAsks),
        ...waitLines(waiting, ports.now()),
        ...told.slice(0, maxLogged).map((one) => logLines(one, look)),
      ]
      return shown.length === 0 ? none : proseLines(...shown, !isWhole && restLine, zoneLine(zone))
    }
    const asked = rest.toLowerCase()
    if (asked === 'lost') return lines(await lastLost(ports), prose`No recent message was lost.`, true)
    if (isClass(asked))
      return lines(await newsOf(asked, ports), prose`Nothing of that kind has happened yet.`, true)
    return lines(await lastNews(ports), prose`Nothing has happened yet.`, false)
  },
})

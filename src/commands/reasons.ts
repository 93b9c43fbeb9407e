import { joinProse, named, prose, verbatim, type Prose } from '../core/model/chat/prose.ts'
import type { EventRecord } from '../core/model/events/record.ts'
import { ownReason } from '../shared/hooks/guard-words.ts'
import { isOurName, labelWords, readOurs } from '../shared/said/our-words.ts'
import { oneLine, shorten } from './words.ts'

/** Before a reason stands a name with so few colons. */
const maxColons = 3

/** A line of a record: the name of who says it, and what is said. Undefined: nothing of it is ours. */
const ownLine = (line: string): Prose | undefined => {
  const whole = ownReason(line)
  if (whole !== undefined) return whole
  for (const { index: at } of [...line.matchAll(/: /g)].slice(0, maxColons)) {
    const [label, words] = [line.slice(0, at), line.slice(at + 2)]
    const said = ownReason(words) ?? (isOurName(label) ? prose`${words}` : undefined)
    if (said !== undefined) return prose`${labelWords(label)}: ${said}`
  }
  return undefined
}

/** A reason as records keep it. Before it can stand the name of who gave it. */
export const saidWords = (reason: string): Prose =>
  joinProse(
    reason.split('\n').map((line) => ownLine(line) ?? prose`${line}`),
    '\n',
  )

/** The same on one line of about `max` characters. A longer reason of ours is told by its first sentence. */
export const briefSaid = (reason: string, max: number): Prose => {
  const lines = reason.split('\n').map(oneLine)
  const line = oneLine(reason)
  if (line.length <= max) {
    const read = lines.map(ownLine)
    return read.every((one) => one === undefined)
      ? prose`${line}`
      : joinProse(
          read.map((one, index) => one ?? prose`${lines[index] ?? ''}`),
          ' ',
        )
  }
  const [first = ''] = lines
  const [head = first] = /^.*?\.(?= )/.exec(first) ?? []
  return (head.length <= 2 * max ? ownLine(head) : undefined) ?? prose`${shorten(line, max)}`
}

/** A text that only our own code makes, on one line of about so many characters. */
export const briefOurs = (text: string, max: number): Prose => {
  const line = oneLine(text)
  const [head = line] = line.length <= max ? [line] : (/^.*?\.(?= )/.exec(line) ?? [])
  return (head.length <= 2 * max ? readOurs(head) : undefined) ?? prose`${shorten(line, max)}`
}

/** `tool`, and how a person or another decided about its call. */
const decisionWords = (reason: string, { tool_name: tool = '' }: EventRecord): Prose | undefined => {
  const name = reason.startsWith(`${tool} `) && tool !== '' ? tool : (reason.split(' ', 1)[0] ?? '')
  const how = readOurs(reason.slice(name.length + 1))
  return how && prose`${named(name)} ${how}`
}

/** The reason of an answer below a line that names the tool. */
export const becauseWords = (reason: string, record: EventRecord): Prose => {
  const known = `${record.tool_name ?? ''} because `
  if (!reason.startsWith(known)) return recordWords(record, reason)
  const why = reason.slice(known.length)
  return readOurs(why) ?? prose`${why}`
}

/** What an owner's act was about, and whose it was. `max`: what it was about is shortened to fit. */
const actWords = (reason: string, max = Infinity): Prose => {
  const at = reason.lastIndexOf(' by ')
  if (at < 0) return named(reason)
  const [what, by] = [reason.slice(0, at), reason.slice(at + 4)]
  return prose`${readOurs(what) ?? prose`${shorten(what, max - by.length)}`} by ${named(by)}`
}

const refusalWords = (reason: string): Prose | undefined => {
  const [, code = '', who = ''] = /^(\w+) from (\S+)$/.exec(reason) ?? []
  return code === '' ? readOurs(reason) : prose`${verbatim(code)} from ${who}`
}

/** The reason of a record, where its words are ours alone. Undefined: hooks or others speak in it, too. */
const ownRecord = (record: EventRecord, reason: string): Prose | undefined => {
  const { kind, subject } = record
  if (kind === 'alarm' || kind === 'trouble') return readOurs(reason)
  if (kind === 'refusal') return refusalWords(reason)
  if (subject === 'permission') return decisionWords(reason, record)
  return kind === 'gate' ? actWords(reason) : undefined
}

/** The reason of a record in words of its reader. `max`: on one line of about so many characters. */
export const recordWords = (record: EventRecord, reason: string, max?: number): Prose => {
  if (max === undefined) return ownRecord(record, reason) ?? saidWords(reason)
  const line = oneLine(reason)
  if (record.kind === 'alarm') return briefOurs(reason, max)
  if (record.kind === 'gate') return actWords(line, max)
  return (line.length <= max ? ownRecord(record, line) : undefined) ?? briefSaid(reason, max)
}

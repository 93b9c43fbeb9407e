import { split } from 'shlex'
import type { ForeignDialect, NativeEvent } from '../../model/hooks/dialect.ts'
import type { Entry, HandlerType, Matcher } from '../../model/hooks/entry.ts'
import { contractOf, EVENT_NAMES, type EventName, fieldsOf, isEventName } from '../../model/events/event.ts'
import { nearest } from '../../model/base/nearest.ts'
import { baseFields } from '../../model/events/payload.ts'
import { got } from '../../model/gate/problem.ts'
import type { RawEntry } from './entry-shape.ts'
import { compilePattern } from '../match/pattern.ts'

/** What is wrong, in one clause, and what to do. */
export interface EntryFlaw {
  readonly flaw: string
  readonly fix: string
}

const shellWords = /^(\|[|&]?|&&?|;|<{1,3}|\d*>.*|&>.*)$/

/** Words that split, no shell: what a shell would have read is refused where it could mean something else. */
export const commandFlaw = (command: string): string | undefined => {
  if (/[\0\n\r]/.test(command)) return 'it holds a line break or a NUL'
  if (/\$['"]/.test(command)) return `it uses $'…' or $"…", which only a shell reads`
  try {
    const words = split(command)
    const operator = words.find((word) => shellWords.test(word))
    return operator === undefined
      ? undefined
      : `"${operator}" is a shell's operator and no shell runs here: put it into a script, or say sh -c '…'`
  } catch {
    return 'a quote is not closed'
  }
}

export const builtinFlaw = (name: string): string | undefined =>
  /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name) ? undefined : 'a name is one word of letters, digits and _'

/**
 * Only the form is looked at here; which servers may be reached is judged where they are reached. Never
 * quotes it: it may hold a password.
 */
export const urlFlaw = (url: string): string | undefined => {
  if (/[\s\0-\u001f\u007f]/.test(url)) return 'it holds a blank or a line break'
  const parsed = URL.parse(url)
  if (parsed === null) return 'it is none'
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    return `it begins with ${got(parsed.protocol)}`
  return parsed.username === '' && parsed.password === '' && !/^https?:[/\\]*[^/?#\\]*@/i.test(url)
    ? undefined
    : 'it holds a user or a password; send that as a header'
}

/** A judge before each model call would be one more model call before each: it must never sit there. */
export const judgeFlaw = (type: HandlerType, event: EventName): EntryFlaw | undefined =>
  type === 'llm' && event === 'pre_llm_call'
    ? {
        flaw: 'a model that is asked before each model call makes two of one',
        fix: 'Judge on_user_message, pre_tool_call or on_outbound_message, or ask a program there.',
      }
    : undefined

const isAll = (pattern: string | undefined): boolean =>
  pattern === undefined || pattern === '' || pattern === '*'

export const toMatcher = (raw: RawEntry['matcher']): Matcher | undefined => {
  const { tool, pattern, field } = typeof raw === 'object' ? raw : { pattern: raw }
  if (isAll(tool) && isAll(pattern)) return undefined
  return {
    ...(isAll(tool) || tool === undefined ? {} : { tool }),
    ...(isAll(pattern) || pattern === undefined
      ? {}
      : { pattern, ...(field === undefined ? {} : { field }) }),
  }
}

/** Why a matcher could never match, or is no regular expression. A hook must not be silenced by a typo. */
export const matcherFlaw = (
  event: EventName,
  raw: RawEntry['matcher'],
  matcher: Matcher | undefined,
): EntryFlaw | undefined => {
  const { search } = contractOf(event)
  const fields = fieldsOf(event)
  const known = [...Object.keys(fields), ...baseFields]
  const named = typeof raw === 'object' ? raw.field : undefined
  if (named !== undefined && matcher?.pattern === undefined)
    return {
      flaw: `it names the field "${named}" without a pattern`,
      fix: 'Add "pattern: …" or remove "field".',
    }
  const first = matcher?.field?.split('.')[0]
  if (first !== undefined && !known.includes(first)) {
    const meant = nearest(first, known)
    return {
      flaw: `${event} has no field "${first}"`,
      fix: meant === undefined ? `Its fields are ${known.join(', ')}.` : `Did you mean "${meant}"?`,
    }
  }
  if (matcher?.tool !== undefined && !known.includes('tool_name'))
    return { flaw: `${event} has no tool to match`, fix: 'Remove "tool".' }
  if (matcher?.pattern !== undefined && matcher.field === undefined && search.length === 0) {
    return {
      flaw: `${event} has nothing that is searched by itself`,
      fix: `Write {pattern, field}; its fields are ${Object.keys(fields).join(', ')}.`,
    }
  }
  for (const pattern of [matcher?.tool, matcher?.pattern]) {
    const compiled = pattern === undefined ? undefined : compilePattern(pattern)
    if (compiled !== undefined && 'wrong' in compiled)
      return { flaw: `${got(pattern)} is none: ${compiled.wrong}`, fix: 'Mend the pattern.' }
  }
  return undefined
}

/** Of a payload's fields, those whose name is no ordinary word. */
const fieldNames = [
  ...new Set(EVENT_NAMES.flatMap((event) => [...Object.keys(fieldsOf(event)), ...baseFields])),
].filter((name) => name.includes('_'))
const namedField = new RegExp(`(?<![\\w])(${fieldNames.join('|')})(?![\\w])`)
/**
 * A tool's name with something behind it on the same line, or a permission rule of Claude Code. But a tool's
 * name and its arguments stand on lines of their own, so that `.` never reaches from one to the other.
 */
const toolAndMore = new RegExp(
  [
    String.raw`^\W{0,8}(?:bash|shell|terminal|[a-z]+_(?:file|fetch|command|shell))[)\]"']*(?:\.[*+{]|:)`,
    String.raw`^\W{0,4}(?:bash|write|edit|multiedit|read|webfetch)\(`,
  ].join('|'),
  'i',
)
const patternFix = 'Write {tool: …}, or {pattern: …, field: …}, to say where to look.'

/** Why a pattern without a field may match less than its author means, or nothing at all. */
export const matcherRemarks = ({
  event,
  matcher,
  dialect,
}: Pick<Entry, 'event' | 'matcher' | 'dialect'>): readonly string[] => {
  const { pattern, field } = matcher ?? {}
  if (pattern === undefined || field !== undefined || dialect !== undefined) return []
  const [, name] = namedField.exec(pattern) ?? []
  if (name !== undefined)
    return [`Its matcher names the field ${name}, but only values are searched. ${patternFix}`]
  if (/"(?:\\s[*+]?)?\s*:/.test(pattern)) {
    return [`Its matcher spells JSON, but the values alone are searched, as plain text. ${patternFix}`]
  }
  if (event === 'pre_llm_call') {
    return [
      'Its matcher looks at the last message of the user alone. Write {pattern: …, field: messages} to search the whole conversation.',
    ]
  }
  const isOfTools = contractOf(event).search.includes('tool_name')
  const words = 'Its matcher wants a tool and its arguments on one line, but each has a line of its own.'
  return isOfTools && toolAndMore.test(pattern) ? [`${words} ${patternFix}`] : []
}

export interface EventPorts {
  readonly events: Readonly<Record<ForeignDialect, readonly NativeEvent[]>>
}

/** Which event an entry means. */
export interface MeantEvent {
  readonly event: EventName
  /** In a foreign dialect: that system's own, under which the handler sees it. */
  readonly native?: NativeEvent
}

const notOne = 'the name of an event'

/**
 * With a foreign dialect the name may be that system's own or ours; its own comes first, since some stand in
 * both.
 */
export const meantEvent = (
  name: string,
  dialect: RawEntry['dialect'],
  { events }: EventPorts,
): MeantEvent | { readonly expected: string; readonly fix: string } => {
  if (dialect === 'native') {
    if (isEventName(name)) return { event: name }
    const meant = nearest(name, EVENT_NAMES)
    return {
      expected: notOne,
      fix: meant === undefined ? `The events are ${EVENT_NAMES.join(', ')}.` : `Did you mean "${meant}"?`,
    }
  }
  const rows = events[dialect]
  const own = rows.find((row) => row.name === name)
  const native = own ?? (isEventName(name) ? rows.find((row) => row.event === name) : undefined)
  if (native?.event !== undefined) return { event: native.event, native }
  const expected = `${notOne} that ${dialect} and hookgate both have`
  if (native !== undefined)
    return {
      expected,
      fix: `${name} cannot be mapped: ${native.note?.replace(/\.$/, '') ?? 'hookgate has no such moment'}.`,
    }
  if (isEventName(name))
    return { expected, fix: `${dialect} has none for it; remove "dialect" or name another event.` }
  const known = rows.flatMap((row) => (row.event === undefined ? [] : [row.name]))
  const meant = nearest(name, [...known, ...EVENT_NAMES])
  return {
    expected,
    fix:
      meant === undefined ? `The events of ${dialect} are ${known.join(', ')}.` : `Did you mean "${meant}"?`,
  }
}

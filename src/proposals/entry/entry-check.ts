import { split } from 'shlex'
import type { Dialect, NativeEvent } from '../../shared/hooks/dialect.ts'
import type { ForeignDialect } from '../../core/model/hooks/dialect.ts'
import type { Entry, HandlerType, Matcher } from '../../core/model/hooks/entry.ts'
import {
  contractOf,
  EVENT_NAMES,
  type EventName,
  fieldsOf,
  isEventName,
} from '../../core/model/events/event.ts'
import { nearest } from '../../shared/base/nearest.ts'
import { baseFields } from '../../shared/events/synthetic.ts'
import { got } from '../../core/model/gate/problem.ts'
import type { RawEntry } from './entry-shape.ts'
import { compilePattern } from '../../core/model/base/pattern.ts'
import { isAll } from '../sources/options.ts'

/** One flaw of an entry: `flaw` is one clause, `fix` says what to do. */
interface EntryFlaw {
  readonly flaw: string
  readonly fix: string
}

/** Advice on a name that is not known: the nearest one, or something else. */
export const nearestFix = (name: string, known: readonly string[], otherwise = 'Remove it.'): string => {
  const meant = nearest(name.slice(0, 40), known)
  return meant === undefined ? otherwise : `Did you mean "${meant}"?`
}

const shellWords = /^(\|[|&]?|&&?|;|<{1,3}|\d*>.*|&>.*)$/

/**
 * Why a command cannot be used, as a clause; undefined when it can. The command is split into words and no
 * shell runs it, so text that a shell would read differently is refused.
 */
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
 * Why a URL has the wrong form, as a clause; undefined when the form is right. The transport checks which
 * servers may be reached. The clause never quotes the URL, because the URL may hold a password.
 */
export const urlFlaw = (url: string): string | undefined => {
  if (/[\s\0-\u001f\u007f]/.test(url)) return 'it holds a blank or a line break'
  const parsed = URL.parse(url)
  if (parsed === null) return 'it is not a URL'
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    return `it begins with ${got(parsed.protocol)}`
  return parsed.username === '' && parsed.password === '' && !/^https?:[/\\]*[^/?#\\]*@/i.test(url)
    ? undefined
    : 'it holds a user or a password; send that as a header'
}

/** A hook of type llm at pre_llm_call would add a second model call to each model call, so it is refused. */
export const judgeFlaw = (type: HandlerType, event: EventName): EntryFlaw | undefined =>
  type === 'llm' && event === 'pre_llm_call'
    ? {
        flaw: 'it would add a second model call to each model call',
        fix: 'Judge on_user_message, pre_tool_call or on_outbound_message, or ask a program there.',
      }
    : undefined

export const toMatcher = (raw: RawEntry['matcher']): Matcher | undefined => {
  const { tool, pattern, field } = typeof raw === 'object' ? raw : { pattern: raw }
  if (isAll(tool) && isAll(pattern)) return undefined
  return isAll(pattern) ? { tool } : { tool: isAll(tool) ? undefined : tool, pattern, field }
}

/**
 * Why a matcher can never match or is not a regular expression; undefined when it is usable. A typo must not
 * silence a hook.
 */
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
  if (first !== undefined && !known.includes(first))
    return {
      flaw: `${event} has no field "${first}"`,
      fix: nearestFix(first, known, `Its fields are ${known.join(', ')}.`),
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
      return {
        flaw: `${got(pattern)} is not a usable pattern: ${compiled.wrong}`,
        fix: 'Correct the pattern.',
      }
  }
  return undefined
}

/** The names of payload fields that contain an underscore, so that they are not ordinary words. */
const fieldNames = [
  ...new Set(EVENT_NAMES.flatMap((event) => [...Object.keys(fieldsOf(event)), ...baseFields])),
].filter((name) => name.includes('_'))

const namedField = new RegExp(`(?<![\\w])(${fieldNames.join('|')})(?![\\w])`)
/**
 * Matches a pattern that expects text after a tool's name on the same line, and a permission rule of Claude
 * Code. Neither can match: a tool's name and its arguments are on separate lines, and `.` does not cross a
 * line break.
 */
const toolAndMore = new RegExp(
  [
    String.raw`^\W{0,8}(?:bash|shell|terminal|[a-z]+_(?:file|fetch|command|shell))[)\]"']*(?:\.[*+{]|:)`,
    String.raw`^\W{0,4}(?:bash|write|edit|multiedit|read|webfetch)\(`,
  ].join('|'),
  'i',
)

const patternFix = 'Write {tool: …} or {pattern: …, field: …} to say where to search.'

/** Warns when a pattern without a field matches less than its author means, or nothing. */
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
    return [
      `Its matcher contains JSON syntax, but only the values are searched, as plain text. ${patternFix}`,
    ]
  }
  if (event === 'pre_llm_call') {
    return [
      'Its matcher searches only the last message of the user. Write {pattern: …, field: messages} to search the whole conversation.',
    ]
  }
  const isOfTools = contractOf(event).search.includes('tool_name')
  const words = 'Its matcher expects a tool and its arguments on one line, but each is on its own line.'
  return isOfTools && toolAndMore.test(pattern) ? [`${words} ${patternFix}`] : []
}

export interface EventPorts {
  readonly dialects: Readonly<Record<ForeignDialect, Pick<Dialect, 'events'>>>
}

/** The event that an entry names. */
interface MeantEvent {
  readonly event: EventName
  /**
   * The foreign system's own event, under whose name the handler gets it. Set only with a foreign dialect.
   */
  readonly native?: NativeEvent
}

const notOne = 'the name of an event'

/**
 * Finds the event that an entry names, or says what was expected. With a foreign dialect the name may be one
 * of that system or one of hookgate. The system's own name wins, because some names exist in both.
 */
export const meantEvent = (
  name: string,
  dialect: RawEntry['dialect'],
  { dialects }: EventPorts,
): MeantEvent | { readonly expected: string; readonly fix: string } => {
  if (dialect === 'native')
    return isEventName(name)
      ? { event: name }
      : {
          expected: notOne,
          fix: nearestFix(name, EVENT_NAMES, `The events are ${EVENT_NAMES.join(', ')}.`),
        }
  const rows = dialects[dialect].events
  const own = rows.find((row) => row.name === name)
  const native = own ?? (isEventName(name) ? rows.find((row) => row.event === name) : undefined)
  if (native?.event !== undefined) return { event: native.event, native }
  const expected = `${notOne} that ${dialect} and hookgate both have`
  if (native !== undefined)
    return {
      expected,
      fix: `${name} cannot be mapped: ${native.note ?? 'hookgate has no such event'}.`,
    }
  if (isEventName(name))
    return { expected, fix: `${dialect} has no such event; remove "dialect" or name another event.` }
  const known = rows.flatMap((row) => (row.event === undefined ? [] : [row.name]))
  const all = `The events of ${dialect} are ${known.join(', ')}.`
  return { expected, fix: nearestFix(name, [...known, ...EVENT_NAMES], all) }
}

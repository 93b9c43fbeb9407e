import type { Client, ClientEvent, LifecyclePoint } from '../shared/gate/client.ts'
import type { Dialect, NativeEvent } from '../shared/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../core/model/base/json.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { got } from '../core/model/gate/problem.ts'
import { callFor } from './calls.ts'
import { definedFields, nonNullFields, wordIn, type OptionalFields } from './reading/fields.ts'
import { isNonNull, resultText } from './reading/output.ts'
import { fromNative, type ToolNaming } from './tools.ts'

/**
 * One table says a hook system's events and their fields. From it come the stdin of a hook that was written
 * for the system (`encoderOf`) and the report of a client whose hook is the gate (`readerOf`).
 */

/** One field of an event. Without `out` no hook gets it, and without `in` no report is read for it. */
export interface EventField {
  /** Our field. */
  readonly here?: string
  readonly out?: (payload: Payload) => Json | undefined
  readonly in?: (value: Json | undefined, stdin: JsonObject) => Json | undefined
}

/**
 * The fields of an event by their names there, which may be paths such as `model.id`. A text is the name of
 * our field, whose value is the same.
 */
export type EventFields = Readonly<Record<string, string | EventField>>

/** One event of the system. */
export interface Row extends Omit<NativeEvent, 'name'> {
  readonly fields?: EventFields
  /** It is about a tool call. Its fields are read and written as such. */
  readonly isCall?: true
  /** Our fields that each report of this event has. */
  readonly here?: JsonObject
  /** The fields that no row can say. They take precedence. */
  readonly out?: (payload: Payload) => OptionalFields
  /** `nothing`: the reason why this report is not such an event. */
  readonly in?: (stdin: JsonObject) => OptionalFields | { readonly nothing: string }
  /** These fields must be text or a list of parts. */
  readonly needs?: readonly string[]
  readonly moment?: LifecyclePoint
  /** A note on what the client takes of the gate. The other note is on what it takes of a hook. */
  readonly told?: string
}

export type Rows = Readonly<Record<string, Row>>

/** Returns a value as text. A field that one of our gates searches must be present as text. */
export const textOrEmpty = (value: Json | undefined): string =>
  typeof value === 'string' ? value : isNonNull(value) ? resultText(value) : ''

export const textOf = (value: Json | undefined): string | undefined =>
  isNonNull(value) ? textOrEmpty(value) : undefined

export const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** Returns the value at a path such as `model.id`. */
export const valueAt = (from: Json | undefined, path: string): Json | undefined =>
  path.split('.').reduce<Json | undefined>((value, name) => objectIn(value)[name], from)

/** Puts each field whose name is a path to its place. */
const inPlace = (fields: OptionalFields): OptionalFields => {
  const placed: Record<string, Json | undefined> = {}
  for (const [path, value] of Object.entries(fields)) {
    const [name = '', ...rest] = path.split('.')
    placed[name] =
      rest.length === 0
        ? value
        : definedFields({ ...objectIn(placed[name]), ...inPlace({ [rest.join('.')]: value }) })
  }
  return placed
}

/**
 * Returns the text of a prompt or message, which is text itself or a list of parts. Parts without text become
 * their type in brackets.
 */
export const contentText = (content: Json | undefined): string =>
  Array.isArray(content)
    ? content
        .map((part) =>
          isObject(part)
            ? typeof part['text'] === 'string'
              ? part['text']
              : `[${typeof part['type'] === 'string' ? part['type'] : 'unknown'}]`
            : textOrEmpty(part),
        )
        .join('\n')
    : textOrEmpty(content)

/** The fields about the conversation of a model call. `textIn` returns the text of a message. */
export const conversationOf = (
  messages: Json | undefined,
  textIn: (message: JsonObject) => string,
): { readonly last_user_message: string; readonly system: string } => {
  const list = Array.isArray(messages) ? messages.filter(isObject) : []
  const by = (role: string): readonly string[] => list.filter((one) => one['role'] === role).map(textIn)
  return { last_user_message: by('user').at(-1) ?? '', system: by('system').join('\n') }
}

const sameOut =
  (here: string) =>
  (payload: Payload): Json | undefined =>
    payload[here]

/** The usual shapes of a field. `here` is our field. */
export const field = {
  text: (here: string): EventField => ({ here, out: sameOut(here), in: textOrEmpty }),
  content: (here: string): EventField => ({ here, out: sameOut(here), in: contentText }),
  isTrue: (here: string): EventField => ({
    here,
    out: (payload) => payload[here] === true,
    in: (value) => value === true,
  }),
  /** A value that the client may leave out. */
  or: (here: string, otherwise: Json): EventField => ({
    here,
    out: sameOut(here),
    in: (value) => value ?? otherwise,
  }),
  list: (here: string): EventField => ({
    here,
    out: sameOut(here),
    in: (value) => (Array.isArray(value) ? value : []),
  }),
  /** A word of a fixed set. One that is missing in a table is `other` there. */
  word: (
    here: string,
    theirs: Readonly<Record<string, string>>,
    ours: Readonly<Record<string, string>>,
  ): EventField => ({
    here,
    out: (payload) => wordIn(theirs, payload[here]) ?? 'other',
    in: (value) => wordIn(ours, value) ?? 'other',
  }),
  fixed: (value: Json): EventField => ({ out: () => value }),
  /** Only hooks are told it. */
  told: (here: string): EventField => ({ out: sameOut(here) }),
  /** Only a report has it. */
  heard: (here: string, read: NonNullable<EventField['in']> = (value) => value): EventField => ({
    here,
    in: read,
  }),
  /** Most systems tell only whether a person asked for a compaction. */
  trigger: {
    here: 'source',
    out: ({ source }) => (source === 'manual' ? 'manual' : 'auto'),
    in: (value) => (value === 'manual' ? 'manual' : 'auto'),
  } satisfies EventField,
} as const

const factsOf = (name: string, row: Row): ClientEvent => {
  const { event, where, matches, values, isGate, isSideBySide, isTextContext, failsClosed, note, moment } =
    row
  const facts = {
    event,
    where,
    matches,
    values,
    isGate,
    isSideBySide,
    isTextContext,
    failsClosed,
    note,
    moment,
  }
  return {
    name,
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
  }
}

/** The system's events, as its hooks see them. */
export const eventsOf = (rows: Rows): readonly ClientEvent[] =>
  Object.entries(rows).map(([name, row]) => factsOf(name, row))

/** The events that its client reports. Facts about its hooks are left out. */
export const reportsOf = (rows: Rows): readonly ClientEvent[] =>
  Object.entries(rows).map(([name, { event, note, told: own, moment }]) =>
    factsOf(name, { event, note: event === undefined ? note : own, moment }),
  )

/** The fields of an event as its system writes them. */
export const written = (speaker: ToolNaming, row: Row | undefined, payload: Payload): OptionalFields => {
  const { isCall, fields = {}, out } = row ?? {}
  const own: Record<string, Json | undefined> = {}
  for (const [name, one] of Object.entries(fields)) {
    if (typeof one === 'string') own[name] = payload[one]
    else if (one.out !== undefined) own[name] = one.out(payload)
  }
  const call = isCall === true ? { ...callFor(speaker, payload), tool_use_id: payload['tool_use_id'] } : {}
  return { ...call, ...inPlace(own), ...out?.(payload) }
}

/** The fields of a report under our names. */
export const heardIn = (
  fields: EventFields,
  stdin: JsonObject,
  spelled?: (name: string) => string,
): OptionalFields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([there, one]) => {
      const named = valueAt(stdin, there)
      const value = spelled === undefined ? named : (named ?? stdin[spelled(there)])
      if (typeof one === 'string') return [[one, value]]
      return one.here === undefined || one.in === undefined ? [] : [[one.here, one.in(value, stdin)]]
    }),
  )

/**
 * Makes the encoder of a system. `base` has the fields of every event, and `keep` leaves out what its runner
 * leaves out.
 */
export const encoderOf =
  (
    speaker: ToolNaming,
    rows: Rows,
    base: (name: string, payload: Payload) => JsonObject,
    keep: (fields: OptionalFields) => JsonObject,
  ): Dialect['encode'] =>
  ({ name }, payload) => ({ ...base(name, payload), ...keep(written(speaker, rows[name], payload)) })

interface ClientReading {
  readonly speaker: ToolNaming | ((stdin: JsonObject) => ToolNaming)
  readonly rows: Rows
  /** Returns the tool call before translation, for a client whose fields have unusual names. */
  readonly call?: (stdin: JsonObject, event: string) => OptionalFields
  /** Returns what is wrong with a call. */
  readonly flaw?: (call: OptionalFields) => string | undefined
  /** The field that names the event. Absent: `hook_event_name`. */
  readonly nameField?: string
  /** Whether the payload's name of the event means this one. Absent: the two are equal. */
  readonly isNamed?: (named: Json, name: string) => boolean
  /** The name of the session's field in a message. */
  readonly sessionField?: string
  /** Another spelling of a field's name. */
  readonly spelled?: (name: string) => string
  readonly sessionOf?: (stdin: JsonObject) => Json | undefined
  readonly cwdOf?: (stdin: JsonObject) => Json | undefined
  /** The agent, where it is not the client itself. Absent: `agent_id`, except at the events of subagents. */
  readonly agentOf?: (stdin: JsonObject, name: string) => Json | undefined
}

/**
 * Returns what is wrong with a reported tool call before it is translated. A call that cannot be read must
 * not pass a gate without a judgement.
 */
const callFlaw = ({ tool_name: name, tool_input: input }: OptionalFields): string | undefined => {
  if (typeof name !== 'string' || name === '') return `Expected "tool_name" to be a name, got ${got(name)}.`
  return !isNonNull(input) || isObject(input)
    ? undefined
    : `Expected "tool_input" to be an object, got ${got(input)}.`
}

const isWords = (value: Json | undefined): boolean => typeof value === 'string' || Array.isArray(value)

/** Makes the reader of one client from its table. */
export const readerOf =
  ({
    speaker,
    rows,
    call = (stdin) => stdin,
    flaw = callFlaw,
    nameField = 'hook_event_name',
    isNamed = (named, name) => !isNonNull(named) || named === name,
    sessionField = 'session_id',
    spelled,
    sessionOf = ({ session_id }) => session_id,
    cwdOf = ({ cwd }) => cwd,
    agentOf = ({ agent_id }, name) => (name.startsWith('Subagent') ? undefined : agent_id),
  }: ClientReading): Client['read'] =>
  ({ event, name, note }, stdin) => {
    if (event === undefined)
      return { wrong: `${name} has no counterpart here: ${note ?? 'hookgate has no such event'}.` }
    if (!isObject(stdin)) return { wrong: `Expected one JSON object on stdin, got ${got(stdin)}.` }
    const { [nameField]: named = null } = stdin
    if (!isNamed(named, name))
      return {
        wrong: `Expected "${nameField}" to be "${name}", got ${got(named)}; name the same event in the bridge's command.`,
      }
    const session = sessionOf(stdin)
    if (typeof session !== 'string' || session === '')
      return { wrong: `Expected "${sessionField}" to be a name, got ${got(session)}.` }
    const { isCall, fields = {}, here, in: read, needs = [] } = rows[name] ?? {}
    const unfit = needs.find((one) => !isWords(stdin[one]))
    if (unfit !== undefined) return { wrong: `Expected "${unfit}" to be a text, got ${got(stdin[unfit])}.` }
    let tool: OptionalFields = {}
    if (isCall === true) {
      const reported = call(stdin, name)
      const wrong = flaw(reported)
      if (wrong !== undefined) return { wrong }
      const { tool_name, tool_input, tool_use_id } = reported
      const naming = typeof speaker === 'string' ? speaker : speaker(stdin)
      const ours = fromNative(naming, { name: textOrEmpty(tool_name), input: tool_input ?? {} })
      tool = { tool_name: ours.name, tool_input: ours.input, tool_use_id }
    }
    const more = read?.(stdin) ?? {}
    if (typeof more['nothing'] === 'string') return { nothing: more['nothing'] }
    const agent = agentOf(stdin, name)
    const cwd = cwdOf(stdin)
    return {
      event,
      session_id: session,
      cwd: typeof cwd === 'string' ? cwd : '',
      fields: nonNullFields({ ...tool, ...heardIn(fields, stdin, spelled), ...here, ...more }),
      agent_id: typeof agent === 'string' && agent !== '' ? agent : undefined,
    }
  }

import type { Client } from '../shared/gate/client.ts'
import type { NativeEvent } from '../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../core/model/base/json.ts'
import { got } from '../core/model/gate/problem.ts'
import { callFlaw, nonNullFields, type OptionalFields } from './reading/fields.ts'
import { isNonNull, resultText } from './reading/output.ts'
import { fromNative, type ToolNaming } from './tools.ts'

/**
 * The common parts of the readers of clients. A field that one of our gates searches must be present as text.
 */

export const textOrEmpty = (value: Json | undefined): string =>
  typeof value === 'string' ? value : isNonNull(value) ? resultText(value) : ''

export const textOf = (value: Json | undefined): string | undefined =>
  isNonNull(value) ? textOrEmpty(value) : undefined

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

/**
 * The events that a client reports: those of its hooks. Notes on hooks are about answers that it reads of
 * hooks, so these notes on what it takes of the gate are in their place.
 */
export const reportedEvents = (
  hooks: readonly NativeEvent[],
  notes: Readonly<Record<string, string>>,
): readonly NativeEvent[] =>
  hooks.map(({ name, event, note }) => ({ name, event, note: event === undefined ? note : notes[name] }))

/** The fields of an event, or why there is nothing to report. */
type ReportedFields = OptionalFields | { readonly nothing: string }

export interface ClientReading {
  readonly speaker: ToolNaming
  /** By the client's name of the event, or by ours. */
  readonly fieldReaders: Readonly<Record<string, (stdin: JsonObject) => ReportedFields>>
  /** Returns the tool call before translation, for a client whose fields have unusual names. */
  readonly call?: (stdin: JsonObject, event: string) => OptionalFields
  /** The field that names the event. Absent: `hook_event_name`. */
  readonly nameField?: string
  readonly sessionOf?: (stdin: JsonObject) => Json | undefined
  readonly cwdOf?: (stdin: JsonObject) => Json | undefined
  /** The agent, where it is not the client itself. Absent: `agent_id`, except at the events of subagents. */
  readonly agentOf?: (stdin: JsonObject, name: string) => Json | undefined
  /** The events that report a tool call. Their call must be readable. */
  readonly tools: readonly string[]
}

/** Makes the reader of one client from its table. */
export const readerOf =
  ({
    speaker,
    fieldReaders,
    call = (stdin) => stdin,
    nameField = 'hook_event_name',
    sessionOf = ({ session_id }) => session_id,
    cwdOf = ({ cwd }) => cwd,
    agentOf = ({ agent_id }, name) => (name.startsWith('Subagent') ? undefined : agent_id),
    tools,
  }: ClientReading): Client['read'] =>
  (native, stdin) => {
    const { event, name } = native
    if (event === undefined)
      return { wrong: `${name} has no counterpart here: ${native.note ?? 'hookgate has no such event'}.` }
    if (!isObject(stdin)) return { wrong: `Expected one JSON object on stdin, got ${got(stdin)}.` }
    const named = stdin[nameField]
    if (isNonNull(named) && named !== name)
      return {
        wrong: `Expected "${nameField}" to be "${name}", got ${got(named)}; name the same event in the bridge's command.`,
      }
    const session = sessionOf(stdin)
    if (typeof session !== 'string' || session === '')
      return { wrong: `Expected "session_id" to be a name, got ${got(session)}.` }
    let tool: OptionalFields = {}
    if (tools.includes(name)) {
      const { tool_name, tool_input, tool_use_id } = call(stdin, name)
      const wrong = callFlaw({ tool_name, tool_input })
      if (wrong !== undefined) return { wrong }
      const ours = fromNative(speaker, { name: textOrEmpty(tool_name), input: tool_input ?? {} })
      tool = { tool_name: ours.name, tool_input: ours.input, tool_use_id }
    }
    const fields = (fieldReaders[name] ?? fieldReaders[event])?.(stdin) ?? {}
    if (typeof fields['nothing'] === 'string') return { nothing: fields['nothing'] }
    const agent = agentOf(stdin, name)
    return {
      event,
      session_id: session,
      cwd: textOrEmpty(cwdOf(stdin)),
      fields: nonNullFields({ ...tool, ...fields }),
      agent_id: typeof agent === 'string' && agent !== '' ? agent : undefined,
    }
  }

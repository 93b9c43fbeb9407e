import type { JsonObject } from '../../core/model/base/json.ts'
import { type EventName, contractOf } from '../../core/model/events/event.ts'
import { type Payload, payloadOf } from '../../core/model/events/payload.ts'

/** A payload with the samples of the event table. doctor and dry runs show it to a hook. */
export const syntheticPayload = (event: EventName, cwd: string, now: Date): Payload =>
  payloadOf(
    event,
    {
      event_id: 'synthetic',
      timestamp: now.toISOString(),
      session_id: 'synthetic',
      agent_id: 'doctor',
      cwd,
    },
    contractOf(event).fields,
  )

const sampleTools: readonly { readonly tool_name: string; readonly tool_input: JsonObject }[] = [
  { tool_name: 'write_file', tool_input: { path: 'notes.txt', content: 'hello' } },
  { tool_name: 'edit_file', tool_input: { path: 'notes.txt', old_text: 'hello', new_text: 'good morning' } },
  { tool_name: 'read_file', tool_input: { path: 'notes.txt' } },
  { tool_name: 'fetch', tool_input: { url: 'https://example.com/' } },
  { tool_name: 'mcp__server__tool', tool_input: {} },
]

/**
 * The sample and, for an event about a tool, one sample for each of several other tools: a hook may handle
 * only one of them.
 */
export const syntheticPayloads = (
  event: EventName,
  cwd: string,
  now: Date,
): readonly [Payload, ...Payload[]] => {
  const first = syntheticPayload(event, cwd, now)
  return 'tool_name' in contractOf(event).fields
    ? [first, ...sampleTools.map((tool) => ({ ...first, ...tool }))]
    : [first]
}

/** The fields that a payload of any event may have. */
export const baseFields: readonly string[] = [
  'event',
  'event_id',
  'timestamp',
  'session_id',
  'agent_id',
  'cwd',
  'attempt',
  'parent_session_id',
]

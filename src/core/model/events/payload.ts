import { contractOf, type EventName } from './event.ts'
import type { Json, JsonObject } from '../base/json.ts'

/**
 * One event as hooks see it: the base fields of every payload and the event's own fields. Timestamps are ISO
 * 8601.
 */
export interface Payload {
  readonly event: EventName
  readonly event_id: string
  readonly timestamp: string
  readonly session_id: string
  readonly agent_id: string
  readonly cwd: string
  readonly attempt: number
  readonly [field: string]: Json
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

export type Base = Pick<Payload, 'event_id' | 'timestamp' | 'session_id' | 'agent_id' | 'cwd'>

export const payloadOf = (event: EventName, base: Base, fields: JsonObject): Payload => ({
  ...fields,
  ...base,
  event,
  attempt: 1,
})

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

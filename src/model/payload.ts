import { contractOf, type EventName } from './event.ts'
import type { Json, JsonObject } from './json.ts'

/** One event as hooks see it: the base fields of every payload and the event's own. Timestamps are ISO 8601. */
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

export type Base = Pick<Payload, 'event_id' | 'timestamp' | 'session_id' | 'agent_id' | 'cwd'>

export const payloadOf = (event: EventName, base: Base, fields: JsonObject): Payload => ({
  ...fields,
  ...base,
  event,
  attempt: 1,
})

/** A payload with every field filled in from the table's samples: what doctor and dry runs show a hook. */
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

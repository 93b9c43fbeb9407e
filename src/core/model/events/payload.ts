import type { EventName } from './event.ts'
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

export type Base = Pick<Payload, 'event_id' | 'timestamp' | 'session_id' | 'agent_id' | 'cwd'>

export const payloadOf = (event: EventName, base: Base, fields: JsonObject): Payload => ({
  ...fields,
  ...base,
  event,
  attempt: 1,
})

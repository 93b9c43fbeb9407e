import { setTimeout as delay } from 'node:timers/promises'
import type { EventName } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import type { Address } from '../model/push.ts'
import type { GateClient, Ruling } from './client.ts'

/** How long the end of a turn is told again to a gate that did not take it. */
const endRetriesMs = [200, 1_000, 3_000]

export interface Whereabouts extends Address {
  readonly session_id: string
  readonly cwd: string
  readonly prompt_id?: string
}

/** One turn's way to the gate: its events and its messages to the person. */
export interface Reporter {
  fire(event: EventName, fields: JsonObject, signal?: AbortSignal): Promise<Ruling>
  /** Fires an event that something waits for, more than once if the gate is away. */
  fireSurely(event: EventName, fields: JsonObject): Promise<void>
  /** Says something to the person. A message that was withheld or refused is told about once, never about that again. */
  tell(text: string, signal?: AbortSignal): Promise<void>
}

export const createReporter = (client: GateClient, where: Whereabouts): Reporter => {
  const { channel, chat_id, session_id, cwd, prompt_id } = where
  const base: JsonObject = { session_id, cwd, channel, chat_id, ...(prompt_id !== undefined && { prompt_id }) }
  const fire: Reporter['fire'] = (event, fields, signal) => client.fire(event, { ...fields, ...base }, signal)

  const fireSurely: Reporter['fireSurely'] = async (event, fields) => {
    let ruling = await fire(event, fields)
    for (const afterMs of endRetriesMs) {
      if (!ruling.isAway) return
      await delay(afterMs)
      ruling = await fire(event, fields)
    }
  }

  const tell: Reporter['tell'] = async (text, signal) => {
    const { outcome, reason } = await client.push({ channel, chat_id, session_id, text }, signal)
    if (outcome !== 'withheld' && outcome !== 'refused') return
    await client.push({ channel, chat_id, session_id, text: outcome === 'withheld' ? `My message was withheld: ${reason}` : `I could not say that: ${reason}` }, signal)
  }

  return { fire, fireSurely, tell }
}

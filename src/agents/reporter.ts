import { setTimeout as delay } from 'node:timers/promises'
import type { EventName } from '../model/events/event.ts'
import type { JsonObject } from '../model/base/json.ts'
import type { Address } from '../model/chat/push.ts'
import type { FireOptions, GateClient, PushResult, Ruling, PushFields } from './client.ts'

/** How long the end of a turn is told again to a gate that did not take it. */
const endRetriesMs = [200, 1_000, 3_000]

export interface Whereabouts extends Address {
  readonly session_id: string
  readonly cwd: string
  readonly prompt_id?: string
  readonly parent_session_id?: string
}

/** One turn's way to the gate: its events and its messages to the person. */
export interface Reporter {
  /** The session, folder, chat and message that its events bear. */
  readonly where: JsonObject
  /** The way of a session that this one started. */
  within(session_id: string): Reporter
  /** The way of another message of the person that the same turn is about. */
  about(prompt_id: string): Reporter
  fire(event: EventName, fields: JsonObject, signal?: AbortSignal, options?: FireOptions): Promise<Ruling>
  /** Fires an event that something waits for, more than once if the gate is away. */
  fireSurely(event: EventName, fields: JsonObject): Promise<void>
  /** Sends something of any form to the chat, and says what became of it. */
  push(said: PushFields, signal?: AbortSignal): Promise<PushResult>
  /**
   * Says something to the person. A message that was withheld or refused is told about once, never about that again.
   * Resolves with what the message can be named by, or undefined when it did not go out.
   */
  tell(said: string | PushFields, signal?: AbortSignal): Promise<string | undefined>
  /** Says that something went wrong with the agent itself. */
  tellError(text: string, signal?: AbortSignal): Promise<void>
}

export const createReporter = (client: GateClient, where: Whereabouts): Reporter => {
  const { channel, chat_id, session_id, cwd, prompt_id, parent_session_id } = where
  const base: JsonObject = {
    session_id,
    cwd,
    channel,
    chat_id,
    ...(prompt_id !== undefined && { prompt_id }),
    ...(parent_session_id !== undefined && { parent_session_id }),
  }
  const fire: Reporter['fire'] = (event, fields, signal, options) =>
    client.fire(event, { ...fields, ...base }, signal, options)

  const fireSurely: Reporter['fireSurely'] = async (event, fields) => {
    let ruling = await fire(event, fields)
    for (const afterMs of endRetriesMs) {
      if (!ruling.isAway) return
      await delay(afterMs)
      ruling = await fire(event, fields)
    }
  }

  const push: Reporter['push'] = (said, signal) =>
    client.push({ ...said, channel, chat_id, session_id }, signal)

  const say = async (said: PushFields, signal?: AbortSignal): Promise<string | undefined> => {
    const { outcome, reason, push_id } = await push(said, signal)
    if (outcome === 'delivered' || outcome === 'queued') return push_id
    if (outcome !== 'withheld' && outcome !== 'refused') return undefined
    await push(
      {
        type: 'error',
        text:
          outcome === 'withheld' ? `My message was withheld: ${reason}` : `I could not say that: ${reason}`,
      },
      signal,
    )
    return undefined
  }

  const tellError: Reporter['tellError'] = async (text, signal) => {
    await say({ type: 'error', text }, signal)
  }

  return {
    where: base,
    within: (id) => createReporter(client, { ...where, session_id: id, parent_session_id: session_id }),
    about: (id) => createReporter(client, { ...where, prompt_id: id }),
    fire,
    fireSurely,
    push,
    tell: (said, signal) => say(typeof said === 'string' ? { type: 'text', text: said } : said, signal),
    tellError,
  }
}

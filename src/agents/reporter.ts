import { setTimeout as delay } from 'node:timers/promises'
import type { EventName } from '../core/model/events/event.ts'
import type { JsonObject } from '../core/model/base/json.ts'
import type { Address } from '../core/model/chat/push.ts'
import type { FireOptions, GateClient, PushResult, Ruling, PushFields } from './client.ts'

/** The waits between attempts to report an event to a gate that cannot be reached, in milliseconds. */
const endRetriesMs = [200, 1_000, 3_000]

export interface ReportContext extends Address {
  readonly session_id: string
  readonly cwd: string
  readonly prompt_id?: string
  readonly parent_session_id?: string
}

/** What became of an answer. `withheldFor`: the reason of a hook. Without id and reason it was not sent. */
export interface Offered {
  readonly id?: string
  readonly withheldFor?: string
}

/** Sends the events and messages of one turn to the gate. */
export interface Reporter {
  /** The session, folder, chat and message that its events name. */
  readonly where: JsonObject
  /** Returns a reporter for a session that this one started. */
  within(session_id: string): Reporter
  /** Returns a reporter for another message of the person in the same turn. */
  about(prompt_id: string): Reporter
  fire(event: EventName, fields: JsonObject, signal?: AbortSignal, options?: FireOptions): Promise<Ruling>
  /** Fires an event that the gate waits for. It tries again when the gate cannot be reached. */
  fireSurely(event: EventName, fields: JsonObject): Promise<void>
  /** Sends a message of any type to the chat and returns its outcome. */
  push(message: PushFields, signal?: AbortSignal): Promise<PushResult>
  /**
   * Sends a message to the person. If it was withheld or refused, the person is told the reason once.
   * Resolves with the id of the message, or with undefined when it was not sent.
   */
  tell(message: string | PushFields, signal?: AbortSignal): Promise<string | undefined>
  /** The same for an answer that the agent can write again. The person is not told that it was withheld. */
  offer(message: string | PushFields, signal?: AbortSignal): Promise<Offered>
  /** Tells the person that the agent itself failed. */
  tellError(text: string, signal?: AbortSignal): Promise<void>
}

export const createReporter = (client: GateClient, where: ReportContext): Reporter => {
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

  const push: Reporter['push'] = (message, signal) =>
    client.push({ ...message, channel, chat_id, session_id }, signal)

  const fieldsOf = (message: string | PushFields): PushFields =>
    typeof message === 'string' ? { type: 'text', text: message } : message

  const say = async (
    message: PushFields,
    signal: AbortSignal | undefined,
    isOffer = false,
  ): Promise<Offered> => {
    const { outcome, reason, push_id, isTold } = await push(message, signal)
    if (outcome === 'delivered' || outcome === 'queued') return { id: push_id }
    if (outcome === 'withheld' && isOffer) return { withheldFor: reason }
    if ((outcome !== 'withheld' && outcome !== 'refused') || isTold) return {}
    await push(
      {
        type: 'error',
        text:
          outcome === 'withheld' ? `My message was withheld: ${reason}` : `My message was refused: ${reason}`,
      },
      signal,
    )
    return {}
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
    tell: async (message, signal) => (await say(fieldsOf(message), signal)).id,
    offer: (message, signal) => say(fieldsOf(message), signal, true),
    tellError,
  }
}

/** Reports a failure of the agent to hooks and to the person. */
const explain = async (reporter: Reporter, error: unknown): Promise<void> => {
  const { message, name, stack = '' } = error instanceof Error ? error : new Error(String(error))
  await reporter.fire('on_error', { error: { message, name, stack } })
  await reporter.fire('on_notification', { level: 'error', message })
  // The message of a model's fault already says what to do.
  await reporter.tellError(
    name === 'ModelFault' ? message : `Sorry, something went wrong: ${message}. You can write to me again.`,
  )
}

/** Tells that the person stopped the work, or why it failed. Returns how it ended. */
export const endFailed = async (
  reporter: Reporter,
  error: unknown,
  signal: AbortSignal,
): Promise<'canceled' | 'error'> => {
  await (signal.aborted ? reporter.tell('Stopped.') : explain(reporter, error))
  return signal.aborted ? 'canceled' : 'error'
}

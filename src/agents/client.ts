import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { buffer as readBytes, text as readText } from 'node:stream/consumers'
import { contractOf, type EventName } from '../core/model/events/event.ts'
import { Agent, ask as httpAsk } from '../shared/base/http.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../core/model/base/json.ts'
import { refusalIn } from '../shared/base/problem.ts'
import type { PushType } from '../core/model/chat/content.ts'
import type { Address, AgentPush } from '../core/model/chat/push.ts'

/** The timeout is longer than the gate's longest event (600 s), so that the gate answers first. */
const answerTimeoutMs = 630_000

/**
 * How long a tool call waits for a person's answer, in milliseconds. The time that the gate's hooks take
 * before is part of it.
 */
const askMs = 600_000
const askingPaths: readonly string[] = [
  '/v1/events/pre_tool_call',
  '/v1/events/on_permission_request',
  '/v1/events/on_user_input',
]

/** A gate that was judging for so long was probably waiting for a person, in milliseconds. */
const personMs = 1000
/** The time between two attempts to reach a gate that is away, in milliseconds. */
const againMs = 250

/** The gate's verdict on one event, in the form that an agent uses. */
export interface Ruling {
  readonly verdict: 'allow' | 'ask' | 'block'
  /** The reason for the person. Empty when there is none. */
  readonly reason: string
  /** The event's fields after all rewrites. */
  readonly payload: JsonObject
  /** The text for the model. Empty when there is none. */
  readonly context: string
  /** True when a hook asked that the turn end here. */
  readonly stopsTurn: boolean
  /** True when hookgate told the person in this chat of the block, with its reason. */
  readonly isTold: boolean
  /** True when the gate gave no verdict at all. */
  readonly isAway: boolean
}

export interface PushResult {
  /**
   * The gate's outcome, or `refused` when the gate refused the request, or `failed` when it cannot be
   * reached.
   */
  readonly outcome: string
  readonly reason: string
  /** The id that names the message later. */
  readonly push_id: string
  /** The id of the conversation that the message created. */
  readonly chat_id?: string
  /** True when hookgate told the person in this chat why the message was withheld. */
  readonly isTold?: boolean
}

/** The content of a message of any type. The default type is text. */
export interface PushFields extends Partial<
  Pick<AgentPush, 'marks' | 'parts' | 'files' | 'target' | 'push_id'>
> {
  readonly type?: PushType
  readonly text?: string
}

export interface Outgoing extends Address, PushFields {
  readonly session_id: string
}

export interface FireOptions {
  /**
   * True when the gate must not ask a person now. When a person has to decide, the verdict is `ask`, and the
   * caller asks with an event of its own.
   */
  readonly leavesOpen?: boolean
}

export interface GateClient {
  /**
   * Sends an event to the gate. Rejects only when `signal` aborts. If there is no verdict, an event that
   * hooks can block or rewrite counts as blocked.
   */
  fire(event: EventName, body: JsonObject, signal?: AbortSignal, options?: FireOptions): Promise<Ruling>
  push(message: Outgoing, signal?: AbortSignal): Promise<PushResult>
  /** Returns the bytes of a file of the current prompt. Rejects with the gate's error text. */
  file(id: string): Promise<Uint8Array>
}

const away = 'the gate cannot be reached'
const unstored = 'the gate could not store it'
const busy = 'the gate answers too many other requests'
/** How long a request is made again for which the gate had no room, and the time between two tries. */
const roomWithinMs = 60_000
const roomAgainMs = 200
/** How long a push is sent again that the gate could not store, and the time between two tries. */
const storedWithinMs = 30_000
const storeAgainMs = 500

const wordsOf = ({ message, fix }: { readonly message: string; readonly fix: string }): string =>
  `${message} ${fix}`

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Asks again as long as the answer is `why`, until `endMs` by the monotonic clock. */
const askAgain = async (
  ask: () => Promise<JsonObject | string>,
  first: JsonObject | string,
  { why, everyMs, endMs }: { readonly why: string; readonly everyMs: number; readonly endMs: number },
  signal: AbortSignal | undefined,
): Promise<JsonObject | string> => {
  let answer = first
  while (answer === why && performance.now() < endMs) {
    await delay(everyMs, undefined, { signal })
    answer = await ask()
  }
  return answer
}

/**
 * A gate that was killed or stopped while a person was asked stores the question. So a call that waited is
 * sent again until the gate is back, within the time that it waits for a person.
 */
const untilBack = async (
  ask: () => Promise<JsonObject | string>,
  signal: AbortSignal | undefined,
): Promise<JsonObject | string> => {
  const startedAtMs = performance.now()
  const first = await ask()
  if (performance.now() - startedAtMs < personMs) return first
  return askAgain(ask, first, { why: away, everyMs: againMs, endMs: startedAtMs + askMs }, signal)
}

/** Sends a push again that was not stored. It has the same id, so it cannot leave twice. */
const untilStored = async (
  ask: () => Promise<JsonObject | string>,
  signal: AbortSignal | undefined,
): Promise<JsonObject | string> => {
  const endMs = performance.now() + storedWithinMs
  return askAgain(ask, await ask(), { why: unstored, everyMs: storeAgainMs, endMs }, signal)
}

/** The object in an answer of the gate. Empty for anything else. */
const bodyOf = async (response: IncomingMessage): Promise<JsonObject> => {
  const value = parseJson(await readText(response))
  return isObject(value) ? value : {}
}

/** `hostKey`: the gate keeps room for the requests that have it. The gate gives it to its own host alone. */
export const createGateClient = (socketPath: string, hostKey?: string): GateClient => {
  const agent = new Agent({ keepAlive: true })

  const send = (
    path: string,
    data: string | undefined,
    signal?: AbortSignal,
    leavesOpen = false,
  ): Promise<IncomingMessage> => {
    const asks = data !== undefined && askingPaths.includes(path) && !leavesOpen
    const headers = {
      ...(hostKey === undefined ? {} : { 'x-hookgate-host': hostKey }),
      ...(asks ? { 'x-hookgate-ask-ms': askMs } : {}),
    }
    return httpAsk({ socketPath, agent, path, headers, timeout: answerTimeoutMs, signal }, data)
  }

  /** Returns the answer, or the reason why there is none. */
  const askOnce = async (
    path: string,
    body: object,
    signal?: AbortSignal,
    leavesOpen?: boolean,
  ): Promise<JsonObject | string> => {
    try {
      const response = await send(path, JSON.stringify(body), signal, leavesOpen)
      const answer = await bodyOf(response)
      if (response.statusCode === 200) return answer
      const refusal = refusalIn(answer)
      if (refusal?.code === 'gate.stopping') return away
      if (refusal?.code === 'push.disk') return unstored
      if (refusal?.code === 'busy') return busy
      return `the gate refused the request: ${refusal === undefined ? response.statusCode : wordsOf(refusal)}`
    } catch {
      signal?.throwIfAborted()
      return away
    }
  }

  const ask: typeof askOnce = (path, body, signal, leavesOpen) => {
    const once = async (): Promise<JsonObject | string> => {
      const again = { why: busy, everyMs: roomAgainMs, endMs: performance.now() + roomWithinMs }
      const tried = (): Promise<JsonObject | string> => askOnce(path, body, signal, leavesOpen)
      return askAgain(tried, await tried(), again, signal)
    }
    return askingPaths.includes(path) && leavesOpen !== true ? untilBack(once, signal) : once()
  }

  const fire: GateClient['fire'] = async (event, body, signal, { leavesOpen } = {}) => {
    const answer = await ask(`/v1/events/${event}`, body, signal, leavesOpen)
    const verdict = typeof answer === 'string' ? undefined : answer['verdict']
    if (typeof answer !== 'string' && (verdict === 'allow' || verdict === 'ask' || verdict === 'block')) {
      const payload = answer['payload']
      return {
        verdict,
        reason: textOf(answer['reason']),
        payload: isObject(payload) ? payload : body,
        context: textOf(answer['context']),
        stopsTurn: answer['stop_turn'] === true,
        isTold: answer['told'] === true,
        isAway: false,
      }
    }
    // An event whose fields hooks can rewrite is blocked as well. Otherwise a text that a hook would have
    // removed would stay.
    const { gate, rewrite } = contractOf(event)
    const isGated = gate.length + rewrite.length > 0
    const reason = typeof answer === 'string' ? answer : 'the gate gave no verdict'
    return {
      verdict: isGated ? 'block' : 'allow',
      reason,
      payload: body,
      context: '',
      stopsTurn: false,
      isTold: false,
      isAway: true,
    }
  }

  const push = async (message: Outgoing, signal?: AbortSignal): Promise<PushResult> => {
    const { push_id = randomUUID(), files, ...rest } = message
    const body = {
      ...rest,
      push_id,
      files: files?.map(({ name, type, bytes }) => ({
        name,
        type,
        base64: Buffer.from(bytes).toString('base64'),
      })),
    }
    const answer = await untilStored(() => ask('/v1/push', body, signal), signal)
    if (typeof answer === 'string')
      return { outcome: answer === away ? 'failed' : 'refused', reason: answer, push_id }
    const chat_id = answer['chat_id']
    return {
      outcome: textOf(answer['outcome']),
      reason: textOf(answer['reason']),
      push_id,
      isTold: answer['told'] === true,
      chat_id: typeof chat_id === 'string' ? chat_id : undefined,
    }
  }

  const file = async (id: string): Promise<Uint8Array> => {
    const response = await send(`/v1/files/${encodeURIComponent(id)}`, undefined)
    if (response.statusCode === 200) return readBytes(response)
    const refusal = refusalIn(await bodyOf(response))
    throw new Error(refusal === undefined ? away : wordsOf(refusal))
  }

  return { fire, push, file }
}

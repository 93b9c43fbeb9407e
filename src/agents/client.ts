import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { buffer as readBytes, json as readJson } from 'node:stream/consumers'
import { contractOf, type EventName } from '../model/events/event.ts'
import { Agent, request as httpRequest } from '../model/base/http.ts'
import { isObject, type Json, type JsonObject } from '../model/base/json.ts'
import type { PushType } from '../model/chat/content.ts'
import type { Address, AgentPush } from '../model/chat/push.ts'

/** Longer than the longest event of the gate (600 s), so that the gate's answer comes first. */
const answerTimeoutMs = 630_000

/** So long a tool call waits for a person's word, in milliseconds: the gate's hooks before it come out of this. */
const askMs = 600_000
const asksAt: readonly string[] = ['/v1/events/pre_tool_call', '/v1/events/on_permission_request']

/** The gate's verdict on one event, as an agent uses it. */
export interface Ruling {
  readonly verdict: 'allow' | 'ask' | 'block'
  /** For the person; empty where nothing was said. */
  readonly reason: string
  /** The fields as they settled. */
  readonly payload: JsonObject
  /** For the model; empty where nothing was said. */
  readonly context: string
  /** A hook asked that the turn end here. */
  readonly stopsTurn: boolean
  /** True when the gate gave no verdict at all. */
  readonly isAway: boolean
}

export interface PushResult {
  /** The gate's word, or `refused` when it took no such message, or `failed` when it is away. */
  readonly outcome: string
  readonly reason: string
  /** What the message can be named by later. */
  readonly push_id: string
  /** Of the conversation that came to be by it. */
  readonly chat_id?: string
}

/** What can be said, in any form; without more it is words. */
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
  /** Nobody is asked now: where a person has to say, the answer is `ask`, and the caller asks in its own event. */
  readonly leavesOpen?: boolean
}

export interface GateClient {
  /** Asks the gate. Rejects only when `signal` aborts: a gate that gives no verdict is a block wherever one counts. */
  fire(event: EventName, body: JsonObject, signal?: AbortSignal, options?: FireOptions): Promise<Ruling>
  push(message: Outgoing, signal?: AbortSignal): Promise<PushResult>
  /** The bytes of a file of the prompt that is being worked on. Rejects with the gate's words. */
  file(id: string): Promise<Uint8Array>
}

interface GateResponse {
  readonly status: number
  readonly body: JsonObject
}

const away = 'the gate is away'

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export const createGateClient = (socketPath: string): GateClient => {
  const agent = new Agent({ keepAlive: true })

  const send = (
    path: string,
    data: string | undefined,
    signal?: AbortSignal,
    leavesOpen = false,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const how =
        data === undefined
          ? { method: 'GET' }
          : {
              method: 'POST',
              headers: {
                'content-type': 'application/json',
                'content-length': Buffer.byteLength(data),
                ...(asksAt.includes(path) && !leavesOpen && { 'x-hookgate-ask-ms': askMs }),
              },
            }
      const request = httpRequest({
        socketPath,
        agent,
        path,
        ...how,
        timeout: answerTimeoutMs,
        ...(signal && { signal }),
      })
      request.on('timeout', () => request.destroy(new Error('no answer in time')))
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection that the gate closed at the same moment says nothing about the gate: again, on another one.
        if (request.reusedSocket && error.code === 'ECONNRESET') resolve(send(path, data, signal, leavesOpen))
        else reject(error)
      })
      request.on('response', resolve)
      request.end(data)
    })

  const post = async (
    path: string,
    body: JsonObject,
    signal?: AbortSignal,
    leavesOpen?: boolean,
  ): Promise<GateResponse> => {
    const response = await send(path, JSON.stringify(body), signal, leavesOpen)
    const parsed = (await readJson(response)) as Json
    return { status: response.statusCode ?? 0, body: isObject(parsed) ? parsed : {} }
  }

  /** The answer, or why there is none. */
  const ask = async (
    path: string,
    body: JsonObject,
    signal?: AbortSignal,
    leavesOpen?: boolean,
  ): Promise<JsonObject | string> => {
    try {
      const answered = await post(path, body, signal, leavesOpen)
      if (answered.status === 200) return answered.body
      const error = answered.body['error']
      return `the gate refused the request: ${isObject(error) ? `${textOf(error['message'])} ${textOf(error['fix'])}` : answered.status}`
    } catch {
      signal?.throwIfAborted()
      return away
    }
  }

  const fire: GateClient['fire'] = async (event, body, signal, { leavesOpen } = {}) => {
    const said = await ask(`/v1/events/${event}`, body, signal, leavesOpen)
    const verdict = typeof said === 'string' ? undefined : said['verdict']
    if (typeof said !== 'string' && (verdict === 'allow' || verdict === 'ask' || verdict === 'block')) {
      const payload = said['payload']
      return {
        verdict,
        reason: textOf(said['reason']),
        payload: isObject(payload) ? payload : body,
        context: textOf(said['context']),
        stopsTurn: said['stop_turn'] === true,
        isAway: false,
      }
    }
    // A rewrite counts like a gate: what a hook would have taken out must not stay in because nobody asked it.
    const { gate, rewrite } = contractOf(event)
    const isGated = gate.length + rewrite.length > 0
    const reason = typeof said === 'string' ? said : 'the gate gave no verdict'
    return {
      verdict: isGated ? 'block' : 'allow',
      reason,
      payload: body,
      context: '',
      stopsTurn: false,
      isAway: true,
    }
  }

  const push = async (message: Outgoing, signal?: AbortSignal): Promise<PushResult> => {
    const { push_id = randomUUID(), marks, parts, files, ...rest } = message
    const body: JsonObject = {
      ...rest,
      push_id,
      ...(marks === undefined ? {} : { marks: marks.map((mark) => ({ ...mark })) }),
      ...(parts === undefined ? {} : { parts: parts.map((part) => ({ ...part })) }),
      ...(files === undefined
        ? {}
        : {
            files: files.map(({ name, type, bytes }) => ({
              name,
              type,
              base64: Buffer.from(bytes).toString('base64'),
            })),
          }),
    }
    const said = await ask('/v1/push', body, signal)
    if (typeof said === 'string')
      return { outcome: said === away ? 'failed' : 'refused', reason: said, push_id }
    const chat_id = said['chat_id']
    return {
      outcome: textOf(said['outcome']),
      reason: textOf(said['reason']),
      push_id,
      ...(typeof chat_id === 'string' ? { chat_id } : {}),
    }
  }

  const file = async (id: string): Promise<Uint8Array> => {
    const response = await send(`/v1/files/${encodeURIComponent(id)}`, undefined)
    if (response.statusCode === 200) return readBytes(response)
    const { error } = (await readJson(response)) as { readonly error?: Json }
    throw new Error(isObject(error) ? `${textOf(error['message'])} ${textOf(error['fix'])}` : away)
  }

  return { fire, push, file }
}

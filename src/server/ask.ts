import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, textOf } from '../shared/base/http.ts'
import { isObject, parseJson, readJson, type JsonObject } from '../core/model/base/json.ts'
import { codeOf, messageOf, ProblemError } from '../core/model/gate/problem.ts'

const maxAnswerBytes = 16 * 1024 * 1024
/** In milliseconds. It is longer than any event takes. */
const patienceMs = 630_000

export type GateAnswer = { readonly answer: string } | { readonly why: string; readonly code: 1 | 2 }

/**
 * Reads the one JSON object in a file, or on standard input for `-`. Throws a ProblemError with a message for
 * the person.
 */
export const readPayload = (from: string | undefined): JsonObject => {
  try {
    const payload = readJson(from === undefined ? '{}' : readFileSync(from === '-' ? 0 : from, 'utf8'))
    if (!isObject(payload)) throw new Error('it holds something else')
    return payload
  } catch (error) {
    throw new ProblemError({
      code: 'payload',
      message:
        'Expected --payload to name a file with one JSON object, or "-" for standard input, ' +
        `but ${messageOf(error)}.`,
      fix: 'Correct the name or the file.',
    })
  }
}

/** The time limit, in milliseconds, for a running gate to say where its hooks run. */
const worldPatienceMs = 2000

export interface Instance {
  readonly home: string
  readonly agent: string
}

/** One request over an agent's socket. */
interface GateRequest extends Instance {
  readonly path: string
  /** The JSON text to post. Absent: it is a GET. */
  readonly body?: string
  /** The events whose hooks caused this one. */
  readonly chain?: readonly string[]
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** The words for a person whose gate does not answer, or whose user may not ask it. */
export const unreachable = (error: unknown, agent: string): string => {
  const isForbidden = codeOf(error) === 'EACCES'
  const named = agent === 'main' ? '' : `, and is "${agent}" an agent of its gate.yaml`
  const fix = isForbidden
    ? `Only the user of the gate and the user of the agent "${agent}" may ask there: run it as one of them.`
    : `Is "hookgate start" running with this HOOKGATE_HOME${named}?`
  return `hookgate cannot be reached (${messageOf(error)}). ${fix}`
}

/** Sends one request to the running gate. Rejects when it cannot be reached or does not answer in time. */
export const sendToGate = async ({
  home,
  agent,
  path,
  body,
  chain = [],
  timeoutMs = patienceMs,
  signal,
}: GateRequest): Promise<{ readonly status: number; readonly text: string }> => {
  const socketPath = join(home, 'run', `${agent}.sock`)
  const headers = chain.length === 0 ? {} : { 'x-hookgate-chain': chain.join(',') }
  const answer = await ask({ socketPath, path, timeout: timeoutMs, signal, headers }, body)
  return { status: answer.statusCode ?? 0, text: (await textOf(answer, maxAnswerBytes)).trim() }
}

/** Asks the running gate where its hooks run. Returns undefined when no gate answers. */
export const askWorld = async ({ home, agent }: Instance): Promise<JsonObject | undefined> => {
  try {
    const asked = { home, agent, path: '/v1/world', timeoutMs: worldPatienceMs }
    const { status, text } = await sendToGate(asked)
    const body = parseJson(text)
    return status === 200 && isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

/**
 * Sends one event to the running gate over an agent's socket, with the base fields filled in. Returns the
 * answer as one line of JSON.
 */
export const askGate = async ({
  event,
  payload,
  ...to
}: Instance & {
  readonly event: string
  readonly payload: string | undefined
  readonly chain: readonly string[]
}): Promise<GateAnswer> => {
  let body: string
  try {
    body = JSON.stringify({ session_id: 'cli', cwd: process.cwd(), ...readPayload(payload) })
  } catch (error) {
    return { code: 1, why: messageOf(error) }
  }
  try {
    const { status, text } = await sendToGate({
      ...to,
      path: `/v1/events/${encodeURIComponent(event)}`,
      body,
    })
    return status === 200 ? { answer: text } : { code: 1, why: text }
  } catch (error) {
    return { code: 2, why: unreachable(error, to.agent) }
  }
}

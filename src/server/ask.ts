import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { isObject, type JsonObject } from '../model/base/json.ts'
import { messageOf, ProblemError } from '../model/gate/problem.ts'

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
    const payload: unknown = JSON.parse(
      from === undefined ? '{}' : readFileSync(from === '-' ? 0 : from, 'utf8'),
    )
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

type Instance = Readonly<Record<'home' | 'agent', string>>

/** Asks the running gate where its hooks run. Returns undefined when no gate answers. */
export const askWorld = (options: Instance): Promise<JsonObject | undefined> => {
  const { promise, resolve } = Promise.withResolvers<JsonObject | undefined>()
  const socketPath = join(options.home, 'run', `${options.agent}.sock`)
  const sent = request({ socketPath, path: '/v1/world', timeout: worldPatienceMs }, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      if (text.length > maxAnswerBytes) sent.destroy()
    })
    response.on('end', () => {
      try {
        const body: unknown = JSON.parse(text)
        resolve(response.statusCode === 200 && isObject(body) ? body : undefined)
      } catch {
        resolve(undefined)
      }
    })
  })
  sent.on('timeout', () => sent.destroy())
  sent.on('error', () => resolve(undefined))
  sent.on('close', () => resolve(undefined))
  sent.end()
  return promise
}

/**
 * Sends one event to the running gate over an agent's socket, with the base fields filled in. Returns the
 * answer as one line of JSON.
 */
export const askGate = (options: {
  home: string
  agent: string
  event: string
  payload: string | undefined
  chain: readonly string[]
}): Promise<GateAnswer> => {
  let body: string
  try {
    body = JSON.stringify({ session_id: 'cli', cwd: process.cwd(), ...readPayload(options.payload) })
  } catch (error) {
    return Promise.resolve({ code: 1, why: messageOf(error) })
  }
  const { promise, resolve } = Promise.withResolvers<GateAnswer>()
  const unreachable = (error: Error): void =>
    resolve({
      code: 2,
      why: `hookgate cannot be reached (${error.message}). Is "hookgate start" running with this HOOKGATE_HOME?`,
    })
  const sent = request(
    {
      socketPath: join(options.home, 'run', `${options.agent}.sock`),
      method: 'POST',
      path: `/v1/events/${encodeURIComponent(options.event)}`,
      timeout: patienceMs,
      headers: {
        'content-type': 'application/json',
        ...(options.chain.length === 0 ? {} : { 'x-hookgate-chain': options.chain.join(',') }),
      },
    },
    (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxAnswerBytes) sent.destroy(new Error('its answer is too large'))
      })
      response.on('end', () =>
        resolve(response.statusCode === 200 ? { answer: text.trim() } : { code: 1, why: text.trim() }),
      )
    },
  )
  sent.on('timeout', () => sent.destroy(new Error('it did not answer in time')))
  sent.on('error', unreachable)
  sent.end(body)
  return promise
}

import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { isObject, parseJson, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { killGroup } from '../../shared/base/process-group.ts'
import { messageOf } from '../../core/model/gate/problem.ts'
import { canaryWords, type Reach } from './client.ts'

const patienceMs = 20_000
const maxChars = 100_000

/**
 * The words of whoever answered, for a terminal. It need not be the gate, so they must give no command to the
 * terminal and begin no line that looks like one of hookgate.
 */
const legible = (words: string): string =>
  words
    .slice(0, 300)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

/** The result of a tool call that the gate refuses whatever hooks answer. */
export type Canary =
  | { readonly kind: 'denied' }
  | { readonly kind: 'away'; readonly output: string }
  | { readonly kind: 'passed'; readonly output: string }

const runCommand = (command: string, payload: JsonObject): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  let out = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out = (out + chunk).slice(0, maxChars)))
  child.stderr
    .setEncoding('utf8')
    .on('data', (chunk: string) => (errors = (errors + chunk).slice(0, maxChars)))
  const timer = setTimeout(() => {
    killGroup(child.pid)
    reject(new Error(`no answer within ${patienceMs / 1000} s`))
  }, patienceMs)
  child.on('error', reject)
  child.on('close', (code) => {
    clearTimeout(timer)
    if (code === 0) resolve(out)
    else reject(new Error(errors.trim().split('\n').at(-1) || `it ended with ${code}`))
  })
  // The command may end before it has read its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(payload))
  return promise
}

/** Does not use `fetch`, which marks its requests as those of a web page. The gate refuses web pages. */
const askHttp = (
  url: string,
  headers: Readonly<Record<string, string>>,
  payload: JsonObject,
): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const sent = request(
    url,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(patienceMs),
    },
    (response) => {
      let output = ''
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (output = (output + chunk).slice(0, maxChars)))
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(output)
          : reject(new Error(`it answered ${response.statusCode}`)),
      )
    },
  )
  sent.on('error', reject)
  sent.end(JSON.stringify(payload))
  return promise
}

export const at = (value: Json, path: readonly string[]): Json =>
  path.reduce<Json>((inner, key) => (isObject(inner) ? (inner[key] ?? null) : null), value)

/**
 * Runs an entry as its client would, with a call of the tool that the gate always refuses, and checks that it
 * is refused.
 */
export const tryCanary = async (
  reach: Reach,
  payload: JsonObject,
  denial: readonly string[],
): Promise<Canary> => {
  let output
  try {
    output = await (reach.kind === 'http'
      ? askHttp(reach.url, reach.headers, payload)
      : runCommand(reach.command, payload))
  } catch (error) {
    return { kind: 'away', output: legible(messageOf(error)) }
  }
  const answer = parseJson(output) ?? null
  const word = at(answer, denial)
  const isDenied =
    word === 'deny' || word === 'block' || (denial.at(-1) === 'deny' && typeof word === 'string')
  if (!isDenied) return { kind: 'passed', output: legible(output) }
  // A bridge without a gate refuses too. Only the gate gives this reason.
  return output.includes(canaryWords) ? { kind: 'denied' } : { kind: 'away', output: legible(output) }
}

import { ask, textOf } from '../../shared/base/http.ts'
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

const runCommand = async (command: string, payload: JsonObject): Promise<string> => {
  const { execa } = await import('execa')
  let isLate = false
  const running = execa('/bin/sh', ['-c', command], {
    input: JSON.stringify(payload),
    detached: true,
    reject: false,
  })
  // What the command started ends with it.
  const timer = setTimeout(() => {
    isLate = true
    killGroup(running.pid)
  }, patienceMs)
  const { failed, stdout, stderr, exitCode } = await running
  clearTimeout(timer)
  if (isLate) throw new Error(`no answer within ${patienceMs / 1000} s`)
  if (failed) throw new Error(stderr.trim().split('\n').at(-1) || `it ended with ${exitCode}`)
  return stdout
}

/** Does not use `fetch`, which marks its requests as those of a web page. The gate refuses web pages. */
const askHttp = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  payload: JsonObject,
): Promise<string> => {
  const { hostname: host, port, pathname: path } = new URL(url)
  const to = { host, port, path, headers, signal: AbortSignal.timeout(patienceMs) }
  const answer = await ask(to, JSON.stringify(payload))
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`)
  return await textOf(answer, maxChars)
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

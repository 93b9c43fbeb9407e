import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { isObject, parseJson, type Json, type JsonObject } from '../../model/base/json.ts'
import { messageOf } from '../../model/gate/problem.ts'
import { canaryWords, type Reach } from './client.ts'

const patienceMs = 20_000
const maxChars = 100_000

/** What became of a tool call that the gate refuses whatever hooks say. */
export type Canary =
  | { readonly kind: 'denied' }
  | { readonly kind: 'away'; readonly said: string }
  | { readonly kind: 'passed'; readonly said: string }

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
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    reject(new Error(`no answer within ${patienceMs / 1000} s`))
  }, patienceMs)
  child.on('error', reject)
  child.on('close', (code) => {
    clearTimeout(timer)
    if (code === 0) resolve(out)
    else reject(new Error(errors.trim().split('\n').at(-1) || `it ended with ${code}`))
  })
  // It may end before it has read its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(payload))
  return promise
}

/** Not by `fetch`: it marks its requests as those of a page, which have no business there. */
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
      let said = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(0, maxChars)))
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200 ? resolve(said) : reject(new Error(`it answered ${response.statusCode}`)),
      )
    },
  )
  sent.on('error', reject)
  sent.end(JSON.stringify(payload))
  return promise
}

export const at = (value: Json, path: readonly string[]): Json =>
  path.reduce<Json>((inner, key) => (isObject(inner) ? (inner[key] ?? null) : null), value)

/** Starts an entry as its client would, with a call of the tool that the gate always refuses, and looks whether it does. */
export const tryCanary = async (
  reach: Reach,
  payload: JsonObject,
  denial: readonly string[],
): Promise<Canary> => {
  let said
  try {
    said = await (reach.kind === 'http'
      ? askHttp(reach.url, reach.headers, payload)
      : runCommand(reach.command, payload))
  } catch (error) {
    return { kind: 'away', said: messageOf(error).slice(0, 300) }
  }
  const answer = parseJson(said) ?? null
  const word = at(answer, denial)
  const isDenied =
    word === 'deny' || word === 'block' || (denial.at(-1) === 'deny' && typeof word === 'string')
  if (!isDenied) return { kind: 'passed', said: said.slice(0, 300) }
  // A bridge that finds no gate refuses too; only the gate says this.
  return said.includes(canaryWords) ? { kind: 'denied' } : { kind: 'away', said: said.slice(0, 300) }
}

import type { RunResult } from '../../core/model/hooks/run-result.ts'
import { isObject, JsonFault, readJson, type JsonObject } from '../../core/model/base/json.ts'
import { memoizeEach } from '../../core/model/base/memoize.ts'
import { ProblemError, type Problem } from '../../core/model/gate/problem.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import { failedRun } from '../host/protocol.ts'
import type { ConnectorPorts } from './connector.ts'
import { fillHeaders, signHeaders, type HttpEnv } from './headers.ts'
import { createPoster, type PostResult } from './post.ts'
import { urlProblem } from './target.ts'
import type { Speech, Transport } from './transport.ts'

export interface HttpPorts extends ConnectorPorts {
  readonly speech: Speech
  readonly env: HttpEnv
  now(): number
}

const isJsonType = (contentType: string): boolean =>
  /^application\/(?:[a-z0-9.+-]+\+)?json *(;|$)/.test(contentType)

/**
 * The object in a 2xx answer, or why it is not usable, as one sentence. Its text is not quoted: a server can
 * send back what it was sent, including tokens.
 */
const readBody = (text: string, contentType: string): JsonObject | string => {
  if (contentType !== '' && !isJsonType(contentType))
    return `Its server answered with ${JSON.stringify(contentType.slice(0, 60))}. Let it answer with nothing or with one JSON object, and send "content-type: application/json".`
  try {
    const json = readJson(text)
    return isObject(json)
      ? json
      : 'Its server answered with JSON that is no object. Let it answer with {…}, or with nothing.'
  } catch (error) {
    if (error instanceof JsonFault) return error.message
    return 'Its server answered with text that is no JSON. Let it answer with nothing or with one JSON object.'
  }
}

const refused = ({ message, fix }: Problem): RunResult => failedRun('refused', `${message} ${fix}`)

/** Converts the server's answer into the result of a run. */
const toResult = (posted: PostResult, durationMs: number): RunResult => {
  if ('failure' in posted) return failedRun(posted.failure.kind, posted.failure.detail, durationMs)
  const text = posted.text.trim()
  const json = text === '' ? undefined : readBody(text, posted.contentType)
  if (typeof json !== 'string')
    return { exitCode: 0, stdout: text, json, stderr: '', isTruncated: false, durationMs }
  return failedRun(text.startsWith('{') ? 'garbled' : 'output', json, durationMs)
}

/**
 * Asks a hook that is a URL: the payload is JSON in a POST, the answer is in the body, and an empty body
 * means no opinion. The server is checked at each connection, even if the URL was fine when it was approved;
 * the text of the URL, which stays the same, at the first call.
 */
export const createHttpTransport = (ports: HttpPorts): Required<Transport> => {
  const { speech, env, now } = ports
  const poster = createPoster(ports)
  const problemOf = memoizeEach(({ entry }: ArmedHook) => urlProblem(entry.command, ports))
  return {
    ask: async (hook, payload, { timeoutMs, signal }) => {
      const startedAtMs = performance.now()
      const { command: url, headers = {}, signWith } = hook.entry
      const wrong = problemOf(hook)
      if (wrong !== undefined) return refused(wrong)
      const body = await speech.stdin(hook, payload)
      let sent: Readonly<Record<string, string>>
      try {
        sent = {
          ...fillHeaders(headers, env),
          ...(signWith === undefined
            ? {}
            : signHeaders({ name: signWith, eventId: payload.event_id, body, nowMs: now() }, env)),
        }
      } catch (error) {
        if (error instanceof ProblemError) return refused(error.problem)
        throw error
      }
      const posted = await poster.post({ url, body, timeoutMs, signal, headers: sent })
      return toResult(posted, performance.now() - startedAtMs)
    },
    // The connection of a revoked hook must not stay open. The others are opened again when needed.
    retire: poster.release,
    stop: poster.stop,
  }
}

/** What an agent asks a gate over its socket. */
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { join } from 'node:path'

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Undefined: nothing answered in time, so what became of it is unknown. */
const ask = (gate: string, path: string, body: object, withinMs: number): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    const sent = request(
      {
        socketPath: join(gate, 'run', 'main.sock'),
        method: 'POST',
        path,
        agent: false,
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(withinMs),
      },
      (response) =>
        void json(response).then(
          (read) => resolve({ status: response.statusCode ?? 0, body: read as Answer['body'] }),
          () => resolve(undefined),
        ),
    )
    sent.on('error', () => resolve(undefined))
    sent.end(JSON.stringify(body))
  })

export const pushTo = (
  gate: string,
  push: { readonly push_id: string; readonly chat_id: string; readonly text: string },
  withinMs: number,
): Promise<Answer | undefined> => ask(gate, '/v1/push', { channel: 'telegram', ...push }, withinMs)

export const fireAt = (gate: string, command: string, withinMs: number): Promise<Answer | undefined> =>
  ask(
    gate,
    '/v1/events/pre_tool_call',
    { session_id: 'a test', cwd: '/', tool_name: 'bash', tool_input: { command }, tool_use_id: 't' },
    withinMs,
  )

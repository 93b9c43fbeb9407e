import { readFileSync } from 'node:fs'
import type { ClientName } from '../../src/shared/gate/client.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/model/base/json.ts'

const files: readonly (readonly [ClientName, string])[] = [
  ['claude-code', 'claude-2.1.329'],
  ['codex', 'codex-0.169.0'],
  ['copilot', 'copilot-1.0.102-camel'],
  ['copilot', 'copilot-1.0.102-pascal'],
  ['gemini', 'gemini-0.61.0'],
  ['kimi', 'kimi-2.1.0'],
  ['opencode', 'opencode-1.18.33'],
]

export interface Captured {
  readonly client: ClientName
  readonly event: string
  readonly stdin: JsonObject
}

interface Line {
  readonly ev: string
  readonly stdin?: JsonObject
  /** OpenCode's, which has no stdin: what its plugin was given. */
  readonly input?: Json
  readonly output?: Json
}

/** Of an event of a session, only its name was kept. */
const pluginLine = (client: ClientName, { ev, input = null, output = null }: Line): Captured =>
  isObject(input)
    ? { client, event: ev, stdin: { cwd: '/w', input, output } }
    : {
        client,
        event: typeof input === 'string' ? input : '',
        stdin: { cwd: '/w', input: { sessionID: 'ses_1' }, output },
      }

/** What real clients gave their hooks, one short session each. */
export const captured: readonly Captured[] = files.flatMap(([client, file]) =>
  readFileSync(new URL(`../fixtures/native-stdin/${file}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Line)
    .map((line) =>
      line.stdin === undefined ? pluginLine(client, line) : { client, event: line.ev, stdin: line.stdin },
    ),
)

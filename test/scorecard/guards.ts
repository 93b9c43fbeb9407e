import { tmpdir } from 'node:os'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMarks } from '../../src/handlers/builtins/incoming/mark.ts'
import { createBuiltinTransport } from '../../src/handlers/transports/builtin.ts'
import type { EventName } from '../../src/core/model/events/event.ts'
import { isObject, parseJson, type JsonObject } from '../../src/core/model/base/json.ts'
import { ask as askExample } from '../examples/run-example.ts'
import { armed, eventOf } from '../handlers/armed.ts'
import type { Row } from './rows.ts'

/** What a guard said about a row. */
export interface Said {
  readonly word: 'block' | 'ask' | 'nothing'
  /** The text after the guard rewrote it. */
  readonly text: string
  readonly words: string
}

/** A guard that we ship, or shipped, and the rows that are its business. */
interface Guard {
  /** The name of a builtin, or of an example. */
  readonly name: string
  readonly event: EventName
  readonly kind: Row['kind']
  /** The corpora about what this guard is for. Rows of a corpus that no guard names go to all of the kind. */
  readonly sources?: readonly string[]
}

/** What a fresh gate proposes. Another guard is measured by one more line. */
const shipped: readonly Guard[] = [
  { name: 'guard_commands', event: 'pre_tool_call', kind: 'command' },
  { name: 'redact_secrets', event: 'on_outbound_message', kind: 'text', sources: ['gitleaks'] },
  { name: 'redact_pii', event: 'on_outbound_message', kind: 'text', sources: ['presidio'] },
  { name: 'mark_instructions', event: 'transform_tool_result', kind: 'text', sources: ['agt-injection'] },
]

/** What a fresh gate proposed about commands before `guard_commands`. */
const scripts: readonly Guard[] = [
  { name: 'block_destructive.sh', event: 'pre_tool_call', kind: 'command' },
  { name: 'ask_before_deleting.mjs', event: 'pre_tool_call', kind: 'command' },
]

const named = shipped.flatMap(({ sources = [] }) => sources)

/** The field that a guard reads and may rewrite. */
const textField = (event: EventName): 'tool_result' | 'notification' =>
  event === 'transform_tool_result' ? 'tool_result' : 'notification'

const fieldsOf = ({ event, kind }: Guard, { content }: Row): JsonObject =>
  kind === 'command'
    ? { tool_name: 'bash', tool_input: { command: content } }
    : { [textField(event)]: content, ...(event === 'transform_tool_result' ? { tool_name: 'fetch' } : {}) }

const readAnswer = ({ event }: Guard, { content }: Row, answer: JsonObject): Said => {
  const { decision, reason, systemMessage } = answer
  const after = answer[textField(event)]
  return {
    word: decision === 'block' || decision === 'ask' ? decision : 'nothing',
    text: after === undefined ? content : typeof after === 'string' ? after : JSON.stringify(after),
    words: [reason, systemMessage].filter((said) => typeof said === 'string').join(' '),
  }
}

const weight = { nothing: 0, ask: 1, block: 2 } as const

/** What several guards come to: the strictest word, and each rewrite that one of them made. */
const joined = (row: Row, said: readonly Said[]): Said => ({
  word: said.map(({ word }) => word).toSorted((a, b) => weight[b] - weight[a])[0] ?? 'nothing',
  text: said.map(({ text }) => text).find((text) => text !== row.content) ?? row.content,
  words: said.flatMap(({ words }) => (words === '' ? [] : [words])).join(' '),
})

export interface Judges {
  /** How many rows may be asked at a time. */
  readonly width: number
  /** What the guards say about a row. It is undefined when none of them is for such a row. */
  ask(row: Row): Promise<Said | undefined>
  stop(): Promise<void>
}

const cwd = '/home/me/project'
const timeoutMs = 20_000

const createJudges = (
  guards: readonly Guard[],
  width: number,
  answerOf: (guard: Guard, fields: JsonObject) => Promise<JsonObject>,
  stop: () => Promise<void>,
): Judges => {
  const guardsOf = (row: Row): readonly Guard[] =>
    guards.filter(
      ({ kind, sources = [] }) =>
        kind === row.kind && (!named.includes(row.source) || sources.includes(row.source)),
    )
  return {
    width,
    stop,
    ask: async (row) => {
      const said: Said[] = []
      for (const guard of guardsOf(row))
        said.push(readAnswer(guard, row, await answerOf(guard, fieldsOf(guard, row))))
      return said.length === 0 ? undefined : joined(row, said)
    },
  }
}

/** Asks builtins as the gate does, in this process. A builtin that cannot answer blocks, as in use. */
export const createShipped = (): Judges => {
  const transport = createBuiltinTransport({
    askHost: async () => ({ kind: 'away' }),
    workspace: cwd,
    speech: { stdin: () => '' },
    budget: { answer: () => ({}) },
    owner: { hear: () => undefined },
    marks: createMarks(),
    now: Date.now,
  })
  return createJudges(
    shipped,
    1,
    async ({ name, event }, fields) => {
      const hook = armed(name, { type: 'builtin', command: name, event, onError: 'block' })
      const run = await transport.ask(hook, { ...eventOf(event, fields), cwd }, { timeoutMs, chain: [] })
      const answer = parseJson(run.stdout)
      return run.failure === undefined && isObject(answer)
        ? answer
        : { decision: 'block', reason: `${name} failed: ${run.failure?.detail ?? run.stderr}` }
    },
    async () => {
      await transport.stop?.()
    },
  )
}

/** Asks the examples, a process for each row and guard. */
export const createScripts = (): Judges => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-scorecard-'))
  return createJudges(
    scripts,
    4,
    ({ name, event }, fields) => askExample(name, event, { ...fields, cwd }, folder),
    async () => rmSync(folder, { recursive: true }),
  )
}

type CheckCommand = (call: {
  readonly command: string
  readonly cwd: string
}) => { readonly kind: 'allow' } | { readonly kind: 'deny'; readonly reason: string }

/**
 * Asks cc-safety-net, whose package lies in `folder`, by the function that it has for other programs. It
 * wants a folder that is there. That one is empty and outside of /tmp, because it lets /tmp be deleted.
 */
export const createPeer = async (folder: string): Promise<Judges> => {
  const home = mkdtempSync('/var/tmp/hookgate-scorecard-')
  process.env['HOME'] = home
  const { checkCommand }: { checkCommand: CheckCommand } = await import(
    pathToFileURL(join(folder, 'dist/api.js')).href
  )
  return createJudges(
    [{ name: 'cc-safety-net', event: 'pre_tool_call', kind: 'command' }],
    1,
    async (_, { tool_input }): Promise<JsonObject> => {
      const command =
        isObject(tool_input) && typeof tool_input['command'] === 'string' ? tool_input['command'] : ''
      const said = checkCommand({ command, cwd: home })
      return said.kind === 'deny' ? { decision: 'block', reason: said.reason } : {}
    },
    async () => rmSync(home, { recursive: true }),
  )
}

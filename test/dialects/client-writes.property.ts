import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientEvent, CLIENTS, replyTo, type Heard } from '../../src/dialects/clients.ts'
import { GATES } from '../../src/dialects/gates.ts'
import { CLIENT_NAMES, type ClientName, type Ruled } from '../../src/shared/gate/client.ts'
import { isObject, type JsonObject } from '../../src/core/model/base/json.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'
import { heardBy } from './client-rules.ts'
import { tries } from '../tries.ts'

interface Rules extends Partial<Omit<Ruled, 'payload'>> {
  /** What else was reported. */
  readonly asked?: JsonObject
  /** What hooks changed. */
  readonly changed?: JsonObject
}

const say = (
  client: ClientName,
  name: string,
  { asked = {}, changed = {}, ...rest }: Rules = {},
): JsonObject | undefined => {
  const native = clientEvent(client, name)
  if (native?.event === undefined) throw new Error(`${client} has no event ${name}`)
  const fields = { ...syntheticPayload(native.event, '/w', new Date(0)), ...asked }
  const heard: Extract<Heard, { kind: 'report' }> = {
    kind: 'report',
    native,
    report: { event: native.event, session_id: 's', cwd: '/w', fields },
    also: [],
    stdin: {},
  }
  return replyTo(client, heard, {
    verdict: 'allow',
    isConsent: false,
    contexts: [],
    notes: [],
    ...rest,
    payload: { ...fields, ...changed },
  })
}

const no: Rules = { verdict: 'block', reason: 'no' }
const ask: Rules = { verdict: 'ask', reason: 'sure?' }
const person = 'a person has to approve this first: sure?'
const safer: Rules = { changed: { tool_input: { command: 'ls -l' } } }
const edit: Rules = {
  asked: { tool_name: 'edit_file', tool_input: { path: 'a', old_text: 'x', new_text: 'y' } },
  changed: { tool_input: { path: 'b', old_text: 'x', new_text: 'y' } },
}

const file: Rules = {
  asked: { tool_name: 'write_file', tool_input: { path: 'a', content: 'x' } },
  changed: { tool_input: { path: 'a', content: 'y' } },
}

const told: Rules = { contexts: ['c', 'd'] }
const secret: Rules = { asked: { tool_result: 'key 1' }, changed: { tool_result: '***' } }
const written: Rules = { changed: { message: 'bye' } }
const inner = (hookEventName: string, fields: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName, ...fields },
})

const denied = (name: string, why = 'no'): JsonObject =>
  inner(name, { permissionDecision: 'deny', permissionDecisionReason: why })

const block = (reason = 'no'): JsonObject => ({ decision: 'block', reason })
const instead = (client: string, input: string): string =>
  `A hook changed this call, and ${client} cannot take that over. Make it again with these arguments: ${input}`

const unchanged = (client: string): string =>
  `A hook rewrote this message, and ${client} cannot replace one. As it would be let through: bye`

type Case = readonly [
  what: string,
  client: ClientName,
  name: string,
  rules: Rules,
  printed: JsonObject | undefined,
]

const cases: readonly Case[] = [
  ['a refusal', 'codex', 'PreToolUse', no, denied('PreToolUse')],
  ['a question is a refusal', 'codex', 'PreToolUse', ask, denied('PreToolUse', person)],
  [
    'a refusal with notes, and its context left out',
    'codex',
    'PreToolUse',
    { ...no, notes: ['n'], contexts: ['c'] },
    { systemMessage: 'n', ...denied('PreToolUse') },
  ],
  ['consent is silence', 'codex', 'PreToolUse', { isConsent: true }, undefined],
  [
    'a rewrite',
    'codex',
    'PreToolUse',
    safer,
    inner('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'ls -l' } }),
  ],
  [
    'a rewrite that it would not take',
    'codex',
    'PreToolUse',
    { changed: { tool_input: { command: 7 } } },
    denied('PreToolUse', instead('Codex', '{"command":7}')),
  ],
  [
    'the end of a turn, which it cannot make here',
    'codex',
    'PreToolUse',
    { stopsTurn: true, reason: 'enough' },
    denied('PreToolUse', 'enough'),
  ],
  [
    'a given permission',
    'codex',
    'PermissionRequest',
    { isConsent: true },
    inner('PermissionRequest', { decision: { behavior: 'allow' } }),
  ],
  [
    'a permission refused for good has no word for that',
    'codex',
    'PermissionRequest',
    { ...no, stopsTurn: true },
    inner('PermissionRequest', { decision: { behavior: 'deny', message: 'no' } }),
  ],
  ['a note on a result', 'codex', 'PostToolUse', told, inner('PostToolUse', { additionalContext: 'c\n\nd' })],
  ['a new result', 'codex', 'PostToolUse', { ...secret, ...told }, block('***\n\nc\n\nd')],
  ['an empty result is a result', 'codex', 'PostToolUse', { changed: { tool_result: '' } }, block('(empty)')],
  [
    'the end of a turn',
    'codex',
    'PostToolUse',
    { stopsTurn: true, reason: 'enough' },
    { continue: false, stopReason: 'enough' },
  ],
  ['a refused message', 'codex', 'UserPromptSubmit', no, block()],
  ['a rewritten message', 'codex', 'UserPromptSubmit', written, block(unchanged('Codex'))],
  ['another round, with what it should know', 'codex', 'Stop', { ...no, ...told }, block('no\n\nc\n\nd')],
  ['another round and its end exclude each other', 'codex', 'Stop', { ...no, stopsTurn: true }, undefined],
  [
    'context for a session',
    'codex',
    'SessionStart',
    told,
    inner('SessionStart', { additionalContext: 'c\n\nd' }),
  ],

  ['a refusal', 'gemini', 'BeforeTool', no, { decision: 'deny', reason: 'no' }],
  ['a question is a refusal', 'gemini', 'BeforeTool', ask, { decision: 'deny', reason: person }],
  ['consent is silence', 'gemini', 'BeforeTool', { isConsent: true }, undefined],
  [
    'a rewrite, whole and by its names',
    'gemini',
    'BeforeTool',
    edit,
    inner('BeforeTool', { tool_input: { file_path: 'b', old_string: 'x', new_string: 'y' } }),
  ],
  [
    'a refusal that ends the turn',
    'gemini',
    'BeforeTool',
    { ...no, stopsTurn: true },
    { decision: 'deny', reason: 'no', continue: false, stopReason: 'no' },
  ],
  [
    'a note on a result, and one for the person',
    'gemini',
    'AfterTool',
    { ...told, notes: ['n'] },
    { systemMessage: 'n', ...inner('AfterTool', { additionalContext: 'c\n\nd' }) },
  ],
  ['a new result', 'gemini', 'AfterTool', secret, { decision: 'deny', reason: '***' }],
  [
    'the end of a turn',
    'gemini',
    'AfterTool',
    { stopsTurn: true, reason: 'enough' },
    { continue: false, stopReason: 'enough' },
  ],
  ['a refused model call', 'gemini', 'BeforeModel', no, { decision: 'deny', reason: 'no' }],
  [
    'context for a model call',
    'gemini',
    'BeforeModel',
    told,
    inner('BeforeModel', {
      llm_request: {
        messages: [
          { role: 'user', content: 'hello' },
          { role: 'user', content: 'c\n\nd' },
        ],
      },
    }),
  ],
  [
    'messages',
    'gemini',
    'BeforeModel',
    { changed: { messages: [{ role: 'user', content: 'x' }] } },
    inner('BeforeModel', { llm_request: { messages: [{ role: 'user', content: 'x' }] } }),
  ],
  [
    'a rewritten message',
    'gemini',
    'BeforeAgent',
    written,
    { decision: 'deny', reason: unchanged('Gemini CLI') },
  ],
  [
    'context for a message',
    'gemini',
    'BeforeAgent',
    told,
    inner('BeforeAgent', { additionalContext: 'c\n\nd' }),
  ],
  ['another round', 'gemini', 'AfterAgent', no, { decision: 'deny', reason: 'no' }],
  [
    'another round and its end exclude each other',
    'gemini',
    'AfterAgent',
    { ...no, stopsTurn: true },
    undefined,
  ],

  ['a refusal', 'kimi', 'PreToolUse', no, denied('PreToolUse')],
  ['consent is silence', 'kimi', 'PreToolUse', { isConsent: true, notes: ['n'], contexts: ['c'] }, undefined],
  [
    'a rewrite is a refusal that says what to call',
    'kimi',
    'PreToolUse',
    edit,
    denied('PreToolUse', instead('Kimi Code', '{"path":"b","old_string":"x","new_string":"y"}')),
  ],
  ['a refused message', 'kimi', 'UserPromptSubmit', no, denied('UserPromptSubmit')],
  [
    'a rewritten message',
    'kimi',
    'UserPromptSubmit',
    written,
    denied('UserPromptSubmit', unchanged('Kimi Code')),
  ],
  ['context for a message', 'kimi', 'UserPromptSubmit', told, { message: 'c\n\nd' }],
  ['notes would reach the model', 'kimi', 'UserPromptSubmit', { notes: ['n'] }, undefined],
  ['another round', 'kimi', 'Stop', no, denied('Stop')],

  ['no opinion', 'cursor', 'preToolUse', {}, { permission: 'allow' }],
  ['consent', 'cursor', 'beforeShellExecution', { isConsent: true }, { permission: 'allow' }],
  ['a refusal', 'cursor', 'preToolUse', no, { permission: 'deny', user_message: 'no', agent_message: 'no' }],
  ['a question is a refusal', 'cursor', 'beforeReadFile', ask, { permission: 'deny', user_message: person }],
  [
    'a rewrite with consent',
    'cursor',
    'preToolUse',
    { ...safer, isConsent: true },
    { permission: 'allow', updated_input: { command: 'ls -l' } },
  ],
  [
    'a rewrite without consent',
    'cursor',
    'preToolUse',
    safer,
    {
      permission: 'deny',
      user_message: instead('Cursor', '{"command":"ls -l"}'),
      agent_message: instead('Cursor', '{"command":"ls -l"}'),
    },
  ],
  [
    'a rewritten file',
    'cursor',
    'preToolUse',
    { isConsent: true, ...file },
    {
      permission: 'deny',
      user_message: instead('Cursor', '{"file_path":"a","content":"y"}'),
      agent_message: instead('Cursor', '{"file_path":"a","content":"y"}'),
    },
  ],
  [
    'a rewrite where it has no place',
    'cursor',
    'beforeShellExecution',
    safer,
    {
      permission: 'deny',
      user_message: instead('Cursor', '{"command":"ls -l"}'),
      agent_message: instead('Cursor', '{"command":"ls -l"}'),
    },
  ],
  ['a message', 'cursor', 'beforeSubmitPrompt', {}, { continue: true }],
  ['a refused message', 'cursor', 'beforeSubmitPrompt', no, { continue: false, user_message: 'no' }],
  ['a note on a result', 'cursor', 'postToolUse', { ...told, ...secret }, { additional_context: 'c\n\nd' }],
  [
    "a new result of a server's tool",
    'cursor',
    'postToolUse',
    { asked: { tool_name: 'MCP:log', tool_result: 'key' }, changed: { tool_result: '***' } },
    { updated_mcp_tool_output: '***' },
  ],
  ['another round', 'cursor', 'stop', no, { followup_message: 'no' }],
  ['a stop', 'cursor', 'stop', told, undefined],

  ['a refusal', 'opencode', 'tool.execute.before', no, { deny: 'no' }],
  [
    'a rewrite',
    'opencode',
    'tool.execute.before',
    edit,
    { args: { filePath: 'b', oldString: 'x', newString: 'y' } },
  ],
  [
    'a new result with a note',
    'opencode',
    'tool.execute.after',
    { ...secret, ...told },
    { text: '***\n\nc\n\nd' },
  ],
  ['a rewritten message', 'opencode', 'chat.message', written, { text: 'bye' }],
  ['context for a model call', 'opencode', 'system.transform', told, { context: 'c\n\nd' }],
  ['a rewritten answer', 'opencode', 'text.complete', { changed: { notification: '***' } }, { text: '***' }],
  ['a withheld answer', 'opencode', 'text.complete', no, { text: '[withheld by a hook: no]' }],
  ['another round', 'opencode', 'session.idle', no, { prompt: 'no' }],
]

describe('what each client is told', () => {
  test.each(cases)('%s (%s, %s)', (_what, client, name, rules, printed) =>
    expect(say(client, name, rules)).toEqual(printed),
  )
})

const word = fc.oneof(fc.string(), fc.constantFrom('', ' ', 'no', 'a\nb', '"', '\u0000'))
const rules = fc.record(
  {
    verdict: fc.constantFrom('allow', 'ask', 'block'),
    isConsent: fc.boolean(),
    contexts: fc.array(word, { maxLength: 2 }),
    notes: fc.array(word, { maxLength: 2 }),
    changed: fc.record(
      {
        tool_input: fc.dictionary(fc.constantFrom('command', 'path', 'cwd'), fc.oneof(word, fc.integer())),
        tool_result: word,
        message: word,
        notification: word,
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['verdict', 'isConsent', 'contexts', 'notes'] },
)

const anyRules = fc
  .tuple(rules, fc.option(word, { nil: undefined }), fc.boolean())
  .map(([one, reason, isEnd]): Rules => ({
    ...one,
    ...(reason === undefined ? {} : { reason }),
    ...(isEnd ? { stopsTurn: true } : {}),
  }))

describe.each(CLIENT_NAMES)('%s, whatever the verdict', (client) => {
  const mapped = CLIENTS[client].events.filter(({ event }) => event !== undefined)
  const { deny, goOn = {} } = GATES[client]

  test.each(mapped.map(({ name }) => name))('%s: it can read the answer, and a refusal refuses', (name) => {
    fc.assert(
      fc.property(anyRules, (one) => {
        const done = heardBy(client, name, say(client, name, one))
        expect(done.isBroken).toBeUndefined()
        if (one.verdict !== 'allow') expect(done.isAllowed).toBeUndefined()
        if (one.verdict === 'allow') return
        expect(done.input).toBeUndefined()
        if (Object.hasOwn(deny, name)) expect(done.refused).toMatch(/\S/)
        if (Object.hasOwn(goOn, name) && one.stopsTurn !== true && client !== 'docker-agent')
          expect(done.refused).toMatch(/\S/)
      }),
      { numRuns: tries(60) },
    )
  })

  test('no question ever goes out', () => {
    fc.assert(
      fc.property(fc.constantFrom(...mapped.map(({ name }) => name)), anyRules, (name, one) => {
        expect(JSON.stringify(say(client, name, { ...one, verdict: 'ask', reason: 'x' }) ?? {})).not.toMatch(
          /"ask"|"defer"/,
        )
      }),
      { numRuns: tries(200) },
    )
  })

  test('a rewrite is the whole call, or the call does not run', () => {
    for (const { name, event } of mapped) {
      if (event !== 'pre_tool_call') continue
      const input = { command: 'rm -rf dist', description: 'x', extra: { deep: [1] } }
      const done = heardBy(
        client,
        name,
        say(client, name, {
          asked: { tool_name: 'bash', tool_input: input },
          changed: { tool_input: { ...input, command: 'ls' } },
        }),
      )
      const values = isObject(done.input ?? null) ? Object.values(done.input as JsonObject) : undefined
      if (values === undefined) expect(done.refused, name).toContain('ls')
      else expect(values, name).toEqual(expect.arrayContaining(['ls', 'x', { deep: [1] }]))
    }
  })

  test('a rewrite is no permission, unless a hook consented', () => {
    for (const { name, event } of mapped) {
      if (event !== 'pre_tool_call') continue
      const [silent, consented] = [false, true].map((isConsent) =>
        heardBy(client, name, say(client, name, { ...safer, isConsent })),
      )
      expect(silent?.isAllowed, name).toBeUndefined()
      expect(silent?.input !== undefined || silent?.refused !== undefined, name).toBe(true)
      expect(consented?.input, name).toEqual(silent?.input ?? consented?.input)
    }
  })
})

test.each(CLIENT_NAMES)('%s: a rewritten message is what it gets, or it gets none', (client) => {
  for (const { name, event } of CLIENTS[client].events) {
    // Copilot asks again for what it makes of the message, and there it can be replaced.
    if (event !== 'on_user_message' || name === 'userPromptSubmitted') continue
    const answer = say(client, name, written)
    if (heardBy(client, name, answer).refused === undefined)
      expect(
        [
          { text: 'bye' },
          { modifiedTransformedPrompt: 'bye' },
          {
            decision: 'transform',
            reason: 'hookgate:rewritten',
            transform: { path: '$target.content', value: 'bye' },
          },
        ],
        name,
      ).toContainEqual(answer)
  }
})

test('the answers of Claude Code that say something of an event always name it', () => {
  for (const { name, event } of CLIENTS['claude-code'].events) {
    if (event === undefined) continue
    fc.assert(
      fc.property(anyRules, (one) => {
        const { hookSpecificOutput: specific } = say('claude-code', name, one) ?? {}
        if (specific !== undefined) expect(specific).toHaveProperty('hookEventName', name)
      }),
      { numRuns: tries(50) },
    )
  }
})

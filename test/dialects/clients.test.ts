import { describe, expect, test } from 'vitest'
import { CLIENTS, readEvent, replyTo, takesChange, together, type Heard } from '../../src/dialects/clients.ts'
import { noOpinion } from '../../src/dialects/gates.ts'
import { fromNative, TOOLS } from '../../src/dialects/tools.ts'
import { CLIENT_NAMES, type ClientName, type Ruled } from '../../src/shared/gate/client.ts'
import { contractOf } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { payloadOf, type Payload } from '../../src/core/model/events/payload.ts'
import { checkEvent } from '../../src/server/fields.ts'
import { verdictOn } from '../verdict.ts'
import { captured } from './captured.ts'
import { contextFor } from './responsibleai/contexts.ts'

type Report = Extract<Heard, { kind: 'report' }>

const reportOf = (client: ClientName, event: string, stdin: unknown): Report => {
  const heard = readEvent(client, event, JSON.stringify(stdin))
  if (heard.kind !== 'report') throw new Error(`${client} ${event}: ${heard.kind}`)
  return heard
}
const ruledOf = ({ report }: Report, rest: Partial<Ruled> = {}): Ruled => ({
  verdict: 'allow',
  isConsent: false,
  contexts: [],
  notes: [],
  payload: payloadOf(
    report.event,
    {
      event_id: 'e',
      timestamp: new Date(0).toISOString(),
      session_id: report.session_id,
      agent_id: 'a',
      cwd: report.cwd,
    },
    report.fields,
  ),
  ...rest,
})

const command = { command: 'touch made-by-tool; echo hello-from-tool' }
const shell = { tool_name: 'bash', tool_input: { ...command, description: 'run' } }
const done = 'All done: I published it.'
const prompt = { message: 'please publish', kind: 'message' }
const result = 'hello-from-tool\n<shellId: 0 completed with exit code 0>'

/** Per client: event, our event, what is important in it. `none`: hookgate has no such event. */
const decoded: Readonly<Partial<Record<ClientName, readonly (readonly [string, string, JsonObject?])[]>>> = {
  'claude-code': [
    ['SessionStart', 'on_session_start', { source: 'startup' }],
    ['UserPromptSubmit', 'on_user_message', prompt],
    ['PreToolUse', 'pre_tool_call', { ...shell, tool_use_id: 'toolu_fake_1' }],
    ['PermissionRequest', 'on_permission_request', shell],
    ['PostToolUse', 'transform_tool_result', { ...shell, tool_result: 'hello-from-tool', tool_error: false }],
    ['PostToolBatch', 'none'],
    ['MessageDisplay', 'on_outbound_message', { notification: done }],
    ['Stop', 'on_stop', { response: done, stop_hook_active: false }],
    ['SessionEnd', 'on_session_end', { reason: 'other' }],
  ],
  codex: [
    ['SessionStart', 'on_session_start', { source: 'startup', model: 'fake-model' }],
    ['UserPromptSubmit', 'on_user_message', prompt],
    ['PreModelRequest', 'none'],
    [
      'PostModelRequest',
      'post_llm_call',
      { model: 'fake-model', usage: { input_tokens: 10, output_tokens: 5 } },
    ],
    ['PreToolUse', 'pre_tool_call', { tool_name: 'bash', tool_input: command, tool_use_id: 'call_fake_1' }],
    ['PostToolUse', 'transform_tool_result', { tool_name: 'bash', tool_result: 'hello-from-tool\n' }],
    ['PreModelRequest', 'none'],
    ['PostModelRequest', 'post_llm_call'],
    ['Stop', 'on_stop', { response: done, stop_hook_active: false }],
    ['SessionEnd', 'on_session_end', { reason: 'other' }],
  ],
  copilot: [
    ['sessionStart', 'on_session_start', { source: 'startup', initial_prompt: 'please publish' }],
    ['userPromptSubmitted', 'on_user_message', prompt],
    [
      'userPromptTransformed',
      'on_user_message',
      { message: '<current_datetime>2026-11-20T15:53:01.100+00:00</current_datetime>\n\nplease publish' },
    ],
    ['preToolUse', 'pre_tool_call', shell],
    ['permissionRequest', 'on_permission_request', { tool_name: 'bash', tool_input: command }],
    ['postToolUse', 'transform_tool_result', { ...shell, tool_result: result }],
    ['agentStop', 'on_stop', { response: '', stop_hook_active: false }],
    ['sessionEnd', 'on_session_end', { reason: 'complete' }],
    ['UserPromptSubmit', 'on_user_message', prompt],
    ['SessionStart', 'on_session_start'],
    ['PreToolUse', 'pre_tool_call', shell],
    ['PermissionRequest', 'on_permission_request', { tool_name: 'bash', tool_input: command }],
    ['PostToolUse', 'transform_tool_result', { ...shell, tool_result: result }],
    ['Stop', 'on_stop'],
    ['SessionEnd', 'on_session_end'],
  ],
  gemini: [
    ['SessionStart', 'on_session_start', { source: 'startup' }],
    ['BeforeAgent', 'on_user_message', prompt],
    ['PreCompress', 'none'],
    ['BeforeModel', 'pre_llm_call', { model: 'gemini-2.5-flash' }],
    ['BeforeToolSelection', 'none'],
    [
      'AfterModel',
      'post_llm_call',
      { model: 'gemini-2.5-flash', response: '', usage: { totalTokenCount: 15 } },
    ],
    ['BeforeTool', 'pre_tool_call', shell],
    [
      'AfterTool',
      'transform_tool_result',
      {
        ...shell,
        tool_result:
          '<untrusted_context>\nOutput: hello-from-tool\nProcess Group PGID: 7302\n</untrusted_context>',
        tool_error: false,
      },
    ],
    ['PreCompress', 'none'],
    ['BeforeModel', 'pre_llm_call'],
    ['BeforeToolSelection', 'none'],
    ['AfterModel', 'post_llm_call', { response: done }],
    ['AfterAgent', 'on_stop', { response: done, stop_hook_active: false }],
    ['SessionEnd', 'on_session_end', { reason: 'complete' }],
  ],
  kimi: [
    ['SessionStart', 'on_session_start', { source: 'startup', model: 'fake' }],
    ['UserPromptSubmit', 'on_user_message', prompt],
    ['TurnStarted', 'none'],
    ['PreToolUse', 'pre_tool_call', { ...shell, tool_use_id: 'call_fake_1' }],
    ['Stop', 'on_stop', { response: '', stop_hook_active: false }],
  ],
  opencode: [
    ['session.created', 'on_session_start'],
    ['chat.message', 'on_user_message', { message: '"please publish"' }],
    ['system.transform', 'pre_llm_call'],
    ['system.transform', 'pre_llm_call'],
    ['tool.execute.before', 'pre_tool_call', { ...shell, tool_use_id: 'call_fake_1' }],
    ['tool.execute.after', 'transform_tool_result', { ...shell, tool_result: 'hello-from-tool\n' }],
    ['system.transform', 'pre_llm_call'],
    ['text.complete', 'on_outbound_message', { notification: done }],
    ['session.idle', 'on_stop'],
  ],
}

describe('what real clients sent', () => {
  test.each(Object.entries(decoded))(
    '%s: each payload of a session is the event that it should be',
    (client, expected) => {
      const lines = captured.filter((one) => one.client === client)
      expect(lines.map(({ event }) => event).toSorted()).toEqual(expected.map(([event]) => event).toSorted())
      const left = [...expected]
      for (const { event, stdin } of lines) {
        const [, ours = '', fields = {}] =
          left.splice(
            left.findIndex(([name]) => name === event),
            1,
          )[0] ?? []
        const heard = readEvent(client as ClientName, event, JSON.stringify(stdin))
        if (ours === 'none') expect(heard, event).toMatchObject({ kind: 'nothing' })
        else expect(heard, event).toMatchObject({ kind: 'report', report: { event: ours, fields } })
      }
    },
  )

  test.each(captured.map((one) => [one.client, one.event, one.stdin] as const))(
    '%s %s: no opinion is exactly nothing said',
    (client, event, stdin) => {
      const heard = readEvent(client, event, JSON.stringify(stdin))
      if (heard.kind === 'report') expect(replyTo(client, heard, ruledOf(heard))).toBeUndefined()
      expect(noOpinion(client, event)).toBeUndefined()
    },
  )

  test("a byte order mark before the payload, and another client's spelling of the same", () => {
    const [first] = captured
    expect(readEvent('claude-code', 'SessionStart', `\uFEFF${JSON.stringify(first?.stdin)}\n`).kind).toBe(
      'report',
    )
    const base = { sessionId: 's', timestamp: 1, cwd: '/w', toolName: 'bash' }
    const { report } = reportOf('copilot', 'preToolUse', { ...base, toolArgs: '{"command":"ls"}' })
    expect(report.fields).toEqual(
      reportOf('copilot', 'preToolUse', { ...base, toolArgs: { command: 'ls' } }).report.fields,
    )
    expect(
      reportOf('codex', 'UserPromptSubmit', {
        session_id: 's',
        prompt: [{ type: 'text', text: 'a' }, { type: 'image' }],
      }).report.fields,
    ).toEqual({ message: 'a\n[image]', kind: 'message' })
    const response = (tool_response: unknown) =>
      reportOf('codex', 'PostToolUse', { session_id: 's', tool_name: 'x', tool_input: {}, tool_response })
        .report.fields['tool_result']
    expect([
      response('a'),
      response({ stdout: 'a', stderr: 'b' }),
      response([{ type: 'text', text: 'a' }]),
      response(null),
    ]).toEqual(['a', 'a\nb', 'a', ''])
  })
})

describe('what can go wrong', () => {
  test.each(CLIENT_NAMES)('%s: an event of a newer version is unknown, whatever stands in it', (client) => {
    for (const name of ['BrandNew', 'constructor', '__proto__', ''])
      expect(readEvent(client, name, 'no json')).toEqual({ kind: 'unknown' })
  })

  test.each(CLIENT_NAMES)('%s: what cannot be read is said, for every event, and never thrown', (client) => {
    for (const native of CLIENTS[client].events) {
      for (const text of ['', 'x', '[]', '7', 'null', '{}', '{"session_id":7}', '['.repeat(5000)]) {
        const heard = readEvent(client, native.name, text)
        if (native.event === undefined) expect(heard.kind).toBe('nothing')
        else
          expect(heard).toEqual({
            kind: 'wrong',
            native,
            why: expect.stringMatching(/^Expected .*, got /) as string,
          })
      }
    }
  })

  test.each([
    ['{"tool_name":"Bash","tool_input":{"command":"rm -rf /","c\\u006fmmand":"ls"}}', 'got "command" twice'],
    [
      '{"tool_name":"Bash","tool_input":{"command":"rm"},"tool_input":{"command":"ls"}}',
      'got "tool_input" twice',
    ],
    ['{"tool_name":"pay","tool_input":{"amount":1e400}}', 'got 1e400'],
    [`{"list":[${'1,'.repeat(50_000)}1]}`, 'at most 50000 texts, commas'],
  ])('%.80s: another program could read it otherwise', (text, words) => {
    const heard = readEvent('gemini', 'BeforeTool', text)
    expect(heard).toMatchObject({ kind: 'wrong', why: expect.stringContaining(words) as string })
  })

  test('a name that stands twice in arguments that come as text', () => {
    const toolArgs = '{"command":"rm","command":"ls"}'
    const stdin = { sessionId: 's', timestamp: 1, cwd: '/w', toolName: 'bash', toolArgs }
    expect(readEvent('copilot', 'preToolUse', JSON.stringify(stdin)).kind).toBe('wrong')
    const other = { conversation_id: 's', tool_name: 'Shell', tool_input: toolArgs }
    expect(readEvent('cursor', 'preToolUse', JSON.stringify(other)).kind).toBe('wrong')
  })

  test('an integer that a double would round is reported as it was written', () => {
    const text = '{"session_id":"s","cwd":"/w","tool_name":"send","tool_input":{"chat":-1234567890123456789}}'
    expect(readEvent('claude-code', 'PreToolUse', text)).toMatchObject({
      kind: 'report',
      report: { fields: { tool_input: { chat: -1234567890123456789n } } },
    })
  })

  test.each<[ClientName, string, JsonObject]>([
    ['codex', 'PreToolUse', { session_id: 's', tool_name: 'Bash', tool_input: 'rm' }],
    ['codex', 'PreToolUse', { session_id: 's', tool_input: {} }],
    ['gemini', 'BeforeTool', { session_id: 's', tool_name: '', tool_input: {} }],
    ['kimi', 'PreToolUse', { session_id: 's', tool_name: ['Bash'] }],
    ['cursor', 'preToolUse', { conversation_id: 's', tool_name: 'Shell', tool_input: 'not json' }],
    ['opencode', 'tool.execute.before', { input: { sessionID: 's', tool: 'bash' }, output: { args: 'x' } }],
    ['codex', 'Stop', { session_id: 's', hook_event_name: 'PreToolUse' }],
  ])('%s %s: %j is no call that could be judged', (client, event, stdin) =>
    expect(readEvent(client, event, JSON.stringify(stdin)).kind).toBe('wrong'),
  )
})

describe("a tool of the client's own that is called as one of ours", () => {
  const args = {
    path: 'good',
    filePath: '/evil',
    file_path: '/evil',
    content: 'x',
    file_text: 'x',
    old_text: 'a',
    new_text: 'b',
    task: 't',
    command: 'ls',
    cmd: 'rm',
  }
  const written = { ...args, content: 'y' }
  test.each<[ClientName, string, (tool: string) => JsonObject, (reply: JsonObject | undefined) => unknown]>([
    [
      'opencode',
      'tool.execute.before',
      (tool) => ({ cwd: '/', input: { tool, sessionID: 's', callID: 'c' }, output: { args } }),
      (reply) => reply?.['args'],
    ],
    [
      'docker-agent',
      'tool_input_transform',
      (tool_name) => ({ session_id: 's', cwd: '/', tool_name, tool_input: args }),
      (reply) => Reflect.get(Object(reply?.['hook_specific_output']), 'updated_input'),
    ],
    [
      'copilot',
      'preToolUse',
      (toolName) => ({ sessionId: 's', cwd: '/', toolName, toolArgs: args }),
      (reply) => reply?.['modifiedArgs'],
    ],
    [
      'gemini',
      'BeforeTool',
      (tool_name) => ({ session_id: 's', cwd: '/', tool_name, tool_input: args }),
      (reply) => Reflect.get(Object(reply?.['hookSpecificOutput']), 'tool_input'),
    ],
    [
      'claude-code',
      'PreToolUse',
      (tool_name) => ({ session_id: 's', cwd: '/', tool_name, tool_input: args }),
      (reply) => Reflect.get(Object(reply?.['hookSpecificOutput']), 'updatedInput'),
    ],
  ])('%s: a rewritten call has the arguments that were judged', (client, event, stdinOf, told) => {
    for (const { ours } of TOOLS) {
      if (fromNative(client, { name: ours, input: args }).input !== args) continue
      const heard = reportOf(client, event, stdinOf(ours))
      const { payload } = ruledOf(heard)
      expect(payload).toMatchObject({ tool_name: ours, tool_input: args })
      expect(
        told(replyTo(client, heard, ruledOf(heard, { payload: { ...payload, tool_input: written } }))),
        ours,
      ).toEqual(written)
    }
  })
})

describe('the gate takes what is reported', () => {
  const check = (client: ClientName, name: string, stdin: JsonObject): void => {
    const heard = readEvent(client, name, JSON.stringify(stdin))
    if (heard.kind === 'nothing') return
    if (heard.kind !== 'report') throw new Error(`${client} ${name}: ${heard.kind}`)
    for (const { event, fields } of [heard.report, ...heard.also])
      expect(
        () => checkEvent(event, { ...fields, session_id: 's', cwd: '/w' }),
        `${client} ${name}`,
      ).not.toThrow()
  }
  const base = {
    session_id: 's',
    sessionId: 's',
    conversation_id: 's',
    cwd: '/w',
    work_dir: '/w',
    tool_name: 'x',
    toolName: 'x',
    tool_input: {},
    prompt: 'x',
    message: 'm',
    delta: 'x',
    task_subject: 'x',
  }
  const plugin = { sessionID: 's', tool: 'x', args: {} }
  const odd = {
    tool_use_id: 7,
    source: 7,
    reason: { a: 1 },
    model: 9,
    trigger: 3,
    agent_type: 5,
    llm_request: 4,
    llm_response: { candidates: [{ finishReason: 1 }], usageMetadata: 'x' },
    token_usage: 5,
    initial_prompt: 7,
    error: 8,
    error_message: 8,
    permissionSuggestions: 'x',
    loop_count: 'x',
    tool_response: 7,
    tool_output: { a: [] },
    toolResult: 7,
    last_assistant_message: ['x'],
  }

  test('from real clients', () => captured.forEach(({ client, event, stdin }) => check(client, event, stdin)))
  test.each(CLIENT_NAMES)(
    '%s: with the least that can stand there, and with odd values beside what counts',
    (client) => {
      for (const { name, event } of CLIENTS[client].events) {
        if (event === undefined) continue
        check(client, name, { ...base, input: plugin, output: {}, ...contextFor(client, name) })
        check(client, name, {
          ...base,
          ...odd,
          input: { ...plugin, callID: 4, error: 5 },
          output: { text: 6, parts: 'x', output: { a: 1 } },
          ...contextFor(client, name, {
            content: 7,
            role: 8,
            id: 9,
            reason: 4,
            tools_registered: 'x',
            usage: 'y',
          }),
        })
      }
    },
  )
})

describe('a moment of a turn', () => {
  test('every moment belongs to an event of its client, and every client tells when a turn begins and ends, and what ran', () => {
    for (const client of CLIENT_NAMES) {
      const told = CLIENTS[client].events.filter(({ moment }) => moment !== undefined)
      for (const { name, event } of told) expect(event, `${client} ${name}`).toBeDefined()
      expect(new Set(told.map(({ moment }) => moment)), client).toEqual(
        new Set(['turn_start', 'tool_ran', 'turn_end', ...(client === 'opencode' ? [] : ['session_end'])]),
      )
    }
  })

  const ran = (client: ClientName, event: string, stdin: JsonObject) => reportOf(client, event, stdin).ran
  const gemini = (llmContent: string): JsonObject => ({
    session_id: 's',
    tool_name: 'run_shell_command',
    tool_input: { command: 'x' },
    tool_response: { llmContent },
  })
  const copilot = (textResultForLlm: string, resultType = 'success'): JsonObject => ({
    sessionId: 's',
    toolName: 'bash',
    toolArgs: { command: 'x' },
    toolResult: { resultType, textResultForLlm },
  })

  test('a tool that ran is evidence, with the exit code that its client tells', () => {
    expect(
      ran('copilot', 'postToolUse', copilot('hi\n<shellId: 0 completed with exit code 3>')),
    ).toMatchObject({ name: 'bash', isError: true, exitCode: 3 })
    expect(
      ran(
        'gemini',
        'AfterTool',
        gemini('<untrusted_context>\nOutput: x\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>'),
      ),
    ).toMatchObject({ isError: true, exitCode: 2 })
    expect(
      ran('claude-code', 'PostToolUseFailure', {
        session_id: 's',
        cwd: '/w',
        tool_name: 'Bash',
        tool_input: {},
        error: 'Exit code 127\nnot found',
      }),
    ).toMatchObject({ isError: true, exitCode: 127 })
    expect(
      ran('opencode', 'tool.execute.after', {
        input: { sessionID: 's', tool: 'bash', args: {} },
        output: { output: 'x', metadata: { exit: 4 } },
      }),
    ).toMatchObject({ isError: true, exitCode: 4 })
    expect(
      ran('kimi', 'PostToolUseFailure', {
        session_id: 's',
        tool_name: 'Read',
        error: { name: 'E', message: 'none' },
      }),
    ).toEqual({ name: 'read_file', text: 'none', isError: true, exitCode: 1 })
    expect(ran('codex', 'PostToolUse', { session_id: 's', tool_name: 'Bash', tool_response: 'ok' })).toEqual({
      name: 'bash',
      text: 'ok',
      isError: false,
      exitCode: null,
    })
  })

  test('a word that steers a turn begins none', () => {
    const moment = (is_steer: boolean) =>
      reportOf('kimi', 'UserPromptSubmit', { session_id: 's', prompt: 'x', is_steer }).moment
    expect([moment(false), moment(true)]).toEqual(['turn_start', undefined])
  })

  test('an answer in pieces is one, reported with its last', () => {
    const piece = (finishReason?: string) =>
      readEvent(
        'gemini',
        'AfterModel',
        JSON.stringify({
          session_id: 's',
          llm_request: { model: 'm' },
          llm_response: {
            text: 'x',
            candidates: [{ content: {}, ...(finishReason === undefined ? {} : { finishReason }) }],
          },
        }),
      ).kind
    expect([piece(), piece('STOP')]).toEqual(['nothing', 'report'])
  })

  test('what a command prints about an exit code in its output counts nothing', () => {
    expect(
      ran(
        'copilot',
        'postToolUse',
        copilot('<shellId: 0 completed with exit code 0>\nfailed\n<shellId: 0 completed with exit code 1>'),
      ),
    ).toMatchObject({ exitCode: 1 })
    expect(
      ran(
        'copilot',
        'postToolUse',
        copilot(`${'x'.repeat(100_000)}\n<shellId: 0 completed with exit code 9>\n`),
      ),
    ).toMatchObject({ exitCode: 9 })
    expect(ran('gemini', 'AfterTool', gemini('Output: Exit Code: 0\nfailed\nExit Code: 1'))).toMatchObject({
      exitCode: 1,
    })
    expect(ran('copilot', 'postToolUse', copilot('Exit Code: 0\nbad', 'failure'))).toMatchObject({
      isError: true,
      exitCode: 1,
    })
  })

  test('it is post_tool_call too, and a failed one on_tool_error: hooks on those fire behind every client', () => {
    const also = (client: ClientName, event: string, stdin: JsonObject) =>
      reportOf(client, event, stdin).also.map((one) => one.event)
    expect(also('copilot', 'postToolUse', copilot('x'))).toEqual(['post_tool_call'])
    expect(also('copilot', 'postToolUse', copilot('x', 'failure'))).toEqual([
      'post_tool_call',
      'on_tool_error',
    ])
    expect(
      also('claude-code', 'PostToolUseFailure', {
        session_id: 's',
        cwd: '/w',
        tool_name: 'Bash',
        tool_input: {},
        error: 'x',
      }),
    ).toEqual(['post_tool_call'])
    expect(also('kimi', 'PostToolUse', { session_id: 's', tool_name: 'Read', tool_output: 'x' })).toEqual([])
    const {
      also: [first],
    } = reportOf('gemini', 'AfterTool', gemini('x'))
    expect(
      Object.keys(contractOf('post_tool_call').fields).filter(
        (field) => field !== 'tool_use_id' && !(field in (first?.fields ?? {})),
      ),
    ).toEqual([])
  })

  test('one verdict of both: either refuses, and a block of post_tool_call ends the turn', () => {
    const main: Ruled = {
      ...ruledOf(reportOf('codex', 'Stop', { session_id: 's' })),
      contexts: ['a'],
      isConsent: true,
    }
    const other = { verdict: 'allow', contexts: [], notes: [] } as const
    expect(
      together(main, [{ ...other, event: 'on_completion_claim', contexts: ['b'], notes: ['n'] }]),
    ).toEqual({ ...main, contexts: ['a', 'b'], notes: ['n'] })
    expect(
      together(main, [{ ...other, event: 'on_completion_claim', verdict: 'block', reason: 'not yet' }]),
    ).toMatchObject({ verdict: 'block', reason: 'not yet', isConsent: false })
    expect(
      together({ ...main, verdict: 'block', reason: 'no' }, [
        { ...other, event: 'on_completion_claim', verdict: 'block', reason: 'not yet' },
      ]),
    ).toMatchObject({ verdict: 'block', reason: 'no\n\nnot yet' })
    expect(
      together(main, [{ ...other, event: 'post_tool_call', verdict: 'block', reason: 'enough' }]),
    ).toMatchObject({ verdict: 'allow', stopsTurn: true, reason: 'enough' })
  })
})

test('a person may change a call exactly where the client runs the changed one', () => {
  for (const client of CLIENT_NAMES)
    for (const native of CLIENTS[client].events.filter(({ event }) => event === 'pre_tool_call'))
      for (const tool_name of ['bash', 'write_file', 'mcp__a__b']) {
        const payload: Payload = {
          event: 'pre_tool_call',
          event_id: 'e',
          timestamp: '',
          session_id: 's',
          agent_id: client,
          cwd: '/',
          attempt: 1,
          tool_name,
          tool_input: { command: 'changed-by-person' },
        }
        const ruled = { ...verdictOn(payload), isConsent: true }
        const reply = CLIENTS[client].write(native, ruled, { tool_name, tool_input: { command: 'before' } })
        // A refusal names the arguments inside a text, where their quotes are escaped.
        const isTaken = JSON.stringify(reply ?? {}).includes('"changed-by-person"')
        expect([client, native.name, tool_name, takesChange(client, native.name, tool_name)]).toEqual([
          client,
          native.name,
          tool_name,
          isTaken,
        ])
      }
})

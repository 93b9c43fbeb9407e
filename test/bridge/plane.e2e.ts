import { actingIn } from '../consent.ts'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { nextCard, opened, sentMessages, replaced, tap } from '../permissions/caller.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { answerOf, call, refusal, runBridge } from './run-bridge.ts'

const yaml = `hooks:
  - {event: pre_tool_call, matcher: "rm -rf", command: ./guard.sh, on_error: block}
  - {event: on_completion_claim, command: ./publish.sh, on_error: block}
  - {event: pre_tool_call, matcher: "deploy", command: ./ask.sh, on_error: block}
`
const files = {
  'guard.sh': '#!/bin/sh\necho \'{"decision": "block", "reason": "not that"}\'\n',
  'publish.sh':
    '#!/bin/sh\ngrep -q example.org/post || echo \'{"decision": "block", "reason": "nothing was published"}\'\n',
  'ask.sh': '#!/bin/sh\necho \'{"decision": "ask", "reason": "a deploy"}\'\n',
}
let plane: Plane
let port = 0
beforeAll(async () => {
  port = await freePort()
  plane = await startPlane(yaml, files, {}, 'none', { port })
  const { gatekeeper } = plane.gate
  for (const { entry } of plane.gate.rows())
    if (entry !== undefined) await actingIn(gatekeeper).approve(entry)
  await actingIn(gatekeeper).setSwitch(true)
})
afterAll(() => plane.stop())

const ask = async (event: string, stdin: string, more: readonly string[] = []) =>
  answerOf(
    await runBridge(['claude-code', event, ...more], {
      home: dirname(plane.home),
      env: { HOOKGATE_HOME: plane.home },
      stdin,
    }),
  )
const json = (event: string, fields: object): string =>
  JSON.stringify({ session_id: 's1', cwd: '/', hook_event_name: event, ...fields })

test("An approved hook refuses a foreign agent's step, and only that one", async () => {
  expect(await ask('PreToolUse', call('ls'))).toBeUndefined()
  expect(await ask('PreToolUse', call('rm -rf /'))).toEqual(refusal('not that'))
  expect(await plane.ask('/hooks why', (text) => text.includes('pre_tool_call'))).toContain('not that')
})

test('Half a character is no rewrite: no hook gave a permission, and nothing is taken from the person', async () => {
  const half = '\ud83d'
  expect(
    await ask('PreToolUse', call(`echo ${half}`, { tool_input: { command: 'ls', [half]: half } })),
  ).toBeUndefined()
  expect(
    await ask(
      'PreToolUse',
      call('', { tool_name: 'mcp__a__b', tool_input: { '\ud800': 'rm -rf', '\ud801': 'x' } }),
    ),
  ).toEqual(refusal('not that'))
  expect(await ask('UserPromptSubmit', json('UserPromptSubmit', { prompt: `hi ${half}` }))).toBeUndefined()
  expect(
    await ask('PostToolUse', json('PostToolUse', { tool_name: 'Read', tool_input: {}, tool_response: half })),
  ).toBeUndefined()
})

test('A false claim is refused until what was claimed happened', async () => {
  const stop = json('Stop', { last_assistant_message: 'Published.' })
  expect(await ask('Stop', stop)).toEqual({ decision: 'block', reason: 'nothing was published' })
  await ask(
    'PostToolUse',
    json('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'publish' },
      tool_response: { stdout: 'https://example.org/post', stderr: '' },
    }),
  )
  expect(await ask('Stop', stop)).toBeUndefined()
})

test("What a hook asks goes to the owner's phone, and the answer back to the client", async () => {
  for (const [label, answer] of [
    ['Allow once', undefined],
    ['Deny', refusal(expect.stringContaining('The person said no'))],
  ] as const) {
    const [from, asked] = [
      sentMessages(plane).length,
      ask('PreToolUse', call('deploy'), ['--deadline', '60']),
    ]
    const card = await nextCard(plane, from, 'claude-code · bash · denied at')
    expect(card.text).toContain(' ./ask.sh: a deploy\n')
    tap(plane, card, label)
    expect(await asked).toEqual(answer)
  }
})

test("What a client asks itself is answered with the owner's word, a yes too", async () => {
  for (const [label, decision] of [
    ['Allow once', { behavior: 'allow' }],
    ['Deny', { behavior: 'deny', message: 'The person said no.' }],
  ] as const) {
    const [from, asked] = [
      sentMessages(plane).length,
      ask(
        'PermissionRequest',
        json('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'ls' } }),
        ['--deadline', '60'],
      ),
    ]
    tap(plane, await nextCard(plane, from, 'claude-code · bash · denied at'), label)
    expect(await asked).toEqual({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })
  }
})

test('A no that stops interrupts Claude Code: at its own request, and before a tool', async () => {
  const reason = 'The person said no and stopped this turn.'
  for (const [event, input, answer] of [
    [
      'PermissionRequest',
      json('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'ls' }, session_id: 'i1' }),
      {
        hookSpecificOutput: {
          hookEventName: 'PermissionRequest',
          decision: { behavior: 'deny', message: reason, interrupt: true },
        },
      },
    ],
    [
      'PreToolUse',
      call('deploy', { session_id: 'i2' }),
      { continue: false, stopReason: reason, ...refusal(reason) },
    ],
  ] as const) {
    const [from, asked] = [sentMessages(plane).length, ask(event, input, ['--deadline', '60'])]
    const card = await nextCard(plane, from, 'claude-code · bash · denied at')
    tap(plane, await opened(plane, card), 'Deny and stop')
    expect(await asked).toEqual(answer)
  }
  // What it still tries in the turn that was interrupted is refused without a question.
  const from = sentMessages(plane).length
  expect(await ask('PreToolUse', call('deploy', { session_id: 'i1' }), ['--deadline', '60'])).toEqual(
    refusal(expect.stringContaining(reason)),
  )
  expect(sentMessages(plane).slice(from)).toEqual([])
})

test('A client that gave up takes its question back', async () => {
  const from = sentMessages(plane).length
  const bridged = runBridge(['claude-code', 'PreToolUse', '--deadline', '60'], {
    home: dirname(plane.home),
    env: { HOOKGATE_HOME: plane.home },
    stdin: call('deploy'),
    meanwhile: async (pid) => {
      await nextCard(plane, from)
      process.kill(pid, 'SIGTERM')
    },
  })
  expect(answerOf(await bridged)).toEqual(refusal(expect.stringContaining('was stopped')))
  expect(await replaced(plane, await nextCard(plane, from))).toContain('the agent stopped waiting')
})

test('Nobody answers a Claude Code without a terminal: it is told to end, and the later word counts when the call comes again', async () => {
  const transcript_path = join(plane.home, 'session.jsonl')
  writeFileSync(
    transcript_path,
    `${JSON.stringify({ message: { id: 'm', content: [{ type: 'tool_use', id: 't1' }] } })}\n`,
  )
  const stdin = call('deploy', { session_id: 's9', transcript_path })
  const bridged = async (env: object = { CLAUDE_CODE_SESSION_ATTENDED: '0' }) =>
    answerOf(
      await runBridge(['claude-code', 'PreToolUse', '--deadline', '3'], {
        home: dirname(plane.home),
        env: { HOOKGATE_HOME: plane.home, CLAUDE_CODE_ENTRYPOINT: 'sdk-cli', ...env },
        stdin,
      }),
    )
  const from = sentMessages(plane).length
  expect(await bridged()).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'defer',
      permissionDecisionReason: 'Nobody answered yet. It is asked again when this session is resumed.',
    },
  })
  const words =
    'Claude Code has stopped waiting. Your answer counts when it is resumed:\nclaude -p --resume s9\nclaude-code · bash · denied at '
  const card = await until('the card that stays', () =>
    sentMessages(plane)
      .slice(from)
      .find(({ text }) => text.includes(words)),
  )
  expect(await plane.ask('/asks', (text) => text.includes('1 tool call waits'))).toBeTruthy()
  tap(plane, card, 'Allow once')
  expect(
    await until('the answer', () =>
      sentMessages(plane)
        .slice(from)
        .find(({ text }) => text.includes('The answer counts when it is resumed:\nclaude -p --resume s9')),
    ),
  ).toBeTruthy()
  expect(await bridged()).toBeUndefined()
  // It counted once; with a person at the terminal nothing is parked, nor over HTTP, whoever says so.
  expect(await bridged({ CLAUDE_CODE_SESSION_ATTENDED: '1' })).toEqual(
    refusal(expect.stringContaining('Nobody answered in time')),
  )
  const token = readFileSync(join(plane.home, 'secrets', 'bridge-token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, 'X-Hookgate-Ask-Ms': '1000', 'X-Hookgate-Park': '1' }
  expect(
    await (
      await fetch(`http://127.0.0.1:${port}/bridge/claude-code/PreToolUse`, {
        method: 'POST',
        headers,
        body: stdin,
      })
    ).json(),
  ).toEqual(refusal(expect.stringContaining('Nobody answered in time')))
})

test('HTTP hooks are served with the token and not without', async () => {
  const post = (authorization: string) =>
    fetch(`http://127.0.0.1:${port}/bridge/claude-code/PreToolUse`, {
      method: 'POST',
      headers: { authorization },
      body: call('rm -rf /'),
    })
  const token = readFileSync(join(plane.home, 'secrets', 'bridge-token'), 'utf8').trim()
  const answered = await post(`Bearer ${token}`)
  expect([answered.status, await answered.json()]).toEqual([200, refusal('not that')])
  expect((await post('Bearer other')).status).toBe(403)
  expect(statSync(join(plane.home, 'secrets', 'bridge-token')).mode & 0o777).toBe(0o600)
})

test("What cannot be read is refused by the gate too, in the client's words", async () => {
  expect(await ask('PreToolUse', 'garbage')).toEqual(
    refusal(expect.stringContaining('Expected one JSON object')),
  )
})

test('An event of a newer client passes; the log shows it and doctor tells it', async () => {
  expect(await ask('FooBar', json('FooBar', {}))).toBeUndefined()
  expect(await plane.ask('/hooks log', (text) => text.includes('bridge: passed'))).toContain(
    'an event FooBar that this hookgate does not know',
  )
  expect(await plane.ask('/hooks doctor', (text) => text.includes('FooBar'), 60_000)).toContain(
    'claude-code sent the event FooBar. This hookgate does not know it, so no hook judged it. → Update hookgate.',
  )
})

test('Another program on the port of HTTP hooks is told by doctor, with what it could do', async () => {
  const other = await startPlane('hooks: []\n', {}, {}, 'none', { port })
  onTestFinished(() => other.stop())
  const told = await other.ask('/hooks doctor', (text) => text.includes('No hook is approved'), 60_000)
  expect(told).toContain(`Another program is using port ${port}. It answers HTTP hooks in place of the gate`)
  expect(await plane.ask('/hooks doctor', (text) => text.includes('FooBar'), 60_000)).not.toContain(
    'Another program',
  )
})

test('The socket belongs to the user whom gate.yaml names, where the gate can give it away; else it does not start', async () => {
  await expect(startPlane('hooks: []\n', {}, {}, 'none', { user: 'no-such-user' })).rejects.toThrow(
    'Expected "bridge.user" of gate.yaml to be a user',
  )
  const starting = startPlane('hooks: []\n', {}, {}, 'none', { user: 'nobody' })
  if (process.getuid?.() !== 0) return expect(starting).rejects.toThrow('Expected "bridge.user"')
  const other = await starting
  expect(statSync(join(other.home, 'run', 'bridge.sock')).uid).toBeGreaterThan(0)
  await other.stop()
})

test('With the switch off nothing is refused; each turn of it is written down for when the gate is away', async () => {
  const facts = (): { isArmed: boolean } =>
    JSON.parse(
      (JSON.parse(readFileSync(join(plane.home, 'run', 'switch.json'), 'utf8')) as { facts: string }).facts,
    ) as never
  expect(facts()).toEqual({ isArmed: true, unreachable: 'owner' })
  await actingIn(plane.gate.gatekeeper).setSwitch(false)
  expect(facts().isArmed).toBe(false)
  expect(await ask('PreToolUse', call('rm -rf /'))).toBeUndefined()
  await actingIn(plane.gate.gatekeeper).setSwitch(true)
  expect(facts().isArmed).toBe(true)
})

test('A gate that was stopped while it was on refuses through its bridge', async () => {
  await plane.gate.stop()
  expect(await ask('PreToolUse', call('ls'))).toEqual(
    refusal(
      'hookgate is not running, and its owner left the hooks on. Start it: hookgate start (in a clone: npm start)',
    ),
  )
  expect(await ask('Stop', json('Stop', {}))).toBeUndefined()
})

import { describe, expect, test } from 'vitest'
import { createBridgeService, type BridgeServicePorts } from '../../../src/bridge/service/service.ts'
import { canaryTool, canaryWords } from '../../../src/bridge/install/client.ts'
import type { BridgeReport } from '../../../src/bridge/service/report.ts'
import { readEvent, replyTo, takesChange, together } from '../../../src/dialects/clients.ts'
import { callerOf, failClosed, noOpinion } from '../../../src/dialects/gates.ts'
import type { ClientName, Ruled } from '../../../src/shared/gate/client.ts'
import type { EventName } from '../../../src/core/model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../../src/core/model/base/json.ts'
import type { Resume } from '../../../src/shared/gate/permission.ts'
import type { FireOptions } from '../../../src/shared/events/patience.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import type { EventRecord } from '../../../src/core/model/events/record.ts'
import { checkEvent } from '../../../src/server/fields.ts'

type Said = Partial<Ruled> | undefined

/** A desk over real clients; the hooks answer as the test says. */
const open = (
  hooks: (event: EventName, fields: JsonObject, times: number) => Said = () => undefined,
  agents: readonly string[] = [],
) => {
  const fired: {
    readonly event: EventName
    readonly agentId: string
    readonly caller?: string
    readonly sessionId: string
    readonly fields: JsonObject
    readonly askMs?: number
    readonly deadlineMs?: number
    readonly resume?: Resume
  }[] = []
  const records: EventRecord[] = []
  const told: string[] = []
  let isOn = true
  let nowMs = 0
  type R = Extract<ReturnType<typeof readEvent>, { kind: 'report' }>
  const ports: BridgeServicePorts<R & BridgeReport> = {
    readEvent,
    replyTo,
    takesChange,
    together,
    failClosed,
    noOpinion,
    callerOf: (client, stdin) => callerOf(client, {}, stdin),
    checkEvent,
    fire: (request) => {
      fired.push(request)
      const { event, fields, agentId, sessionId, cwd } = request
      const said = hooks(event, fields, fired.filter((one) => one.event === event).length)
      const payload = {
        ...fields,
        event,
        event_id: 'e',
        timestamp: '',
        session_id: sessionId,
        agent_id: agentId,
        cwd,
        attempt: 1,
      }
      return Promise.resolve({
        kind: 'verdict',
        verdict: {
          verdict: 'allow',
          isConsent: false,
          contexts: [],
          notes: [],
          ...said,
          payload: { ...payload, ...said?.payload },
        },
      })
    },
    disclosed: () => '',
    record: (record) => void records.push(record),
    tellOwners: (text) => void told.push(proseText(text)),
    isOn: () => isOn,
    isAgent: (name) => agents.includes(name),
    workspace: '/workspace',
    newId: () => 'id',
    now: () => nowMs,
    elapsedMs: () => nowMs,
  }
  const desk = createBridgeService(ports)
  const send = (
    client: ClientName,
    event: string,
    stdin: JsonObject | string,
    options: Partial<FireOptions> = {},
  ): Promise<JsonObject | undefined> =>
    desk.answer(
      client,
      event,
      {
        text:
          typeof stdin === 'string' ? stdin : JSON.stringify({ session_id: 's1', cwd: '/project', ...stdin }),
      },
      { chain: [], ...options },
    )
  return {
    desk,
    fired,
    records,
    told,
    send,
    claude: (event: string, stdin: JsonObject = {}, options?: Partial<FireOptions>) =>
      send('claude-code', event, { hook_event_name: event, ...stdin }, options),
    events: (): readonly EventName[] => fired.map(({ event }) => event),
    last: (event: EventName): JsonObject => fired.findLast((one) => one.event === event)?.fields ?? {},
    off: () => void (isOn = false),
    pass: (ms: number) => void (nowMs += ms),
  }
}

const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' }
const ran = (stdout: string): JsonObject => ({
  ...bash,
  tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
})

const blocks = (reason: string): Said => ({ verdict: 'block', reason })

test("A client's event reaches the hooks in our words, under its own name and session", async () => {
  const { claude, fired } = open()
  expect(await claude('PreToolUse', bash)).toBeUndefined()
  expect(fired).toMatchObject([
    {
      event: 'pre_tool_call',
      agentId: 'claude-code',
      sessionId: 'claude-code:s1',
      cwd: '/project',
      fields: { tool_name: 'bash', tool_input: { command: 'ls' } },
    },
  ])
})

test("A client that is called as an agent of gate.yaml is not taken for it: that agent's host answers nothing of it", async () => {
  const { claude, fired } = open(() => undefined, ['claude-code'])
  await claude('PreToolUse', bash)
  await claude('PreToolUse', { ...bash, agent_id: 'inner' })
  expect(fired.map(({ agentId }) => agentId)).toEqual(['bridge:claude-code', 'bridge:claude-code:inner'])
})

test("An agent inside a client goes by the client's name too: it is none of the gate's own agents, whatever it is called", async () => {
  const { claude, send, fired } = open()
  await claude('PreToolUse', { ...bash, agent_id: 'main' })
  await send('docker-agent', 'tool_input_transform', {
    agent_name: 'main',
    tool_name: 'shell',
    tool_input: { cmd: 'ls' },
  })
  expect(fired.map(({ agentId, caller }) => [agentId, caller])).toEqual([
    ['claude-code:main', 'claude-code'],
    ['docker-agent:main', 'docker-agent'],
  ])
})

test('A question that nobody could put to a person is a refusal', async () => {
  const { claude } = open(() => ({ verdict: 'ask', reason: 'deploys' }))
  expect(await claude('PreToolUse', bash)).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: 'deny',
      permissionDecisionReason: 'A person has to approve this first: deploys',
    },
  })
})

test('A person is asked about tool calls and permissions alone, and about permissions only while the switch is on', async () => {
  const { claude, fired, off } = open()
  const asks = { askMs: 5000 }
  await claude('PreToolUse', bash, asks)
  await claude('PermissionRequest', bash, asks)
  await claude('UserPromptSubmit', { prompt: 'hi' }, asks)
  off()
  await claude('PermissionRequest', bash, asks)
  expect(fired.map(({ event, askMs }) => [event, askMs])).toEqual([
    ['pre_tool_call', 5000],
    ['on_permission_request', 5000],
    ['on_user_message', undefined],
    ['on_permission_request', undefined],
  ])
})

test('a call that may come again says how, in words that a person can type without harm', async () => {
  const { fired, send, claude } = open()
  const asks = { askMs: 5000, canPark: true } as const
  const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' }
  await claude('PreToolUse', bash, asks)
  expect(fired.at(-1)?.resume).toEqual({ call: 't1', title: 'Claude Code', command: 'claude -p --resume s1' })
  const strange: readonly JsonObject[] = [
    { session_id: 's1; rm -rf ~' },
    { session_id: '--help' },
    { session_id: 's\n' },
    { tool_use_id: '' },
    { tool_use_id: 7 },
  ]
  for (const stdin of strange) await claude('PreToolUse', { ...bash, ...stdin }, asks)
  await claude('PermissionRequest', bash, asks)
  await claude('PreToolUse', bash, { askMs: 5000 })
  await send('codex', 'PreToolUse', { hook_event_name: 'PreToolUse', ...bash }, asks)
  expect(fired.slice(1).map(({ resume }) => resume)).toEqual(fired.slice(1).map(() => undefined))
  expect(fired.length).toBe(9)
})

test('One event of a client that is several of ours is put to the hooks of each, and answered once', async () => {
  const { claude, events } = open((event) =>
    event === 'transform_tool_result'
      ? { payload: { tool_result: 'masked' } as never, contexts: ['of the result'] }
      : undefined,
  )
  expect(await claude('PostToolUse', ran('secret'))).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PostToolUse',
      updatedToolOutput: expect.objectContaining({ stdout: 'masked' }),
      additionalContext: 'of the result',
    },
  })
  expect(events()).toEqual(['post_tool_call', 'transform_tool_result'])
  await claude('PostToolUseFailure', { ...bash, error: 'Exit code 7' })
  expect(events().slice(2).toSorted()).toEqual(['on_tool_error', 'post_tool_call'])
})

test('The events of one moment share the time that its client gives it: a hook that comes late refuses in time', async () => {
  const rig = open(() => {
    rig.pass(30_000)
  })
  await rig.claude('Stop', { last_assistant_message: 'Published!' }, { deadlineMs: 50_000 })
  await rig.claude('PostToolUse', ran('x'), { deadlineMs: 20_000 })
  expect(rig.fired.map(({ event, deadlineMs }) => [event, deadlineMs])).toEqual([
    ['on_stop', 50_000],
    ['on_completion_claim', 20_000],
    ['post_tool_call', 20_000],
    ['transform_tool_result', 1],
  ])
})

test('A block after the tool ran ends the turn', async () => {
  const { claude } = open((event) => (event === 'post_tool_call' ? blocks('enough') : undefined))
  expect(await claude('PostToolUse', ran('x'))).toMatchObject({ continue: false, stopReason: 'enough' })
})

describe('A claim to be done is compared with what really ran', () => {
  test('the goal is the last message, the evidence every tool since', async () => {
    const { claude, last, events } = open()
    await claude('UserPromptSubmit', { prompt: 'publish it' })
    await claude('PostToolUse', ran('see https://example.com/x'))
    await claude('PostToolUseFailure', { ...bash, error: 'Exit code 7' })
    expect(
      await claude('Stop', { stop_hook_active: false, last_assistant_message: 'All published.' }),
    ).toBeUndefined()
    expect(events().slice(-2)).toEqual(['on_stop', 'on_completion_claim'])
    expect(last('on_stop')).toMatchObject({
      response: 'All published.',
      tool_names: ['bash'],
      stop_hook_active: false,
    })
    expect(last('on_completion_claim')).toMatchObject({
      goal: 'publish it',
      summary: 'All published.',
      response: 'All published.',
      tool_names: ['bash'],
      blocked_count: 0,
      max_blocks: 3,
      tools: [
        { name: 'bash', is_error: false, exit_code: 0, urls: ['https://example.com/x'] },
        { name: 'bash', is_error: true, exit_code: 7, urls: [] },
      ],
    })
    await claude('UserPromptSubmit', { prompt: 'and now?' })
    await claude('Stop', { last_assistant_message: 'It is done.' })
    expect(last('on_completion_claim')).toMatchObject({ goal: 'and now?', tools: [] })
  })

  test('a turn that was broken off lends no evidence to the next, in Copilot too', async () => {
    const { send, last } = open()
    const base = { sessionId: 's1', cwd: '/project' }
    const prompt = (text: string) =>
      send('copilot', 'userPromptTransformed', {
        ...base,
        prompt: text,
        transformedPrompt: `<now>\n\n${text}`,
      })
    await prompt('publish it')
    await send('copilot', 'postToolUse', {
      ...base,
      toolName: 'bash',
      toolArgs: { command: 'publish' },
      toolResult: { resultType: 'success', textResultForLlm: 'https://example.com/x' },
    })
    await prompt('now the other one')
    await send('copilot', 'agentStop', { ...base, response: 'Published.' })
    expect(last('on_completion_claim')).toMatchObject({
      goal: expect.stringContaining('now the other one'),
      tools: [],
    })
  })

  test('an end without tools and without such words is none', async () => {
    const { claude, events } = open()
    await claude('Stop', { last_assistant_message: 'Which of the two do you mean?' })
    expect(events()).toEqual(['on_stop'])
  })

  test('a refusal sends the agent on with its reason', async () => {
    const { claude } = open((event) =>
      event === 'on_completion_claim' ? blocks('nothing was published') : undefined,
    )
    expect(await claude('Stop', { last_assistant_message: 'Published!' })).toEqual({
      decision: 'block',
      reason: 'nothing was published',
    })
  })
})

describe('A turn is sent on at most three times, whatever asks for it', () => {
  test('stop and claim count together; then it ends, and the owner is told', async () => {
    const { claude, told, last } = open((event, _, times) =>
      event === 'on_stop' ? (times === 1 ? blocks('first') : undefined) : blocks('not published'),
    )
    const stop = () => claude('Stop', { last_assistant_message: 'Published!' })
    expect([await stop(), await stop(), await stop(), await stop()]).toEqual([
      { decision: 'block', reason: 'first' },
      { decision: 'block', reason: 'not published' },
      { decision: 'block', reason: 'not published' },
      undefined,
    ])
    expect(last('on_stop')).toMatchObject({ stop_hook_active: true })
    expect(told).toEqual([
      '⚠ claude-code was refused 3 times and now ends its turn. The last reason was: not published',
    ])
    // The next turn begins anew, also where a client tells nothing of it.
    expect(await stop()).toEqual({ decision: 'block', reason: 'not published' })
  })

  test('a continuation that shows itself as a prompt is no new turn, and no hook hears it', async () => {
    const { send, events } = open((event) =>
      event === 'on_stop' ? { ...blocks('look again'), contexts: ['at the tests'] } : undefined,
    )
    const base = { sessionId: 's1' }
    const stops = []
    for (let round = 0; round < 4; round++) {
      const answer = await send('copilot', 'agentStop', { ...base, response: 'ok' })
      stops.push(answer)
      if (answer !== undefined)
        expect(
          await send('copilot', 'userPromptSubmitted', { ...base, prompt: answer['reason'] ?? '' }),
        ).toBeUndefined()
    }
    expect(stops.map((answer) => answer?.['decision'])).toEqual(['block', 'block', 'block', undefined])
    expect(events()).not.toContain('on_user_message')
    await send('copilot', 'userPromptSubmitted', { ...base, prompt: 'look again, please' })
    expect(events()).toContain('on_user_message')
  })

  test('a continuation that says more than that, as where other hooks refused too, is heard, but counts as no new turn', async () => {
    const { send, events } = open((event) => (event === 'on_stop' ? blocks('look again') : undefined))
    const base = { hook_event_name: 'AfterAgent', prompt: 'fix it', stop_hook_active: false }
    const stops = []
    for (let round = 0; round < 4; round++) {
      stops.push(await send('gemini', 'AfterAgent', { ...base, prompt_response: 'ok' }))
      await send('gemini', 'BeforeAgent', {
        ...base,
        hook_event_name: 'BeforeAgent',
        prompt: 'look again\nand lint it',
      })
    }
    expect(stops.map((answer) => answer?.['decision'])).toEqual(['deny', 'deny', 'deny', undefined])
    expect(events().filter((event) => event === 'on_user_message')).toHaveLength(4)
  })

  test('what the agent asks of its own subagent begins no turn: neither the count nor the goal is in its hands', async () => {
    const { send, last } = open((event) => (event === 'on_stop' ? blocks('look again') : undefined))
    const codex = (event: string, more: JsonObject) =>
      send('codex', event, { hook_event_name: event, ...more })
    await codex('UserPromptSubmit', { prompt: 'publish it' })
    const stops = []
    for (let round = 0; round < 4; round++) {
      stops.push(await codex('Stop', { last_assistant_message: 'ok' }))
      await codex('UserPromptSubmit', { agent_id: 'a1', prompt: 'say hello' })
    }
    expect(stops.map((answer) => answer?.['decision'])).toEqual(['block', 'block', 'block', undefined])
    const claim = open()
    const claimed = (event: string, more: JsonObject) =>
      claim.send('codex', event, { hook_event_name: event, ...more })
    await claimed('UserPromptSubmit', { prompt: 'publish it' })
    await claimed('PostToolUse', { ...bash, tool_response: 'x' })
    await claimed('UserPromptSubmit', { agent_id: 'a1', prompt: 'say hello' })
    await claimed('Stop', { last_assistant_message: 'Done.' })
    expect(claim.last('on_completion_claim')).toMatchObject({ goal: 'publish it', tool_names: ['bash'] })
    expect(last('on_user_message')).toMatchObject({ message: 'say hello' })
  })

  test('a hook that ends the turn ends it', async () => {
    const { claude } = open(() => ({ ...blocks('over'), stopsTurn: true }))
    for (let round = 0; round < 5; round++)
      expect(await claude('Stop', { last_assistant_message: 'ok' })).toEqual({
        continue: false,
        stopReason: 'over',
      })
  })

  test('sessions do not count for one another, nor clients', async () => {
    const { send } = open((event) => (event === 'on_stop' ? blocks('again') : undefined))
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      expect(await send('claude-code', 'Stop', { session_id: id, hook_event_name: 'Stop' })).toMatchObject({
        decision: 'block',
      })
    for (const id of ['a', 'b'])
      expect(await send('copilot', 'agentStop', { sessionId: id })).toMatchObject({ decision: 'block' })
  })
})

test('A client that cannot end its turn gets no further step in it, once a hook ended it', async () => {
  const { send, events } = open((event, _, times) =>
    event === 'pre_tool_call' && times === 1 ? { ...blocks('enough'), stopsTurn: true } : undefined,
  )
  const step = {
    ...bash,
    hook_event_name: 'PreToolUse',
    turn_id: 't',
    permission_mode: 'default',
    model: 'm',
  }
  const denied = (why: string) => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: why,
    },
  })
  expect(await send('codex', 'PreToolUse', step)).toMatchObject(denied('enough'))
  expect(await send('codex', 'PreToolUse', step)).toEqual(denied('A hook ended this turn: enough'))
  expect(events()).toHaveLength(1)
  await send('codex', 'UserPromptSubmit', {
    hook_event_name: 'UserPromptSubmit',
    prompt: 'go on',
    turn_id: 'u',
    permission_mode: 'default',
    model: 'm',
  })
  expect(await send('codex', 'PreToolUse', step)).toBeUndefined()
})

describe("What cannot be judged is refused in the client's words", () => {
  test.each([
    ['garbage', 'garbage'],
    ['nothing', ''],
    ['a list', '[]'],
    ['no session', '{}'],
    ['no tool', JSON.stringify({ session_id: 's', cwd: '/' })],
    [
      'arguments that are a text',
      JSON.stringify({ session_id: 's', cwd: '/', tool_name: 'Bash', tool_input: 'ls' }),
    ],
    [
      'depth',
      `{"session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
    ],
  ])('%s', async (_, stdin) => {
    const { send, fired, records } = open()
    expect(await send('claude-code', 'PreToolUse', stdin)).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
    })
    expect(await send('claude-code', 'Stop', stdin === '' ? '[' : stdin.replace('"s"', '5'))).toBeUndefined()
    expect(fired).toEqual([])
    expect(records).toMatchObject([
      { kind: 'trouble', subject: 'bridge', outcome: 'unreadable' },
      { outcome: 'unreadable' },
    ])
  })

  test('a failure inside the gate', async () => {
    const { claude } = open(() => {
      throw new Error('out of order')
    })
    expect(await claude('PreToolUse', bash)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: 'hookgate could not judge this: out of order',
      },
    })
    expect(await claude('Stop')).toBeUndefined()
  })
})

test('An event of a newer client passes, is recorded and counted', async () => {
  const { claude, send, desk, records } = open()
  for (let round = 0; round < 3; round++) expect(await claude('FooBar', { anything: 1 })).toBeUndefined()
  for (let at = 0; at < 300; at++) await send('codex', `Event${at}`, {})
  expect(records[0]).toMatchObject({
    kind: 'trouble',
    outcome: 'passed',
    reason: 'claude-code sent an event FooBar that this hookgate does not know',
  })
  expect(desk.strangers()[0]).toEqual({ client: 'claude-code', event: 'FooBar', count: 3 })
  expect(desk.strangers()).toHaveLength(100)
})

test('What the hooks rewrote is what runs, whole', async () => {
  const { claude } = open(() => ({ payload: { tool_input: { command: 'ls -l' } } as never }))
  expect(await claude('PreToolUse', { ...bash, tool_input: { command: 'ls', timeout: 5 } })).toEqual({
    hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'ls -l' } },
  })
})

test('The answer is one object whatever the client sends', async () => {
  const { desk } = open()
  const odd: readonly Json[] = [
    null,
    1,
    'x',
    [],
    {},
    { session_id: {} },
    { session_id: 's', cwd: 1 },
    { session_id: 's'.repeat(100_000), cwd: '/', tool_name: 'Bash', tool_input: {} },
  ]
  for (const stdin of odd) {
    for (const event of [
      'PreToolUse',
      'Stop',
      'PostToolUse',
      'SessionStart',
      'UserPromptSubmit',
      '__proto__',
    ]) {
      const answer = await desk.answer('claude-code', event, { text: JSON.stringify(stdin) }, { chain: [] })
      expect(answer === undefined || isObject(answer)).toBe(true)
    }
  }
})

test('the canary is refused before its call and unheard of by hooks; a result under its name is judged like any', async () => {
  const { claude, fired, last } = open((event) =>
    event === 'transform_tool_result' ? { verdict: 'block', reason: 'a secret' } : undefined,
  )
  const call = { tool_name: canaryTool, tool_input: {} }
  expect(await claude('PreToolUse', call)).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: canaryWords },
  })
  expect(fired).toEqual([])
  expect(JSON.stringify(await claude('PostToolUse', { ...call, tool_response: 'ghp_1' }))).toContain(
    'a secret',
  )
  await claude('PostToolUseFailure', { ...call, error: 'it broke' })
  expect(last('on_tool_error')).toMatchObject({ tool_name: canaryTool })
})

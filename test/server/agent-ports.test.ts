import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { plain } from '../../src/core/model/chat/content.ts'
import { disclosed } from '../../src/shared/hooks/disclosed.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import { createAgentPorts, type GatePorts } from '../../src/server/agent-ports.ts'
import { createBuiltinExchange } from '../../src/server/exchange.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import { verdictOn } from '../verdict.ts'

const payload: Payload = {
  event: 'pre_tool_call',
  event_id: 'e1',
  timestamp: 't',
  session_id: 's',
  agent_id: 'main',
  cwd: '/w',
  attempt: 1,
  tool_name: 'bash',
}

const allowed = verdictOn(payload, 'allow', 1)

const begin = (over: Partial<GatePorts> = {}) => {
  const calls: {
    fired: Parameters<GatePorts['fire']>[0][]
    pushed: Parameters<GatePorts['push']>[0][]
    began: string[]
    ended: string[]
  } = { fired: [], pushed: [], began: [], ended: [] }
  const ports = createAgentPorts({
    fire: async (request) => {
      calls.fired.push(request)
      return { kind: 'verdict', verdict: allowed }
    },
    push: async (push) => {
      calls.pushed.push(push)
      return { outcome: 'delivered', event_id: 'e2' }
    },
    subscribe: () => () => undefined,
    file: () => undefined,
    turnBegan: (agent, prompt) => void calls.began.push(`${agent} ${prompt}`),
    turnEnded: (agent, prompt) => void calls.ended.push(`${agent} ${prompt}`),
    isOwnChat: (agent, { chat_id }) => agent === 'main' && chat_id !== 'foreign',
    handle: (fingerprint) => `shown-${fingerprint}`,
    newId: () => 'new-id',
    builtins: createBuiltinExchange({ newId: randomUUID }),
    disclosed: () => '',
    workspace: '/workspace',
    ...over,
  })
  return { ...ports, calls }
}

const body = { session_id: 's1', cwd: '/w', tool_name: 'bash', tool_input: { command: 'ls' } }
const options = { chain: [] }

describe('an event', () => {
  test('goes to the gate with its agent, session and fields, and the verdict comes back as the interface says', async () => {
    const verdict: Verdict = {
      ...allowed,
      verdict: 'block',
      reason: 'no',
      by: 'guard',
      contexts: ['one', 'two'],
      notes: ['a note'],
      hooks: [
        {
          fingerprint: 'f1',
          label: 'guard',
          fired: true,
          why: 'matched',
          durationMs: 3,
          answer: {
            kind: 'block',
            reason: 'no',
            notes: ['a note'],
            context: 'private',
            rewrite: { tool_input: {} },
          },
        },
        {
          fingerprint: 'f2',
          label: 'slow',
          fired: true,
          why: 'matched',
          answer: { kind: 'fault', notes: [], fault: { kind: 'timeout', detail: 'late' } },
        },
        { fingerprint: 'f3', label: 'idle', fired: false, why: 'was not reached' },
      ],
    }
    const { fire, calls } = begin({
      fire: async (request) => {
        calls.fired.push(request)
        return { kind: 'verdict', verdict }
      },
    })
    expect(await fire('main', 'pre_tool_call', body, { deadlineMs: 500, chain: ['on_stop:a'] })).toEqual({
      status: 200,
      body: {
        verdict: 'block',
        reason: 'no',
        payload,
        context: 'one\n\ntwo',
        notes: ['a note'],
        event_id: 'e1',
        hooks: [
          { handle: 'shown-f1', fired: true, why: 'matched', answer: { kind: 'block', reason: 'no' } },
          {
            handle: 'shown-f2',
            fired: true,
            why: 'matched',
            answer: { kind: 'fault', fault: { kind: 'timeout', detail: 'late' } },
          },
          { handle: 'shown-f3', fired: false, why: 'was not reached' },
        ],
      },
    })
    expect(calls.fired).toEqual([
      {
        agentId: 'main',
        event: 'pre_tool_call',
        sessionId: 's1',
        cwd: '/w',
        fields: { tool_name: 'bash', tool_input: { command: 'ls' } },
        deadlineMs: 500,
        takesChange: true,
        takesAnswers: true,
        chain: ['on_stop:a'],
      },
    ])
  })

  test('without session or folder gets a name and the workspace', async () => {
    const { fire, calls } = begin()
    await fire('main', 'on_stop', { session_id: '', cwd: '' }, options)
    expect(calls.fired[0]).toMatchObject({ sessionId: 'unnamed', cwd: '/workspace' })
    expect(calls.fired[0]).not.toHaveProperty('address')
    expect(calls.fired[0]).not.toHaveProperty('deadlineMs')
  })

  test('that names a chat ties the session to it, for this agent only', async () => {
    const { fire, calls } = begin({ isOwnChat: () => true })
    await fire('main', 'on_user_message', { ...body, channel: 'telegram', chat_id: '7' }, options)
    await fire('main', 'pre_tool_call', body, options)
    await fire('main', 'pre_tool_call', { ...body, session_id: 's2' }, options)
    await fire('helper', 'pre_tool_call', body, options)
    expect(calls.fired.map(({ address }) => address)).toEqual([
      { channel: 'telegram', chat_id: '7' },
      { channel: 'telegram', chat_id: '7' },
      undefined,
      undefined,
    ])
  })

  test('that names a chat of somebody else is refused and asks no hook', async () => {
    const { fire, calls } = begin()
    expect(
      await fire(
        'main',
        'on_outbound_message',
        { ...body, channel: 'telegram', chat_id: 'foreign' },
        options,
      ),
    ).toEqual({
      status: 403,
      error: {
        code: 'chat.foreign',
        message: "Expected one of this agent's own chats, got telegram:foreign.",
        fix: 'Answer in a chat that wrote to this agent.',
      },
    })
    expect(calls.fired).toEqual([])
    await fire('main', 'on_stop', body, options)
    expect(calls.fired[0]).not.toHaveProperty('address')
  })

  test('that names a prompt tells the inbox that its turn has begun, before the hooks; one that ends a turn, that it has ended', async () => {
    const { fire, calls } = begin({
      fire: async () => {
        expect(calls.began).not.toEqual([])
        return { kind: 'verdict', verdict: allowed }
      },
    })
    await fire('main', 'on_turn_end', { ...body, prompt_id: 'p7' }, options)
    await fire('main', 'on_stop', { ...body, prompt_id: 'p8' }, options)
    expect(calls.ended).toEqual(['main p7'])
    expect(calls.began).toEqual(['main p7', 'main p8'])
  })

  test('that a chain of hooks caused is a conflict with the loop named', async () => {
    const { fire } = begin({ fire: async () => ({ kind: 'loop', why: 'a → b → c' }) })
    expect(await fire('main', 'on_stop', body, options)).toMatchObject({
      status: 409,
      error: {
        code: 'hook.loop',
        message: 'Expected an event that no chain of hooks caused, got a → b → c.',
      },
    })
  })
})

test('an agent names no files for hooks to open: those come in with a push alone', async () => {
  const { fire, calls } = begin()
  await fire(
    'main',
    'on_outbound_message',
    {
      ...body,
      notification: 'hi',
      files: [{ name: 'a', path: '/etc/shadow', size: 1, type: 'text/plain' }],
      before: 'x',
    },
    options,
  )
  expect(calls.fired.at(-1)).toMatchObject({ fields: { notification: 'hi', files: [] } })
  expect(JSON.stringify(calls.fired.at(-1))).not.toContain('before')
})

describe('a push', () => {
  test('goes to the gate in the workspace, with an id of its own when it has none, and its outcome comes back', async () => {
    const { push, calls } = begin()
    expect(await push('main', { channel: 'telegram', chat_id: '7', ...plain('text', 'hello') })).toEqual({
      status: 200,
      body: { outcome: 'delivered', event_id: 'e2' },
    })
    await push('main', {
      channel: 'telegram',
      chat_id: '7',
      ...plain('text', 'hello'),
      push_id: 'p',
      session_id: 's',
    })
    expect(calls.pushed).toEqual([
      {
        push_id: 'new-id',
        agent_id: 'main',
        session_id: 'unnamed',
        cwd: '/workspace',
        ...plain('text', 'hello'),
        channel: 'telegram',
        chat_id: '7',
      },
      {
        push_id: 'p',
        agent_id: 'main',
        session_id: 's',
        cwd: '/workspace',
        ...plain('text', 'hello'),
        channel: 'telegram',
        chat_id: '7',
      },
    ])
  })

  test('to a chat of somebody else is refused', async () => {
    const { push, calls } = begin()
    expect(
      await push('main', { channel: 'telegram', chat_id: 'foreign', ...plain('text', 'x') }),
    ).toMatchObject({ status: 403, error: { code: 'chat.foreign' } })
    expect(await push('helper', { channel: 'telegram', chat_id: '7', ...plain('text', 'x') })).toMatchObject({
      status: 403,
    })
    expect(calls.pushed).toEqual([])
  })

  test.each([
    ['too_large', 413],
    ['empty', 400],
    ['form', 400],
    ['target', 404],
    ['full', 503],
    ['chat_full', 429],
    ['loop', 409],
  ] as const)('that is %s has the status %i', async (refused, status) => {
    const { push } = begin({ push: async () => ({ refused, message: 'Expected less.', fix: 'Send less.' }) })
    expect(await push('main', { channel: 'telegram', chat_id: '7', ...plain('text', 'x') })).toEqual({
      status,
      error: { code: `push.${refused}`, message: 'Expected less.', fix: 'Send less.' },
    })
  })
})

test('ten thousand sessions are remembered, the oldest is forgotten first', async () => {
  const { fire, calls } = begin()
  const inChat = (session_id: string) =>
    fire('main', 'on_stop', { ...body, session_id, channel: 'telegram', chat_id: '7' }, options)
  for (let count = 0; count <= 10_000; count++) await inChat(`s${count}`)
  calls.fired.length = 0
  for (const session_id of ['s0', 's1', 's10000'])
    await fire('main', 'on_stop', { ...body, session_id }, options)
  expect(calls.fired.map(({ address }) => address?.chat_id)).toEqual([undefined, '7', '7'])
})

describe('what an agent is told of the hooks in force', () => {
  test('is said once, when a session begins, after what the hooks themselves said', async () => {
    const { fire } = begin({
      disclosed: () => 'Hooks are in force here:\n- guard: keeps keys in',
      fire: () => Promise.resolve({ kind: 'verdict', verdict: { ...allowed, contexts: ['one'] } }),
    })
    expect(await fire('main', 'on_session_start', { session_id: 's1', cwd: '/w' }, options)).toMatchObject({
      body: { context: 'one\n\nHooks are in force here:\n- guard: keeps keys in' },
    })
    expect(await fire('main', 'on_user_message', { session_id: 's1', cwd: '/w' }, options)).toMatchObject({
      body: { context: 'one' },
    })
  })
  test('in a lockdown the hooks that do not fire, and no shadow among them', async () => {
    const hook = { fingerprint: 'f', label: 'guard', fired: false, why: 'the gate is in lockdown' }
    const hooks = [hook, { ...hook, label: 'wide', isShadow: true as const }]
    const { fire } = begin({
      fire: () => Promise.resolve({ kind: 'verdict', verdict: { ...allowed, hooks } }),
    })
    expect(await fire('main', 'on_user_message', { session_id: 's1', cwd: '/w' }, options)).toMatchObject({
      body: { hooks: [{ fired: false, why: 'the gate is in lockdown' }] },
    })
  })
  test('names and descriptions, on a line each, and never what a hook is made of', () => {
    expect(
      disclosed([
        { entry: { name: 'guard', description: 'keeps\n- keys in' } },
        { entry: { name: 'secret' } },
        { entry: { description: 'x' } },
        { entry: { name: 'shadow', description: 'never decides' }, isShadow: true },
      ]),
    ).toBe('Hooks are in force here:\n- guard: keeps - keys in\n- unnamed: x')
    expect(disclosed([{ entry: { name: 'a' } }])).toBe('')
    expect(
      disclosed(
        Array.from({ length: 1000 }, (_, index) => ({
          entry: { name: `a${index}`, description: 'd'.repeat(1000) },
        })),
      ).length,
    ).toBe(4000)
  })
})

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startAgentHost } from '../../src/agents/agents.ts'
import type { InboxLine } from '../../src/shared/events/inbox-line.ts'
import { createAgentPorts } from '../../src/server/agent-ports.ts'
import { createBuiltinExchange, type BuiltinExchange } from '../../src/server/exchange.ts'
import type { AgentPorts } from '../../src/server/ports.ts'
import { startAgentServer } from '../../src/server/server.ts'
import { until } from '../until.ts'

const question = { name: 'add_user_info', args: [], cwd: '/', payload: {} }
const patient = { timeoutMs: 20_000 }

const connect = (exchange: BuiltinExchange, agentId: string) => {
  const lines: InboxLine[] = []
  return {
    lines,
    ids: () => lines.flatMap((line) => (line.type === 'builtin' ? [line.id] : [])),
    end: exchange.subscribe(agentId, (line) => lines.push(line)),
  }
}

describe('a question to an agent host', () => {
  test('goes out as one line, and the answer is taken once, by its id', async () => {
    const exchange = createBuiltinExchange({ newId: randomUUID })
    const { lines, ids } = connect(exchange, 'main')
    const asked = exchange.ask('main', question, patient)
    expect(lines).toEqual([{ type: 'builtin', id: expect.any(String), ...question }])
    const [id = ''] = ids()
    expect(exchange.answer('main', 'other', {})).toBe(false)
    expect(exchange.answer('main', id, { context: 'first' })).toBe(true)
    expect(exchange.answer('main', id, { context: 'second' })).toBe(false)
    expect(await asked).toEqual({ kind: 'answer', body: { context: 'first' } })
  })

  test('is answered by nobody but the agent that was asked', async () => {
    const exchange = createBuiltinExchange({ newId: randomUUID })
    const main = connect(exchange, 'main')
    connect(exchange, 'helper')
    const asked = exchange.ask('main', question, patient)
    const [id = ''] = main.ids()
    expect(exchange.answer('helper', id, { context: 'lie' })).toBe(false)
    expect(exchange.answer('main', id, { context: 'truth' })).toBe(true)
    expect(await asked).toMatchObject({ body: { context: 'truth' } })
  })

  test('has an end: nobody there, gone meanwhile, late, stopped, too many', async () => {
    const exchange = createBuiltinExchange({ newId: randomUUID })
    expect(await exchange.ask('main', question, patient)).toEqual({ kind: 'away' })
    const host = connect(exchange, 'main')
    const left = exchange.ask('main', question, patient)
    host.end()
    expect(await left).toEqual({ kind: 'away' })
    const { ids } = connect(exchange, 'main')
    expect(await exchange.ask('main', question, { timeoutMs: 20 })).toEqual({ kind: 'late' })
    expect(exchange.answer('main', ids()[0] ?? '', {})).toBe(false)
    const abort = new AbortController()
    const stopped = exchange.ask('main', question, { timeoutMs: 20_000, signal: abort.signal })
    abort.abort()
    expect(await stopped).toEqual({ kind: 'stopped' })
    const waiting = Array.from({ length: 64 }, () => exchange.ask('main', question, { timeoutMs: 100 }))
    expect(await exchange.ask('main', question, patient)).toEqual({ kind: 'busy' })
    expect(new Set((await Promise.all(waiting)).map(({ kind }) => kind))).toEqual(new Set(['late']))
  })

  test('is not lost when a host connects again before its old stream has ended', async () => {
    const exchange = createBuiltinExchange({ newId: randomUUID })
    const old = connect(exchange, 'main')
    const { ids } = connect(exchange, 'main')
    const asked = exchange.ask('main', question, patient)
    old.end()
    exchange.answer('main', ids()[0] ?? '', { context: 'x' })
    expect(await asked).toMatchObject({ kind: 'answer' })
  })
})

describe('over the socket', () => {
  let folder = ''
  let ends: (() => unknown)[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookgate-builtins-'))
    ends = []
  })
  afterEach(async () => {
    for (const end of ends.toReversed()) await end()
    rmSync(folder, { recursive: true, force: true })
  })

  const begin = async (over: Partial<AgentPorts> = {}) => {
    const exchange = createBuiltinExchange({ newId: randomUUID })
    const refuse = (): never => {
      throw new Error('not asked here')
    }
    const ports = createAgentPorts({
      fire: refuse,
      push: refuse,
      file: () => undefined,
      turnBegan: () => undefined,
      turnEnded: () => undefined,
      isOwnChat: () => true,
      handle: () => '',
      disclosed: () => '',
      newId: randomUUID,
      workspace: folder,
      subscribe: () => () => undefined,
      builtins: exchange,
    })
    const socketPath = join(folder, 'main.sock')
    const server = await startAgentServer({
      agentId: 'main',
      socketPath,
      log: () => undefined,
      ports: { ...ports, ...over },
    })
    ends.push(() => server.stop())
    const post = (
      path: string,
      body: string,
      method = 'POST',
    ): Promise<{ status: number | undefined; body: string }> =>
      new Promise((resolve, reject) => {
        const sent = request({ socketPath, path, method, agent: false }, (response) => {
          void text(response).then((body) => resolve({ status: response.statusCode, body }))
        })
        sent.on('error', reject)
        sent.end(body)
      })
    return { exchange, post, socketPath }
  }

  test('an answer is bounded in size, and one that nobody waits for is refused', async () => {
    const { exchange, post } = await begin()
    const { ids } = connect(exchange, 'main')
    const asked = exchange.ask('main', question, patient)
    const [id = ''] = ids()
    expect(await post(`/v1/builtins/${id}`, JSON.stringify({ context: 'x'.repeat(70_000) }))).toMatchObject({
      status: 413,
    })
    expect(await post(`/v1/builtins/${id}`, 'no')).toMatchObject({ status: 400 })
    expect(await post(`/v1/builtins/${randomUUID()}`, '{}')).toMatchObject({
      status: 404,
      body: expect.stringContaining('builtin.unknown'),
    })
    expect(await post(`/v1/builtins/${id}`, '{"context":"x"}', 'PUT')).toMatchObject({ status: 404 })
    expect(await post(`/v1/builtins/${id}`, '{"context":"x"}')).toEqual({ status: 200, body: '{}' })
    expect(await post(`/v1/builtins/${id}`, '{"context":"y"}')).toMatchObject({ status: 404 })
    expect(await asked).toEqual({ kind: 'answer', body: { context: 'x' } })
  })

  test('an answer comes through while as many events wait as may, for they may wait for it', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    let waiting = 0
    const { exchange, post } = await begin({
      fire: async () => {
        waiting++
        await released
        return { status: 200, body: {} }
      },
    })
    const { ids } = connect(exchange, 'main')
    const asked = exchange.ask('main', question, patient)
    const events = Array.from({ length: 64 }, () =>
      post(
        '/v1/events/on_notification',
        JSON.stringify({ session_id: 's', cwd: '/', level: 'x', message: 'x' }),
      ),
    )
    await until('all events to wait', () => waiting === 64)
    expect(
      await post(
        '/v1/events/on_notification',
        JSON.stringify({ session_id: 's', cwd: '/', level: 'x', message: 'x' }),
      ),
    ).toMatchObject({ status: 429 })
    expect(await post(`/v1/builtins/${ids()[0]}`, '{}')).toMatchObject({ status: 200 })
    expect(await asked).toMatchObject({ kind: 'answer' })
    release(undefined)
    await Promise.all(events)
  })

  test('a real agent host answers while one of its turns waits for a verdict', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    const fired: string[] = []
    const prompts = new Set<(line: InboxLine) => void>()
    const { exchange, socketPath } = await begin({
      fire: async (_agent, event, body) => {
        fired.push(event)
        if (event === 'on_session_start') await released
        return { status: 200, body: { verdict: 'allow', payload: body, hooks: [], event_id: 'e' } }
      },
      push: async () => ({ status: 200, body: { outcome: 'delivered', event_id: 'e' } }),
      subscribe: (agentId, send) => {
        prompts.add(send)
        return exchangeOf().subscribe(agentId, send)
      },
    })
    const exchangeOf = (): BuiltinExchange => exchange
    const host = startAgentHost({
      agentId: 'main',
      make: { kind: 'demo' },
      socketPath,
      workspace: folder,
      log: () => undefined,
      onExit: () => undefined,
    })
    ends.push(() => host.stop())
    await until('the host to follow', () => prompts.size > 0)
    for (const send of prompts)
      send({
        type: 'prompt',
        prompt_id: 'p',
        channel: 'web',
        chat_id: 'main',
        sender_id: 'o',
        sender_name: 'O',
        text: 'say hi',
      })
    await until('the turn to wait', () => fired.includes('on_session_start'))
    expect(
      await exchange.ask('main', { ...question, name: 'add_directory_listing', cwd: folder }, patient),
    ).toEqual({ kind: 'answer', body: { context: 'Directory listing:\nmain.sock' } })
    expect(await exchange.ask('main', { ...question, name: 'no_such' }, patient)).toMatchObject({
      body: { error: expect.stringContaining('no_such') },
    })
    expect(fired).not.toContain('on_turn_end')
    release(undefined)
    await until('the turn to end', () => fired.includes('on_turn_end'))
  })
})

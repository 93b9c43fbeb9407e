import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startProgram, until, type Program } from '../../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, type Chat } from '../../e2e/rig.ts'
import { startBotApi, type BotApi } from '../../fixtures/bot-api/server.ts'
import { send } from '../../permissions/caller.ts'
import { overHttp, overStdio, type ToolClient } from './client.ts'

let api: BotApi
let program: Program
let phone: Chat

beforeAll(async () => {
  api = await startBotApi({ token: '123456:test-token' })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  await put(
    program,
    'guard.sh',
    `#!/bin/sh\nif grep -q 'for[b]idden'; then printf '%s' '{"decision": "block", "reason": "no such words"}'; fi\n`,
  )
  await arm(program, phone, [
    { event: 'on_outbound_message', command: './guard.sh', name: 'Words', on_error: 'block' },
    { event: 'pre_tool_call', matcher: 'bidden', command: './guard.sh', description: 'It guards words.' },
  ])
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

/** Each way with another version of the protocol. */
const ways = [
  ['stdio', (gate: string) => overStdio(gate)],
  ['HTTP on the socket', (gate: string) => overHttp(gate, 'auto')],
] as const

test.each([
  ['stdio and the protocol of 2026', (gate: string) => overStdio(gate, 'auto')],
  ['HTTP and the protocol before', (gate: string) => overHttp(gate)],
])('a client over %s is served, too', async (_, connect) => {
  const client = await connect(program.gate)
  expect(await client.names()).toHaveLength(5)
  expect((await client.call('list_hooks')).text).toMatch(/^Hooks are ON\./)
  await client.close()
})

describe.each(ways)('a client of MCP over %s', (_, connect) => {
  let client: ToolClient
  beforeEach(async () => {
    client = await connect(program.gate)
  })
  afterEach(() => client.close())

  test('finds five tools, none of which can open the gate', async () => {
    expect(await client.names()).toEqual(['ask_owner', 'list_hooks', 'propose_hook', 'why', 'notify_owner'])
  })

  test('asks the owner, who answers by a tap in the chat', async () => {
    const from = phone.texts().length
    const answer = client.call('ask_owner', { question: 'Which one?', options: ['Red', 'Blue'] })
    await phone.reply(/main asks you:\n│ Which one\?\n1\. Red\n2\. Blue/, from)
    await api.read()
    api.tap('2')
    expect(await answer).toEqual({ text: 'The owner answered: Blue', isError: false })

    const again = phone.texts().length
    const yes = client.call('ask_owner', { question: 'Shall I go on?' })
    await phone.reply(/│ Shall I go on\?\n1\. Yes\n2\. No/, again)
    await api.read()
    api.tap('1')
    expect(await yes).toEqual({ text: 'The owner answered: Yes', isError: false })
  })

  test('is told that nobody answered, and that the owner does not want to', async () => {
    expect(await client.call('ask_owner', { question: 'Is anybody there?', wait_seconds: 5 })).toEqual({
      text: 'Nobody answered within 5 s, and the question is closed. That is neither a yes nor a no. Go on without the answer, or ask again later.',
      isError: true,
    })
    const from = phone.texts().length
    const refused = client.call('ask_owner', { question: 'Again?' })
    await phone.reply(/│ Again\?/, from)
    await api.read()
    api.tap('Do not answer')
    expect(await refused).toEqual({ text: 'The person does not want to answer.', isError: false })
  })

  test('notifies the owner, and a hook judges the message', async () => {
    const from = phone.texts().length
    expect(await client.call('notify_owner', { text: 'The build is done.' })).toEqual({
      text: 'The message was delivered.',
      isError: false,
    })
    await phone.reply(/^The build is done\.$/, from)
    const withheld = await client.call('notify_owner', { text: 'These are forbidden words.' })
    expect(withheld).toEqual({ text: 'The message was withheld: no such words', isError: true })
    expect(phone.texts().join('\n')).not.toContain('These are forbidden words.')
  })

  test('lists the hooks, and learns why a step was blocked', async () => {
    expect(await client.call('list_hooks')).toEqual({
      text: expect.stringMatching(
        /^Hooks are ON\.\n- on_outbound_message · Words · approved\n- pre_tool_call · \.\/guard\.sh · approved\n {2}It guards words\./,
      ) as string,
      isError: false,
    })
    const { body } = await send({ home: program.gate }, 'pre_tool_call', {
      tool_name: 'bash',
      tool_input: { command: 'forbidden' },
    })
    const why = await client.call('why', { event_id: body.event_id })
    expect(why.text.replace(/at \S+Z/, 'at T')).toBe(
      `pre_tool_call: block at T\ntool bash\n- ./guard.sh was asked: matched\n  block: no such words\nevent ${body.event_id}`,
    )
    expect(await client.call('why')).toEqual(why)
    expect(await client.call('why', { event_id: 'x' })).toEqual({
      text: 'There is no record of an event "x" of this agent.',
      isError: true,
    })
  })

  test('proposes a hook, which waits for the owner and does nothing', async () => {
    const from = phone.texts().length
    const name = `Proposed over ${_}`
    const hook = { event: 'pre_tool_call', command: './guard.sh', matcher: `x${_.length}`, name }
    expect(await client.call('propose_hook', hook)).toEqual({
      text: 'The proposal is in config/shell_hooks.yaml, and the owner is told. It does nothing until the owner approves it in the chat.',
      isError: false,
    })
    await phone.reply(
      new RegExp(`NOT approved\\n${name}\\nasked before a tool runs, where its pattern`),
      from,
    )
    expect((await client.call('list_hooks')).text).toContain(
      `- pre_tool_call · ${name} · NOT approved, so it does nothing`,
    )
    const file = await readFile(join(program.workspace, 'config/shell_hooks.yaml'), 'utf8')
    expect(file).toContain(name)
    const twice = await client.call('propose_hook', hook)
    expect(twice.text).toContain('proposes this hook already')
    const wrong = await client.call('propose_hook', { ...hook, event: 'pre_tool' })
    expect(wrong.isError).toBe(true)
    expect(wrong.text).toContain('to be the name of an event, got "pre_tool"')
    expect(await readFile(join(program.workspace, 'config/shell_hooks.yaml'), 'utf8')).toBe(file)
  })

  test('gets plain words for arguments that do not fit', async () => {
    const wrong = await client.call('ask_owner', { question: 'x'.repeat(3000) })
    expect(wrong.isError).toBe(true)
    expect(wrong.text).toContain('2000')
    const unknown = await client.call('list_hooks', { approve: 'all' })
    expect(unknown.isError).toBe(true)
  })
})

test('a client that gives up takes its question back', async () => {
  const client = await overStdio(program.gate)
  const from = phone.texts().length
  const leaving = new AbortController()
  const asked = client.call('ask_owner', { question: 'Still there?' }, leaving.signal)
  await phone.reply(/│ Still there\?/, from)
  leaving.abort()
  await expect(asked).rejects.toThrow()
  await until(
    'the card to end',
    () =>
      !phone
        .texts()
        .slice(from)
        .some((text) => /^🛡 \w{5} main asks/.test(text)),
  )
  await client.close()
})

test('a client that starts before the gate is told in words that the gate is away', async () => {
  const client = await overStdio(join(program.home, 'no-gate'))
  expect(await client.names()).toHaveLength(5)
  const { text, isError } = await client.call('list_hooks')
  expect(isError).toBe(true)
  expect(text).toMatch(
    /^hookgate cannot be reached \(.*\)\. Is "hookgate start" running with this HOOKGATE_HOME\?$/,
  )
  await client.close()
})

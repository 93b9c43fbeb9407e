import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { EVENTS, isEventName } from '../../src/core/model/events/event.ts'
import { createScriptedGate, type Fired, type ScriptedGate } from './scripted-gate.ts'

// One host serves the whole file: `new` between the tests gives each a session of its own.
let gate: ScriptedGate
beforeAll(async () => {
  gate = await createScriptedGate()
  gate.startHost()
})
afterAll(() => gate.close())
beforeEach(async () => {
  gate.script = () => undefined
  if (gate.isFollowed()) gate.send({ type: 'new', channel: 'web', chat_id: 'main' })
})

const begin = ['on_session_start', 'on_user_message']
const think = ['pre_llm_call', 'post_llm_call']
const finish = ['on_step_end', 'on_stop', 'on_turn_end']
const tool = ['pre_tool_call', 'post_tool_call', 'transform_tool_result']

/** The events of one turn, without the end of the session before it. */
const turn = async (text: string): Promise<{ events: string[]; fired: Fired[]; pushed: string[] }> => {
  const { events, fired, pushed } = await gate.turn(text)
  return { fired, pushed, events: events.filter((event) => event !== 'on_session_end') }
}

const bodyOf = (fired: readonly Fired[], event: string) => fired.find((one) => one.event === event)?.body

test('help, and anything the demo does not understand, is answered in words that are honest about what it is', async () => {
  const { events, pushed } = await turn('What is the weather?')
  expect(events).toEqual([...begin, ...think, ...finish])
  expect(pushed).toEqual([expect.stringContaining('I have no model')])
  expect((await turn('help')).pushed).toEqual(pushed)
})

test('A command runs as a tool between two model calls, and its result is told in words', async () => {
  await writeFile(join(gate.workspace, 'here.txt'), '')
  const { events, pushed, fired } = await turn('!ls; exit 3')
  expect(events).toEqual([
    ...begin,
    ...think,
    'pre_tool_call',
    'post_tool_call',
    'on_tool_error',
    'transform_tool_result',
    'on_step_end',
    ...think,
    ...finish,
  ])
  expect(pushed).toEqual([expect.stringMatching(/^Exit code 3\.\n(.*\n)*here\.txt/)])
  expect(bodyOf(fired, 'pre_tool_call')).toMatchObject({
    tool_name: 'bash',
    tool_input: { command: 'ls; exit 3' },
  })
  expect(bodyOf(fired, 'post_tool_call')).toMatchObject({ tool_error: true })
  expect(fired.filter(({ event }) => event === 'pre_llm_call').map(({ body }) => body['iteration'])).toEqual([
    1, 2,
  ])
  expect(fired.filter(({ event }) => event === 'on_step_end').map(({ body }) => body['reason'])).toEqual([
    'continue',
    'normal',
  ])
})

test('write makes a file and its folders, read reads it', async () => {
  const written = await turn('write notes/today.txt buy  milk\nand bread')
  expect(written.events).toEqual([...begin, ...think, ...tool, 'on_step_end', ...think, ...finish])
  expect(bodyOf(written.fired, 'pre_tool_call')).toMatchObject({
    tool_name: 'write_file',
    tool_input: { path: 'notes/today.txt', content: 'buy  milk\nand bread' },
  })
  expect(await readFile(join(gate.workspace, 'notes/today.txt'), 'utf8')).toBe('buy  milk\nand bread')
  const read = await turn('read notes/today.txt')
  expect(bodyOf(read.fired, 'pre_tool_call')).toMatchObject({
    tool_name: 'read_file',
    tool_input: { path: 'notes/today.txt' },
  })
  expect(read.pushed).toEqual(['buy  milk\nand bread'])
})

test('A file that is missing, too long or no regular file is a failed tool and not a hang', async () => {
  await mkdir(join(gate.workspace, 'odd'), { recursive: true })
  execFileSync('mkfifo', [join(gate.workspace, 'odd/pipe')])
  await writeFile(join(gate.workspace, 'odd/long'), 'x'.repeat(256 * 1024 + 1))
  for (const [command, words] of [
    ['read odd/none', 'ENOENT'],
    ['read odd/pipe', 'regular file'],
    ['read odd', 'regular file'],
    ['read odd/long', '262144'],
    ['write odd/pipe text', ''],
  ] as const) {
    const { events, pushed } = await turn(command)
    expect(events).toContain('on_tool_error')
    expect(pushed).toEqual([expect.stringMatching(new RegExp(`^Failed: .*${words}`))])
  }
})

test('say says it, once', async () => {
  const { events, pushed } = await turn('say good morning')
  expect(events).toEqual([...begin, ...think, ...finish])
  expect(pushed).toEqual(['good morning'])
})

test('ask asks, ends its turn, and takes the next message as the answer', async () => {
  const asked = await turn('ask Which colour?')
  expect(asked.events).toEqual([...begin, ...think, 'on_user_input', 'on_step_end', 'on_turn_end'])
  expect(asked.pushed).toEqual(['Which colour?'])
  expect(bodyOf(asked.fired, 'on_user_input')).toMatchObject({ prompt: 'Which colour?' })
  const answered = await turn('!blue')
  expect(bodyOf(answered.fired, 'on_user_message')).toMatchObject({ kind: 'followup' })
  expect(answered.pushed).toEqual(['You answered: !blue'])
  expect(bodyOf((await turn('say x')).fired, 'on_user_message')).toMatchObject({ kind: 'message' })
})

test('A claim to be done carries its goal and the tools that really ran, with the addresses in their results', async () => {
  await turn('!echo see http://127.0.0.1/a and https://example.org/b\\)c; exit 1')
  await turn('publish the site')
  const { events, fired, pushed } = await turn('done the site is up')
  expect(events).toEqual(['on_user_message', ...think, 'on_completion_claim', ...finish])
  expect(bodyOf(fired, 'on_completion_claim')).toMatchObject({
    goal: 'publish the site',
    summary: 'the site is up',
    response: 'Done: the site is up',
    tool_names: ['bash'],
    tools: [
      { name: 'bash', is_error: true, exit_code: 1, urls: ['http://127.0.0.1/a', 'https://example.org/b'] },
    ],
    blocked_count: 0,
    max_blocks: 3,
  })
  expect(pushed).toEqual(['Done: the site is up'])
})

test('A refused claim is told with its reason; the third refusal is an honest end', async () => {
  gate.script = (event) =>
    event === 'on_completion_claim'
      ? { verdict: 'block', reason: 'nothing was published', context: 'publish first' }
      : undefined
  const counts = []
  const told = []
  for (let i = 0; i < 3; i++) {
    const { fired, pushed } = await turn('done all of it')
    counts.push(bodyOf(fired, 'on_completion_claim')?.['blocked_count'])
    told.push(...pushed)
  }
  expect(counts).toEqual([0, 1, 2])
  expect(told.every((text) => text.includes('nothing was published'))).toBe(true)
  // What the hook says to the model is for it alone, and it is asked no more.
  expect(told.map((text) => text.includes('publish first'))).toEqual([true, true, false])
  expect(told.map((text) => text.includes('I stop here, and the task is not done'))).toEqual([
    false,
    false,
    true,
  ])
})

test('An error is reported, told in friendly words, and the turn ends', async () => {
  const { events, fired, pushed } = await turn('fail')
  expect(events).toEqual([
    ...begin,
    'pre_llm_call',
    'on_step_end',
    'on_error',
    'on_notification',
    'on_turn_end',
  ])
  expect(bodyOf(fired, 'on_error')).toMatchObject({
    error: { name: 'Error', message: 'the demo was asked to fail' },
  })
  expect(bodyOf(fired, 'on_turn_end')).toMatchObject({ reason: 'error' })
  expect(pushed).toEqual([expect.stringContaining('Sorry')])
})

test('Every event of the demo has all the fields of the contract table, and where it happened', async () => {
  const from = gate.fired.length
  for (const text of ['!false', 'ask a?', 'b', 'done c', 'fail']) await turn(text)
  for (const { event, body } of gate.fired.slice(from)) {
    expect(body).toMatchObject({
      session_id: expect.any(String),
      cwd: gate.workspace,
      channel: 'web',
      chat_id: 'main',
    })
    if (event !== 'on_session_end') expect(body['prompt_id']).toMatch(/^prompt-/)
    expect(Object.keys(body), event).toEqual(
      expect.arrayContaining(isEventName(event) ? Object.keys(EVENTS[event].fields) : ['no such event']),
    )
  }
})

test('new ends the session and the next message starts another', async () => {
  const first = await gate.turn('say one')
  gate.send({ type: 'new', channel: 'web', chat_id: 'main' })
  const second = await gate.turn('say two')
  expect(second.events.slice(0, 3)).toEqual(['on_session_end', ...begin])
  expect(second.fired[0]?.body).toMatchObject({
    reason: 'clear',
    status: 'ended',
    total_steps: 1,
    session_id: first.fired.at(-1)?.body['session_id'],
  })
  expect(second.fired[1]?.body).toMatchObject({ source: 'clear', initial_prompt: 'say two' })
  expect(second.fired[1]?.body['session_id']).not.toBe(first.fired.at(-1)?.body['session_id'])
})

test('/compact is answered plainly by an agent that keeps no conversation', async () => {
  await turn('help')
  const from = gate.pushed.length
  gate.send({ type: 'compact', channel: 'web', chat_id: 'main' })
  await expect
    .poll(() => gate.pushed.slice(from))
    .toEqual(['I compacted nothing: this agent does not keep the conversation.'])
})

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EVENTS, isEventName } from '../../../src/core/model/events/event.ts'
import { inTurn } from '../../fixtures/model/model.ts'
import type { Fired } from '../scripted-gate.ts'
import { key, useOpenai } from './rig.ts'

const rig = useOpenai()

const begin = ['on_session_start', 'on_user_message']
const think = ['pre_llm_call', 'post_llm_call']
const tool = ['pre_tool_call', 'post_tool_call', 'transform_tool_result']
const bodyOf = (fired: readonly Fired[], event: string) => fired.find((one) => one.event === event)?.body
const turn = async (text: string) => {
  const { events, ...rest } = await rig.gate.turn(text)
  return { ...rest, events: events.filter((event) => event !== 'on_session_end') }
}

test('An answer of the model is told as the Markdown that it is, and hooks see usage and cost', async () => {
  rig.model.follow(inTurn({ text: 'It is **noon**.', usage: { input: 1000, output: 100 } }))
  const { events, fired, pushed } = await turn('What time is it?')
  expect(events).toEqual([...begin, ...think, 'on_step_end', 'on_stop', 'on_turn_end'])
  expect(pushed).toEqual(['It is noon.'])
  expect(rig.gate.requests.at(-1)?.marks).toEqual([{ type: 'bold', offset: 6, length: 4 }])
  expect(bodyOf(fired, 'on_session_start')).toMatchObject({
    model: 'some-model',
    source: 'startup',
    initial_prompt: 'What time is it?',
  })
  expect(bodyOf(fired, 'pre_llm_call')).toMatchObject({
    model: 'some-model',
    last_user_message: 'What time is it?',
    iteration: 1,
    messages: [{ role: 'user', content: 'What time is it?' }],
    system: expect.stringContaining('hookgate'),
  })
  expect(bodyOf(fired, 'post_llm_call')).toMatchObject({
    response: 'It is **noon**.',
    usage: { input_tokens: 1000, output_tokens: 100 },
    cost: 0.003,
  })
  const [asked] = rig.model.asked.slice(-1)
  expect(asked).toMatchObject({
    wire: 'chat',
    model: 'some-model',
    messages: [{ role: 'user', text: 'What time is it?' }],
    headers: { authorization: `Bearer ${key}` },
  })
  expect(asked?.toolNames).toEqual(
    expect.arrayContaining([
      'bash',
      'read_file',
      'write_file',
      'edit_file',
      'send_file',
      'push',
      'done',
      'ask_person',
    ]),
  )
})

test('Several tools of one step run in their order, and the model is told all of their results', async () => {
  rig.model.follow(
    inTurn(
      {
        text: 'I look.',
        toolCalls: [
          { name: 'bash', input: { command: 'echo one >> order.txt; echo 1' } },
          { name: 'bash', input: { command: 'echo two >> order.txt; exit 3' } },
        ],
      },
      { toolCalls: [{ name: 'done', input: { summary: 'looked twice' } }] },
    ),
  )
  const { events, fired, pushed } = await turn('look')
  expect(events).toEqual([
    ...begin,
    ...think,
    ...tool,
    'pre_tool_call',
    'post_tool_call',
    'on_tool_error',
    'transform_tool_result',
    'on_step_end',
    ...think,
    'on_completion_claim',
    'on_step_end',
    'on_stop',
    'on_turn_end',
  ])
  expect(await readFile(join(rig.gate.workspace, 'order.txt'), 'utf8')).toBe('one\ntwo\n')
  expect(rig.model.asked.at(-1)?.toolResults.map(({ text }) => text)).toEqual([
    '1\n',
    'Exit code 3.\nNo output.',
  ])
  expect(pushed).toEqual(['I look.', 'looked twice'])
  expect(bodyOf(fired, 'on_completion_claim')).toMatchObject({
    goal: 'look',
    summary: 'looked twice',
    response: 'looked twice',
    tool_names: ['bash'],
    blocked_count: 0,
  })
  // The next model call sees the calls and results as data.
  expect(fired.findLast(({ event }) => event === 'pre_llm_call')?.body['messages']).toMatchObject([
    { role: 'user', content: 'look' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ name: 'bash', input: { command: 'echo one >> order.txt; echo 1' } }, { name: 'bash' }],
    },
    { role: 'tool', content: '1\n', tool_call_id: expect.any(String) },
    { role: 'tool', content: 'Exit code 3.\nNo output.' },
  ])
})

test('The conversation is remembered, and /new begins another', async () => {
  rig.model.follow((asked) => ({ text: `I know ${asked.messages.length} messages.` }))
  expect((await turn('one')).pushed).toEqual(['I know 1 messages.'])
  expect((await turn('two')).pushed).toEqual(['I know 3 messages.'])
  rig.gate.send({ type: 'new', channel: 'web', chat_id: 'main' })
  expect((await turn('three')).pushed).toEqual(['I know 1 messages.'])
})

test('The model can say something while it works, and ask the person; the next message is the answer', async () => {
  rig.model.follow(
    inTurn(
      { toolCalls: [{ name: 'push', input: { text: 'I am **on it**' } }] },
      {
        toolCalls: [
          { name: 'ask_person', input: { question: 'Which _one_?' } },
          { name: 'bash', input: { command: 'touch never.txt' } },
        ],
      },
    ),
  )
  const asked = await turn('build it')
  expect(asked.pushed).toEqual(['I am on it', 'Which one?'])
  expect(asked.events.slice(-3)).toEqual(['on_user_input', 'on_step_end', 'on_turn_end'])
  rig.model.follow(inTurn({ text: 'Fine.' }))
  const answered = await turn('the red one')
  expect(bodyOf(answered.fired, 'on_user_message')).toMatchObject({ kind: 'followup' })
  expect(rig.model.asked.at(-1)?.toolResults.map(({ text }) => text)).toEqual([
    'The question was sent. The next message of the person is the answer.',
    'Not run: the turn ended before this call.',
  ])
  expect(rig.model.asked.at(-1)?.messages.at(-1)).toEqual({ role: 'user', text: 'the red one' })
})

test('Every event of a model has all the fields of the contract table, and where it happened', async () => {
  const from = rig.gate.fired.length
  rig.model.follow(
    inTurn(
      { toolCalls: [{ name: 'bash', input: { command: 'false' } }] },
      { text: 'done' },
      { toolCalls: [{ name: 'ask_person', input: { question: 'a?' } }] },
      { fault: 'status', status: 400 },
    ),
  )
  for (const text of ['one', 'two', 'three']) await turn(text)
  const fired = rig.gate.fired.slice(from)
  expect(fired.map(({ event }) => event)).toEqual(
    expect.arrayContaining([
      ...begin,
      ...think,
      ...tool,
      'on_tool_error',
      'on_completion_claim',
      'on_user_input',
      'on_step_end',
      'on_stop',
      'on_error',
      'on_notification',
      'on_turn_end',
    ]),
  )
  for (const { event, body } of fired) {
    expect(body).toMatchObject({
      session_id: expect.any(String),
      cwd: rig.gate.workspace,
      channel: 'web',
      chat_id: 'main',
    })
    expect(Object.keys(body), event).toEqual(
      expect.arrayContaining(isEventName(event) ? Object.keys(EVENTS[event].fields) : ['no such event']),
    )
  }
})

test('What stands in config/context is the system prompt, as much as there is room for, and references are named', async () => {
  await mkdir(join(rig.gate.workspace, 'config/context/references'), { recursive: true })
  await writeFile(join(rig.gate.workspace, 'config/context/me.md'), 'You are called Ada.')
  await writeFile(join(rig.gate.workspace, 'config/context/huge.md'), `# Too long\n${'x'.repeat(30_000)}`)
  await writeFile(join(rig.gate.workspace, 'config/context/references/hooks.md'), '# How hooks work\nlong')
  rig.model.follow(inTurn({ text: 'hello' }))
  await turn('hi')
  const system = rig.model.asked.at(-1)?.system ?? ''
  expect(system).toContain('--- config/context/me.md\nYou are called Ada.')
  expect(system).toContain(
    'config/context/huge.md: Too long\nconfig/context/references/hooks.md: How hooks work',
  )
  expect(system).not.toContain('xxx')
  expect(system).toContain('do not try to bypass the hook')
})

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inTurn } from '../../fixtures/model/model.ts'
import type { Fault } from '../../fixtures/model/wire.ts'
import { numberIn, waitUntilGone, untilFollowed } from '../scripted-gate.ts'
import { key, useOpenai } from './rig.ts'

const rig = useOpenai()
const turn = (text: string) => rig.gate.turn(text)
const soon = { 'retry-after': '0' }
const status = (status: number, body?: string, headers: Readonly<Record<string, string>> = {}): Fault => ({
  fault: 'status',
  status,
  ...(body === undefined ? {} : { body }),
  headers,
})
const here = { channel: 'web', chat_id: 'main' }

test.each<[string, Fault]>([
  ['500', status(500, 'oh no', soon)],
  ['429', status(429, undefined, soon)],
  ['503 with a web page', status(503, '<html>down</html>', { 'content-type': 'text/html', ...soon })],
])(
  'An endpoint that answers %s for a while is asked again, and the person gets the answer',
  async (_, fault) => {
    rig.model.follow(inTurn(fault, fault, { text: 'here I am' }))
    const { events, pushed } = await turn('hi')
    expect(pushed).toEqual(['here I am'])
    expect(events.filter((event) => event === 'on_notification')).toHaveLength(2)
    // What is put once more is judged once more.
    expect(events.filter((event) => event === 'pre_llm_call')).toHaveLength(3)
  },
)

test.each<[string, Fault, RegExp, number]>([
  [
    'keeps failing',
    status(500, '{"error":{"message":"out of GPUs"}}', soon),
    /^The model's endpoint failed \(500\)\. It says: out of GPUs\nWrite to me again in a while\.$/,
    4,
  ],
  [
    'is too busy',
    status(429, '{}', soon),
    /^The model's endpoint is overloaded.*\(429\)\.\nWrite to me again later\.$/,
    4,
  ],
  ['wants to be asked in an hour', status(429, '{}', { 'retry-after': '3600' }), /\(429\)/, 1],
  [
    'does not take the key',
    status(401, `{"error":{"message":"no such key: ${key}"}}`),
    /rejected the key \(401\)\. It says: no such key: \[key\]\nCheck the variable that "api_key_env" names in gate\.yaml, then restart hookgate\.$/,
    1,
  ],
  [
    'knows no such model',
    status(404, '{"error":{"message":"no model some-model"}}'),
    /did not find the address or the model \(404\).*no model some-model\nCheck "base_url" and "model" in gate\.yaml\.$/s,
    1,
  ],
  [
    'answers with a web page',
    status(200, '<html>hello</html>', { 'content-type': 'text/html' }),
    /to answer as a model does, got a web page\. Check "base_url" in gate\.yaml\.$/,
    1,
  ],
  [
    'sends elsewhere',
    status(302, '', { location: 'http://127.0.0.1:1/' }),
    /a redirect, which is never followed\. Correct "base_url" in gate\.yaml\.$/,
    1,
  ],
  [
    'does not take the request',
    status(400, 'nonsense'),
    /rejected my request \(400\)\.\nIf this happens again, \/new starts a new conversation\.$/,
    1,
  ],
])(
  'An endpoint that %s is told in plain words that say what to do, and the session goes on',
  { timeout: 60_000 },
  async (_, fault, words, times) => {
    const asked = rig.model.asked.length
    rig.model.follow(inTurn(fault))
    const failed = await turn('hi')
    expect(failed.pushed).toEqual([expect.stringMatching(words)])
    expect(failed.events.slice(-4)).toEqual(['on_step_end', 'on_error', 'on_notification', 'on_turn_end'])
    expect(failed.fired.at(-1)?.body).toMatchObject({ reason: 'error' })
    expect(rig.model.asked.length - asked).toBe(times)
    expect(JSON.stringify(failed.fired)).not.toContain(key)
    rig.model.follow((turn) => ({ text: `still ${turn.messages.at(-1)?.text}` }))
    expect((await turn('here')).pushed).toEqual(['still hi\n\nhere'])
  },
)

test(
  'Half an answer is no answer: none of its tools runs, and the model is asked again',
  { timeout: 60_000 },
  async () => {
    rig.model.follow(
      inTurn(
        {
          fault: 'cut',
          toolCalls: [
            { name: 'bash', input: { command: 'touch half.txt' } },
            { name: 'bash', input: { command: 'touch half2.txt # and much more that is never said' } },
          ],
        },
        { text: 'whole' },
      ),
    )
    expect((await turn('hi')).pushed).toEqual(['whole'])
    await expect(stat(join(rig.gate.workspace, 'half.txt'))).rejects.toThrow('ENOENT')
  },
)

test(
  'An answer that ends without its end is no answer either, however politely the connection closes',
  { timeout: 60_000 },
  async () => {
    const begun = `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'I have publ' }, finish_reason: null }] })}\n\n`
    rig.model.follow(inTurn(status(200, begun, { 'content-type': 'text/event-stream' }), { text: 'whole' }))
    expect((await turn('hi')).pushed).toEqual(['whole'])
  },
)

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
const streamed = (...pieces: readonly string[]): Fault =>
  status(200, pieces.join(''), { 'content-type': 'text/event-stream' })

test.each<[string, Fault, RegExp]>([
  [
    'in the middle of it',
    streamed(
      chunk({ content: 'I have publ' }),
      chunk({ content: '' }, 'error', { error: { code: 402, message: 'no credit left' } }),
    ),
    /requires payment \(402\)\. It says: no credit left$/,
  ],
  [
    'in its place',
    streamed(
      'data: {"error":{"code":"context_length_exceeded","message":"too long"}}\n\n',
      'data: [DONE]\n\n',
    ),
    /rejected my request \(400\)\. It says: too long\n/,
  ],
  [
    'from the gate, which gave up',
    streamed(
      chunk({ content: 'I have publ' }),
      'data: {"id":"a","cho',
      '\n\ndata: {"error":{"code":"model.timeout","message":"Expected more.","fix":"Try again."}}\n\n',
    ),
    /^Expected more\. Try again\.$/,
  ],
  [
    'as the whole of it',
    status(200, '{"error":{"code":403,"message":"not in your country"}}'),
    /rejected the key \(403\)\. It says: not in your country\n/,
  ],
])(
  'A complaint that an answer which began well bears %s is told, and what came before it is no answer',
  async (_, fault, words) => {
    rig.gate.send({ type: 'new', ...here })
    rig.model.follow(inTurn(fault))
    expect((await turn('hi')).pushed).toEqual([expect.stringMatching(words)])
  },
)

test('An answer that the model had to cut short says so', async () => {
  rig.model.follow(
    inTurn(streamed(chunk({ content: 'The first half of' }), chunk({}, 'length'), 'data: [DONE]\n\n')),
  )
  expect((await turn('go')).pushed).toEqual([
    'The first half of\n\n(The answer ends here because the model reached its output limit.)',
  ])
})

test('What no endpoint and no gate would take a second time does not stay in the conversation', async () => {
  rig.model.follow(
    inTurn(
      {
        toolCalls: [
          { name: 'bash', input: `{"command":"echo deep","x":${'['.repeat(60)}${']'.repeat(60)}}` },
          { name: 'bash', input: '{"command":"echo half\\ud800"}' },
          { name: 'run it!', input: {} },
        ],
      },
      { text: 'I am sorry.' },
    ),
  )
  expect((await turn('go')).pushed).toEqual(['I am sorry.'])
  expect(rig.model.asked.at(-1)?.toolResults.map(({ text }) => text)).toEqual([
    expect.stringContaining('nested too deep'),
    'half\ufffd\n',
    expect.stringContaining('got "run it!"'),
  ])
  const { messages } = rig.model.asked.at(-1)?.body ?? {}
  expect(JSON.stringify(messages)).not.toContain('ud800')
  expect(JSON.stringify(messages)).toContain('"name":"run_it_"')
})

test('A tool call that is no JSON, an unknown tool and a missing argument are told to the model, which goes on', async () => {
  rig.model.follow(
    inTurn(
      {
        toolCalls: [
          { name: 'bash', input: '{"command": "touch' },
          { name: 'launch', input: { at: 'noon' } },
          { name: 'write_file', input: { path: 'x' } },
          { name: 'bash', input: '[1]' },
          { name: 'bash', input: { command: 'echo fine > fine.txt' } },
        ],
      },
      { text: 'I am sorry.' },
    ),
  )
  const { pushed, fired } = await turn('go')
  expect(pushed).toEqual(['I am sorry.'])
  expect(rig.model.asked.at(-1)?.toolResults.map(({ text }) => text)).toEqual([
    'Expected the arguments of bash to be one JSON object, got text that is not JSON (18 characters). Call it again with valid JSON.',
    expect.stringMatching(/^Failed: Expected one of bash, .*got "launch"\.$/),
    'Failed: Expected "content" to be a string, got nothing.',
    expect.stringContaining('one JSON object, got [1] (list)'),
    'No output.',
  ])
  expect(fired.filter(({ event }) => event === 'on_tool_error').map(({ body }) => body['tool_name'])).toEqual(
    ['bash', 'launch', 'write_file', 'bash'],
  )
  expect(fired.filter(({ event }) => event === 'pre_tool_call').map(({ body }) => body['tool_name'])).toEqual(
    ['launch', 'write_file', 'bash'],
  )
  expect(await readFile(join(rig.gate.workspace, 'fine.txt'), 'utf8')).toBe('fine\n')
})

test('A claim and a question without words are told to the model, and the turn goes on', async () => {
  rig.model.follow(
    inTurn(
      {
        toolCalls: [
          { name: 'done', input: { summary: '' } },
          { name: 'ask_person', input: { question: ' ' } },
        ],
      },
      { text: 'Well.' },
    ),
  )
  const { pushed, events } = await turn('go')
  expect(pushed).toEqual(['Well.'])
  expect(events).not.toContain('on_user_input')
  expect(rig.model.asked.at(-1)?.toolResults.map(({ text }) => text)).toEqual(
    ['summary', 'question'].map(
      (field) => `Expected "${field}" to be a text for the person, got an empty text.`,
    ),
  )
})

test(
  '10 MB of arguments are not waited for: the model is told, and what it asked for before them is done',
  { timeout: 60_000 },
  async () => {
    rig.model.follow(
      inTurn(
        {
          toolCalls: [
            { name: 'bash', input: { command: 'touch before.txt' } },
            { name: 'write_file', input: { path: 'big', content: 'x'.repeat(10_000_000) } },
          ],
        },
        { text: 'too much' },
      ),
    )
    const { pushed } = await turn('go')
    expect(pushed).toEqual(['too much'])
    expect(rig.model.asked.at(-1)?.toolResults.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Expected the arguments of write_file to be at most 1000000 characters/),
      ]),
    )
    await expect(stat(join(rig.gate.workspace, 'big'))).rejects.toThrow('ENOENT')
  },
)

test('An endpoint that does not stream is understood as well', async () => {
  rig.model.follow(
    inTurn(
      status(
        200,
        JSON.stringify({
          choices: [
            {
              index: 0,
              finish_reason: 'tool_calls',
              message: {
                role: 'assistant',
                content: null,
                tool_calls: [
                  {
                    id: 'a',
                    type: 'function',
                    function: { name: 'bash', arguments: '{"command":"echo plain"}' },
                  },
                ],
              },
            },
          ],
        }),
      ),
      status(
        200,
        JSON.stringify({
          choices: [
            { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'all at once' } },
          ],
          usage: { prompt_tokens: 3, completion_tokens: 4 },
        }),
      ),
    ),
  )
  const { pushed } = await turn('hi')
  expect(pushed).toEqual(['all at once'])
  expect(rig.model.asked.at(-1)?.toolResults).toEqual([{ id: 'a', text: 'plain\n' }])
})

test('cancel ends a model call that never answers, and the endpoint notices', async () => {
  rig.model.follow(inTurn({ fault: 'silence' }))
  await untilFollowed(rig.gate)
  const prompt = rig.gate.prompt('think hard')
  await expect
    .poll(
      () =>
        rig.model.asked.at(-1)?.reply !== undefined &&
        rig.model.asked.at(-1)?.messages.at(-1)?.text === 'think hard',
    )
    .toBe(true)
  rig.gate.send({ type: 'cancel', ...here })
  await rig.gate.ended(prompt)
  expect(rig.gate.pushed.at(-1)).toBe('Stopped.')
  await expect.poll(() => rig.model.asked.at(-1)?.isLeft).toBe(true)
})

test('cancel ends the wait for a busy endpoint', async () => {
  rig.model.follow(inTurn(status(429, undefined, { 'retry-after': '50' })))
  await untilFollowed(rig.gate)
  const prompt = rig.gate.prompt('hurry')
  await expect.poll(() => rig.gate.fired.at(-1)?.event).toBe('on_notification')
  rig.gate.send({ type: 'cancel', ...here })
  await rig.gate.ended(prompt)
  expect(rig.gate.pushed.at(-1)).toBe('Stopped.')
})

test('cancel ends a running command with all it started; the model learns of it with the next message', async () => {
  rig.model.follow(
    inTurn(
      {
        toolCalls: [
          { name: 'bash', input: { command: 'sleep 60 & echo $! > child.pid; echo $$ > tool.pid; wait' } },
          { name: 'bash', input: { command: 'touch after.txt' } },
        ],
      },
      { text: 'I see.' },
    ),
  )
  await untilFollowed(rig.gate)
  const prompt = rig.gate.prompt('run it')
  const pids = [
    await numberIn(join(rig.gate.workspace, 'tool.pid')),
    await numberIn(join(rig.gate.workspace, 'child.pid')),
  ]
  rig.gate.send({ type: 'cancel', ...here })
  await rig.gate.ended(prompt)
  await Promise.all(pids.map(waitUntilGone))
  expect(rig.gate.pushed.at(-1)).toBe('Stopped.')
  await turn('what happened?')
  expect(rig.model.asked.at(-1)?.toolResults.map(({ text }) => text)).toEqual([
    'The person stopped this call before it ended.',
    'Not run: the turn ended before this call.',
  ])
  await expect(stat(join(rig.gate.workspace, 'after.txt'))).rejects.toThrow('ENOENT')
})

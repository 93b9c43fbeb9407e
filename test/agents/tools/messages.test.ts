import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGateClient } from '../../../src/agents/client.ts'
import { createReporter } from '../../../src/agents/reporter.ts'
import type { ToolResult } from '../../../src/agents/tools/tool.ts'
import { runTool } from '../../../src/agents/tools/tools.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

// The tools over the real socket, the real gate and the memory channel; the demo's words in the real agent
// host.
let plane: Plane
beforeAll(async () => {
  plane = await startPlane(
    'hooks:\n  - {event: on_outbound_message, matcher: {pattern: "hunter2"}, command: ./guard.sh, on_error: block}\n',
    {
      'guard.sh':
        '#!/bin/sh\ncat > asked.json\necho \'{"decision":"block","reason":"that is a password."}\'\n',
    },
  )
  await plane.ask('/hooks approve on_outbound_message ./guard.sh', (answer) => answer.includes('guard.sh'))
  await plane.ask('/hooks on', (answer) => answer.includes('ON'))
  // What can be reacted to is what somebody wrote.
  for (const message_id of ['theirs', 'of this turn']) {
    const before = plane.texts().length
    plane.say('/whoami', { message_id })
    await until('the answer', () => plane.texts().length > before)
  }
}, 60_000)
afterAll(() => plane.stop())

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('pixels')])
const opus = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('OpusHead')])
const put = (path: string, bytes: Buffer | string): Promise<void> =>
  writeFile(join(plane.workspace, path), bytes)

const use = (name: string, input: object, message_id?: string): Promise<ToolResult> => {
  const signal = new AbortController().signal
  const { push } = createReporter(createGateClient(join(plane.home, 'run', 'main.sock')), {
    channel: 'memory',
    chat_id: 'owner',
    session_id: 's',
    cwd: plane.workspace,
  })
  return runTool(name, input as JsonObject, {
    workspace: plane.workspace,
    env: {},
    signal,
    push: (said) => push(said, signal),
    ...(message_id === undefined ? {} : { message_id }),
  })
}

const pushes = (): readonly OutgoingMessage[] => plane.memory.sent().filter(({ kind }) => kind === 'push')
const last = (): OutgoingMessage | undefined => pushes().at(-1)
const idIn = ({ text }: ToolResult): string => /m-[0-9a-f]{10}/.exec(text)?.[0] ?? ''

test('A message is Markdown with buttons that open an address, and has a name by which it can be changed', async () => {
  plane.memory.fail({ kind: 'delivered', message_id: '71' })
  const sent = await use('push', {
    text: 'see **the** [docs](https://e.com/)',
    buttons: [{ label: 'Open', url: 'https://e.com/x' }],
  })
  expect(sent).toEqual({
    text: expect.stringMatching(/^Sent as message m-[0-9a-f]{10}\.$/),
    isError: false,
    exitCode: 0,
  })
  expect(last()).toMatchObject({
    type: 'text',
    text: 'see the docs',
    marks: [
      { type: 'bold', offset: 4, length: 3 },
      { type: 'link', offset: 8, length: 4, field: 'link.0' },
    ],
  })
  expect(last()?.parts).toEqual([
    { field: 'link.0', text: 'https://e.com/' },
    { field: 'button.0.label', text: 'Open' },
    { field: 'button.0.url', text: 'https://e.com/x' },
  ])
  expect(await use('edit_message', { id: idIn(sent), text: 'see *nothing*' })).toMatchObject({
    text: `Changed message ${idIn(sent)}.`,
    isError: false,
  })
  expect(last()).toMatchObject({
    type: 'edit',
    text: 'see nothing',
    target: '71',
    marks: [{ type: 'italic', offset: 4, length: 7 }],
  })
})

test.each([
  ['a.png', png, {}, 'photo'],
  ['named.txt', png, {}, 'photo'],
  ['a.png', png, { as: 'document' }, 'document'],
  ['big.png', Buffer.concat([png, Buffer.alloc(10_000_000)]), {}, 'document'],
  ['hello.ogg', opus, {}, 'voice'],
  ['notes.png', 'words', {}, 'document'],
  ['paper', '%PDF-1.7\0', {}, 'document'],
  ['blob', Buffer.from([0, 255, 0]), {}, 'document'],
] as const)('A file goes out as what its bytes are: %s', async (path, bytes, more, type) => {
  await put(path, Buffer.from(bytes))
  expect(await use('send_file', { path, caption: 'a *look*', ...more })).toMatchObject({ isError: false })
  expect(last()).toMatchObject({ type, text: 'a look', marks: [{ type: 'italic' }] })
  const [file] = last()?.files ?? []
  // A MIME type is text that no hook has read, so it does not leave.
  expect(file).toMatchObject({ name: path, type: '' })
  expect(Buffer.from((await file?.arrayBuffer()) ?? new ArrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
})

test('A file that is none, or too long, is a failed tool in words, and not a hang', async () => {
  await put('empty', '')
  await put('long', Buffer.alloc(20_000_001))
  await mkdir(join(plane.workspace, 'folder'), { recursive: true })
  execFileSync('mkfifo', [join(plane.workspace, 'pipe')])
  const before = pushes().length
  for (const [path, words] of [
    ['none', /ENOENT/],
    ['folder', /a regular file/],
    ['pipe', /a regular file/],
    ['/dev/zero', /a regular file/],
    ['empty', /not empty/],
    ['long', /at most 20000000 bytes, got a longer one\. Send a smaller file/],
  ] as const) {
    expect(await use('send_file', { path })).toMatchObject({
      isError: true,
      text: expect.stringMatching(words),
    })
  }
  await put('half', Buffer.alloc(12_000_000))
  expect(await use('send_album', { paths: ['half', 'half'] })).toMatchObject({
    isError: true,
    text: expect.stringContaining('at most 8000000 bytes'),
  })
  expect(pushes()).toHaveLength(before)
})

test.each([
  [
    'send_album',
    { paths: ['one', 'two'], caption: 'both' },
    {
      type: 'album',
      text: 'both',
      parts: [
        { field: 'file.0.name', text: 'one' },
        { field: 'file.1.name', text: 'two' },
      ],
    },
  ],
  [
    'poll',
    { question: 'Tea?', options: ['yes', 'no'] },
    {
      type: 'poll',
      text: 'Tea?',
      parts: [
        { field: 'option.0', text: 'yes' },
        { field: 'option.1', text: 'no' },
      ],
    },
  ],
  [
    'send_location',
    { latitude: 52.5, longitude: -0.000_000_1, title: 'Here' },
    {
      type: 'location',
      parts: [
        { field: 'latitude', text: '52.5' },
        { field: 'longitude', text: '-0.0000001' },
        { field: 'title', text: 'Here' },
      ],
    },
  ],
  [
    'send_contact',
    { phone: '+491234', first_name: 'Ada' },
    {
      type: 'contact',
      parts: [
        { field: 'phone', text: '+491234' },
        { field: 'first_name', text: 'Ada' },
      ],
    },
  ],
  ['react', { emoji: '👍', to: 'theirs' }, { type: 'reaction', text: '👍', target: 'theirs' }],
] as const)('%s leaves as what it is', async (name, input, outgoing) => {
  await put('one', '1')
  await put('two', '2')
  expect(await use(name, input)).toMatchObject({ isError: false })
  expect(last()).toMatchObject(outgoing)
})

test('A topic says under which name it can be written to', async () => {
  plane.memory.fail({ kind: 'delivered', chat_id: 'owner:9' })
  expect(await use('create_topic', { name: 'Plans' })).toMatchObject({
    text: 'Created the topic Plans. Its chat_id is owner:9.',
  })
})

test('A reaction is to the message of this turn unless another is named', async () => {
  expect(await use('react', { emoji: '👍' }, 'of this turn')).toMatchObject({ text: 'Reacted with 👍.' })
  expect(last()).toMatchObject({ type: 'reaction', target: 'of this turn' })
  expect(await use('react', { emoji: '👍' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('Expected "to" to be the id of a message'),
  })
})

test.each([
  ['push', { text: 'it is hunter2' }],
  ['push', { text: 'click', buttons: [{ label: 'hunter2', url: 'https://e.com/' }] }],
  ['push', { text: 'it is hun**ter2**' }],
  ['poll', { question: 'Which?', options: ['hunter1', 'hunter2'] }],
  ['send_contact', { phone: '+49', first_name: 'hunter2' }],
  ['create_topic', { name: 'hunter2' }],
] as const)('What a hook keeps back is told to the agent with what to do: %s %j', async (name, input) => {
  const before = pushes().length
  expect(await use(name, input)).toEqual({
    text: 'withheld by a hook: that is a password. Rephrase the message, or leave it out.',
    isError: true,
    exitCode: 1,
  })
  expect(pushes()).toHaveLength(before)
})

test('What can never leave is told with what to do instead', async () => {
  expect(await use('poll', { question: 'Tea?', options: ['yes'] })).toMatchObject({
    isError: true,
    text: 'the gate refused the request: Expected 2 to 12 of "option.N" in a poll, got 1. Send more.',
  })
  expect(await use('edit_message', { id: 'm-0', text: 'x' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('Send it as a new message.'),
  })
  expect(await use('push', { text: 'x', buttons: [{ label: 'x' }] })).toMatchObject({
    isError: true,
    text: 'Expected "url" to be a string, got nothing.',
  })
  plane.memory.fail({ kind: 'unknown', why: 'the line broke' })
  expect(await use('push', { text: 'x' })).toMatchObject({
    isError: true,
    text: 'it is not known whether it arrived: the line broke. Ask the person before you send it again.',
  })
})

test('The demo sends files, polls, places and reactions, and changes what it said last', async () => {
  const says = (line: string, holds: string): Promise<string> =>
    plane.ask(line, (answer) => answer.includes(holds))
  await put('note.txt', 'hello')
  await says('send note.txt', 'Sent as message')
  expect(pushes().at(-2)).toMatchObject({
    type: 'document',
    parts: [{ field: 'file.0.name', text: 'note.txt' }],
  })
  await says('poll Tea? | yes | no', 'Sent as message')
  expect(pushes().at(-2)).toMatchObject({ type: 'poll', text: 'Tea?' })
  await says('place 52.5, 13.4', 'Sent as message')
  expect(pushes().at(-2)).toMatchObject({ type: 'location' })
  plane.say('react 👍', { message_id: 'mine' })
  await until('the reaction', () => plane.texts().at(-1) === 'Reacted with 👍.')
  expect(pushes().at(-2)).toMatchObject({ type: 'reaction', target: 'mine' })
  plane.memory.fail({ kind: 'delivered', message_id: '88' })
  await says('say good mornin', 'good mornin')
  await says('reword good morning', 'Changed message')
  expect(pushes().at(-2)).toMatchObject({ type: 'edit', target: '88', text: 'good morning' })
  await says('reword good evening', 'Changed message')
  expect(pushes().at(-2)).toMatchObject({ type: 'edit', target: '88', text: 'good evening' })
  await says('place here', 'Failed: Expected "latitude" to be a number')
}, 60_000)

test('What the agent says about its own failure goes out as such, and no line of its help is wider than a phone', async () => {
  await plane.ask('fail', (answer) => answer.startsWith('Sorry, something went wrong'))
  expect(last()).toMatchObject({ type: 'error' })
  const before = plane.texts().length
  await plane.ask('say it is hunter2', (answer) => answer.includes('that is a password.'))
  await plane.ask('say hello', (answer) => answer === 'hello')
  // The notice tells the reason once, and the agent does not repeat it.
  expect(plane.texts().slice(before)).toHaveLength(2)
  const [, ...lines] = (await plane.ask('help', (answer) => answer.includes('reword'))).split('\n')
  expect(lines.filter((line) => line.length > 40)).toEqual([])
}, 60_000)

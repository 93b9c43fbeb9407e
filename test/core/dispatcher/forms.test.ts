import fs from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { createRig, says, until, type Rig, type RigOptions } from './rig.ts'
import type { MemoryChannel } from '../../../bots/memory/memory.ts'
import type { Channel } from '../../../src/core/model/chat/channel.ts'
import type { AgentPush } from '../../../src/core/model/chat/push.ts'

let rig: Rig | undefined
const begin = async (options?: RigOptions): Promise<Rig> => (rig = await createRig(options))
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

const file = (name: string, text: string, type = 'text/plain'): AgentPush['files'][number] => ({
  name,
  type,
  bytes: Buffer.from(text),
})
const poll = {
  type: 'poll',
  parts: [
    { field: 'option.0', text: 'tea' },
    { field: 'option.1', text: 'coffee' },
  ],
} as const
/** Writes what a hook is asked into a file. */
const tells = 'cat > asked.json'
const asked = ({ workspace }: Rig): Record<string, unknown> =>
  JSON.parse(fs.readFileSync(`${workspace}/asked.json`, 'utf8')) as Record<string, unknown>

test('every text of a form is judged, and leaves as it was judged, field by field', async () => {
  const { push, approve, on, memory } = await begin()
  await approve(
    'on_outbound_message',
    says({
      parts: [
        { field: 'option.0', text: 'tea' },
        { field: 'option.1', text: '[redacted]' },
      ],
    }),
    { matcher: { pattern: 'coffee' } },
  )
  await on()
  expect(await push('Which one?', poll)).toMatchObject({ outcome: 'delivered' })
  expect(memory.sent()[0]).toMatchObject({
    type: 'poll',
    text: 'Which one?',
    parts: [
      { field: 'option.0', text: 'tea' },
      { field: 'option.1', text: '[redacted]' },
    ],
  })
})

test('a hook that leaves no poll of a poll withholds it', async () => {
  const { push, approve, on, memory } = await begin()
  await approve('on_outbound_message', says({ parts: [{ field: 'option.1', text: ' ' }] }))
  await on()
  expect(await push('Which one?', poll)).toMatchObject({
    outcome: 'withheld',
    reason: 'a hook rewrote it into a form that cannot be sent: Expected "option.1" to hold words, got none.',
  })
  expect(memory.sent().filter(({ kind }) => kind === 'push')).toEqual([])
})

test('a file leaves as the bytes that were judged, under the name that was judged', async () => {
  const rig = await begin()
  await rig.approve('on_outbound_message', tells)
  await rig.on()
  // No hook of secrets reads a type, so nothing that an agent puts there leaves.
  const type = 'text/sk-live-0123456789'
  expect(
    await rig.push('look', { type: 'document', files: [file('notes/../a.txt', 'hello', type)] }),
  ).toMatchObject({ outcome: 'delivered' })
  const [sent] = rig.memory.sent()
  expect(sent?.files.map((each) => ({ name: each.name, type: each.type, size: each.size }))).toEqual([
    { name: 'notes_.._a.txt', type: '', size: 5 },
  ])
  expect(await sent?.files[0]?.text()).toBe('hello')
  const [shown] = asked(rig)['files'] as { path: string; name: string; size: number }[]
  expect(shown).toMatchObject({ name: 'notes_.._a.txt', size: 5, type })
  expect(asked(rig)).toMatchObject({
    type: 'document',
    parts: [{ field: 'file.0.name', text: 'notes_.._a.txt' }],
  })
  expect(fs.existsSync(shown?.path ?? '')).toBe(false)
})

test('a hook reads a file by its path, and cannot change what leaves', async () => {
  const rig = await begin()
  // The notice of the failure is judged, too, and has no file.
  const path = `path=$(sed -n 's/.*"path":"\\([^"]*\\)".*/\\1/p'); [ -n "$path" ] || exit 0`
  await rig.approve(
    'on_outbound_message',
    `${path}; cat "$path" > seen; rm -f "$path"; printf other > "$path"`,
  )
  await rig.on()
  expect(await rig.push('', { type: 'photo', files: [file('a.png', 'hello')] })).toMatchObject({
    outcome: 'failed',
    reason: 'one of its files is missing or was changed',
  })
  expect(fs.readFileSync(`${rig.workspace}/seen`, 'utf8')).toBe('hello')
  expect(rig.memory.sent().filter(({ kind }) => kind === 'push')).toEqual([])
})

test('a text that is longer than a caption goes on in messages of its own, and its marks with it', async () => {
  const { push, memory } = await begin({
    wrap: (memory) => ({ ...memory, maxCaptionUnits: 10 }),
    maxUnits: 20,
  })
  const words = 'one two three four five six seven eight'
  const bold = words.indexOf('three four')
  expect(
    await push(words, {
      type: 'photo',
      files: [file('a.png', 'x')],
      marks: [{ type: 'bold', offset: bold, length: 10 }],
      parts: [
        { field: 'button.0.label', text: 'Go' },
        { field: 'button.0.url', text: 'https://example.com/' },
      ],
    }),
  ).toMatchObject({ outcome: 'delivered' })
  const sent = memory.sent()
  expect(sent.map(({ text }) => text).join('')).toBe(words)
  expect(sent.map(({ type, files }) => [type, files.length])).toEqual([
    ['photo', 1],
    ['text', 0],
    ['text', 0],
  ])
  expect(sent.map(({ parts }) => parts.map(({ field }) => field))).toEqual([
    ['button.0.label', 'button.0.url', 'file.0.name'],
    [],
    [],
  ])
  const marked = sent.flatMap(({ text, marks }) =>
    marks.map(({ offset, length }) => text.slice(offset, offset + length)),
  )
  expect(marked.join('')).toBe('three four')
})

test('what was sent as one message can be edited, by the name of its push, also after a restart', async () => {
  const rig = await begin({
    wrap: (memory) => ({
      ...memory,
      deliver: async (outgoing) => {
        const end = await memory.deliver(outgoing)
        return end.kind === 'delivered' ? { ...end, message_id: `m${memory.sent().length}` } : end
      },
    }),
  })
  await rig.push('first', { push_id: 'one' })
  expect(await rig.push('second', { type: 'edit', target: 'one' })).toMatchObject({ outcome: 'delivered' })
  expect(rig.memory.sent().at(-1)).toMatchObject({ type: 'edit', text: 'second', target: 'm1' })
  const again = await rig.restart()
  expect(
    await again.push({
      channel: 'memory',
      chat_id: 'main',
      push_id: 'x',
      agent_id: 'main',
      session_id: 's',
      cwd: rig.workspace,
      type: 'edit',
      text: 'third',
      marks: [],
      parts: [],
      files: [],
      target: 'one',
    }),
  ).toMatchObject({ outcome: 'delivered' })
  expect(rig.memory.sent().at(-1)).toMatchObject({ text: 'third', target: 'm1' })
})

test('nothing is edited that this agent did not send to this chat, or that left in pieces', async () => {
  const { push } = await begin({ maxUnits: 10 })
  await push('mine', { push_id: 'one', chat_id: 'other' })
  await push('far too long for one', { push_id: 'two' })
  expect(await push('x', { type: 'edit', target: 'never' })).toMatchObject({
    refused: 'target',
    message: 'Expected "target" to be the push_id of what you sent to this chat, got "never" (string).',
  })
  expect(await push('x', { type: 'edit', target: 'one', agent_id: 'somebody' })).toMatchObject({
    refused: 'target',
  })
  expect(await push('x', { type: 'edit', target: 'two' })).toMatchObject({
    outcome: 'failed',
    reason: 'its target did not arrive, or arrived as several messages',
  })
  expect(await push('longer than ten', { type: 'topic' })).toMatchObject({
    outcome: 'failed',
    reason: 'Expected one message of at most 10 characters, got 15.',
  })
})

test('a reaction stands under what a person wrote or this agent sent, never under our notices', async () => {
  let at = 0
  const rig = await begin({
    wrap: (memory) => ({
      ...memory,
      deliver: async (outgoing) => {
        const end = await memory.deliver(outgoing)
        return end.kind === 'delivered' ? { ...end, message_id: `m${++at}` } : end
      },
    }),
  })
  const react = (target: string) => rig.push('👍', { type: 'reaction', target })
  await rig.store.firstSeen({ channel: 'memory', chat_id: 'main', message_id: 'theirs' }, Date.now())
  await rig.store.firstSeen({ channel: 'memory', chat_id: 'elsewhere', message_id: 'other' }, Date.now())
  await rig.push('mine', { push_id: 'one' })
  const { promise: standing, resolve } = Promise.withResolvers<string | undefined>()
  await rig.dispatcher.notify({ channel: 'memory', chat_id: 'main' }, [{ fixed: 'Approve this?' }], resolve)
  const notice = (await standing) ?? ''
  expect(notice).toBe('m2')
  expect(await react('theirs')).toMatchObject({ outcome: 'delivered' })
  expect(await react('one')).toMatchObject({ outcome: 'delivered' })
  for (const target of [notice, 'other', 'm999']) {
    const reason = 'its target is neither a message of this agent nor one that a person wrote in this chat'
    expect(await react(target)).toMatchObject({ outcome: 'failed', reason })
  }
  const reactions = rig.memory.sent().filter(({ type }) => type === 'reaction')
  expect(reactions.map(({ target }) => target)).toEqual(['theirs', 'm1'])
})

test('a hook sees of an edit what stands there now', async () => {
  const rig = await begin({
    wrap: (memory) => ({
      ...memory,
      deliver: async (outgoing) => ({ ...(await memory.deliver(outgoing)), message_id: 'm' }) as never,
    }),
  })
  await rig.approve('on_outbound_message', tells)
  await rig.on()
  await rig.push('first half', { push_id: 'one' })
  await rig.push('between')
  await rig.push('second half', { type: 'edit', target: 'one' })
  expect(asked(rig)).toMatchObject({
    type: 'edit',
    notification: 'second half',
    before: 'first half',
    recent: ['first half', 'between'],
  })
})

test('a form that the messenger lacks is refused with those that it has', async () => {
  const { push } = await begin({ wrap: (memory) => ({ ...memory, forms: ['text', 'document'] }) })
  expect(await push('Which one?', poll)).toEqual({
    refused: 'form',
    message: 'Expected a form that memory has (text, document), got poll.',
    fix: 'Send it in one of these.',
  })
})

test('files that wait survive a restart, and nothing of them is left when they have left', async () => {
  const rig = await begin()
  rig.memory.fail({ kind: 'retry', afterMs: 60_000, why: 'away' })
  void rig.push('later', { type: 'document', files: [file('a.txt', 'hello')], push_id: 'f' })
  await until('the try', () => rig.memory.isHealed())
  const folder = `${rig.home}/files`
  expect(fs.readdirSync(folder)).toHaveLength(1)
  fs.writeFileSync(`${folder}/stray`, 'of a crash')
  await until('back in the queue', async () => (await rig.store.outbox())[0]?.state === 'queued')
  await rig.restart()
  await until('it', () => rig.memory.sent().length === 1)
  expect(await rig.memory.sent()[0]?.files[0]?.text()).toBe('hello')
  await until('nothing left', () => fs.readdirSync(folder).length === 0)
})

test('two that send the same file do not take it from each other', async () => {
  const { push, memory } = await begin()
  const same = Array.from({ length: 20 }, (_, at) =>
    push(`${at}`, { type: 'document', files: [file('a.txt', 'same')], chat_id: `c${at % 4}` }),
  )
  expect((await Promise.all(same)).every((end) => 'outcome' in end && end.outcome === 'delivered')).toBe(true)
  expect(memory.sent()).toHaveLength(20)
})

const plainOnly = (memory: MemoryChannel): Channel => ({
  ...memory,
  forms: ['text', 'error', 'photo', 'document', 'album', 'location', 'contact'],
  isPlain: true,
})
const pushes = ({ memory }: Rig) => memory.sent().filter(({ kind }) => kind === 'push')

test('where a message is one text or one file, each file leaves by itself under its name, then all words in lines', async () => {
  const rig = await begin({ wrap: plainOnly })
  const parts = [
    { field: 'link.0', text: 'https://a.example/' },
    { field: 'link.1', text: 'https://b.example/' },
  ]
  const marks = [
    { type: 'link', offset: 4, length: 4, field: 'link.0' },
    { type: 'link', offset: 9, length: 18, field: 'link.1' },
  ] as const
  expect(
    await rig.push('see this https://b.example/', {
      type: 'album',
      files: [file('a.txt', 'one'), file('b.txt', 'two')],
      parts,
      marks,
    }),
  ).toMatchObject({ outcome: 'delivered' })
  const sent = pushes(rig)
  expect(
    sent.map(({ type, text, files, parts: beside, marks: runs }) => [
      type,
      text,
      files.map(({ name }) => name),
      beside,
      runs,
    ]),
  ).toEqual([
    ['album', '', ['a.txt'], [{ field: 'file.0.name', text: 'a.txt' }], []],
    ['album', '', ['b.txt'], [{ field: 'file.0.name', text: 'b.txt' }], []],
    ['text', 'see this https://b.example/\nhttps://a.example/', [], [], []],
  ])
  expect(await Promise.all(sent.flatMap(({ files }) => files.map((one) => one.text())))).toEqual([
    'one',
    'two',
  ])
})

test.each<[string, string, Partial<AgentPush>]>([
  [
    'Read it\nOpen\nhttps://a.example/',
    'Read it',
    {
      parts: [
        { field: 'button.0.label', text: 'Open' },
        { field: 'button.0.url', text: 'https://a.example/' },
      ],
    },
  ],
  [
    '52.5\n13.4\nThe gate',
    '',
    {
      type: 'location',
      parts: [
        { field: 'latitude', text: '52.5' },
        { field: 'longitude', text: '13.4' },
        { field: 'title', text: 'The gate' },
      ],
    },
  ],
  [
    '+49 30 1\nAda',
    '',
    {
      type: 'contact',
      parts: [
        { field: 'phone', text: '+49 30 1' },
        { field: 'first_name', text: 'Ada' },
      ],
    },
  ],
])('there, buttons, a place and a person are the lines that were judged: %j', async (said, text, over) => {
  const rig = await begin({ wrap: plainOnly })
  await rig.approve('on_outbound_message', tells)
  await rig.on()
  await rig.push(text, over)
  expect(pushes(rig).map((outgoing) => [outgoing.type, outgoing.text, outgoing.parts])).toEqual([
    ['text', said, []],
  ])
  const judged = asked(rig) as { notification: string; parts: { text: string }[] }
  expect(
    [judged.notification, ...judged.parts.map((part) => part.text)].filter((line) => line !== ''),
  ).toEqual(said.split('\n'))
  await rig.push('next')
  expect(asked(rig)['recent']).toEqual([said])
})

test.each([
  [
    { kind: 'failed', why: 'refused' },
    { outcome: 'failed', reason: 'refused (1 of 3 parts had been sent)' },
    ['one'],
  ],
  [
    { kind: 'unknown', why: 'cut' },
    { outcome: 'unknown', reason: 'cut (1 of 3 parts had been sent)' },
    ['one'],
  ],
  [{ kind: 'retry', afterMs: 5, why: 'later' }, { outcome: 'delivered' }, ['one', 'two', 'three']],
] as const)(
  'when some files left and the next meets %j, that is told as it is, and nothing leaves twice',
  async (end, outcome, arrived) => {
    let tries = 0
    const rig = await begin({
      wrap: (memory) => ({
        ...plainOnly(memory),
        deliver: async (outgoing) =>
          outgoing.kind === 'push' && ++tries === 2 ? end : memory.deliver(outgoing),
      }),
    })
    expect(
      await rig.push('', {
        type: 'album',
        files: ['one', 'two', 'three'].map((text) => file(`${text}.txt`, text)),
      }),
    ).toMatchObject(outcome)
    expect(await Promise.all(pushes(rig).flatMap(({ files }) => files.map((one) => one.text())))).toEqual(
      arrived,
    )
  },
)

test('drafts leave only while nothing judges what leaves, or where the owner wants them all the same', async () => {
  const rig = await begin({ previews: false })
  expect(await rig.push('half a sec', { type: 'draft' })).toEqual({
    outcome: 'withheld',
    reason: 'drafts are not sent while a hook judges outgoing messages',
    event_id: '',
  })
  expect(rig.memory.sent()).toEqual([])
  await rig.stop()
  const open = await begin()
  expect(await open.push('half a sec', { type: 'draft' })).toMatchObject({ outcome: 'delivered' })
})

test('a file that could not be kept is told, and the same push can be asked for again', async () => {
  const { push, home, memory } = await begin()
  fs.writeFileSync(`${home}/files`, 'in the way')
  const asked = { type: 'document', files: [file('a.txt', 'hello')], push_id: 'p' } as const
  await expect(push('look', asked)).rejects.toThrow()
  fs.rmSync(`${home}/files`)
  expect(await push('look', asked)).toMatchObject({ outcome: 'delivered' })
  expect(memory.sent()).toHaveLength(1)
})

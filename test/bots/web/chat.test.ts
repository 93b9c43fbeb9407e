import { pageBounds } from '../../../bots/web/history.ts'
import { expect, test } from 'vitest'
import { FORMS, PUSH_TYPES } from '../../../src/core/model/chat/content.ts'
import { idOf, makeChat } from './chat-rig.ts'

test('a message that neither came through the door nor from the owner is not shown, and is told', async () => {
  const { chat, strays, outgoing, read } = makeChat()
  for (const kind of ['push', 'notice'] as const)
    expect(await chat.deliver(outgoing('forged', { kind }))).toMatchObject({ kind: 'failed' })
  chat.say('mine')
  expect(strays).toEqual(['refusedMessage', 'refusedMessage'])
  expect((await read()).map(({ text }) => text)).toEqual(['mine'])
})

test('what is not said by anybody holds no words of the bot’s own', async () => {
  const { chat } = makeChat()
  const stream = chat.open('s')
  chat.working('forged' as never)
  await chat.refresh()
  chat.sweep(() => false)
  expect(await new Response(stream).text()).not.toContain('forged')
})

test('the preferences are read for open tabs alone', async () => {
  const { chat, asked } = makeChat()
  await chat.refresh()
  expect(asked.preferences).toBe(0)
  chat.open('s')
  await chat.refresh()
  expect(asked.preferences).toBe(1)
})

test('the history is bounded in size, and the newest message always stays', async () => {
  const { chat, read } = makeChat()
  for (let index = 0; index < 5; index++) chat.say(`${index}${'x'.repeat(200_000)}`)
  expect((await read()).map((message) => message.text[0])).toEqual(['3', '4'])
  chat.say('y'.repeat(3_000_000))
  expect((await read()).map((message) => message.text[0])).toEqual(['y'])
})

test('only a card that waits is marked so, until something takes its place', async () => {
  const { deliver, notice, read } = makeChat()
  await notice('card', { isPinned: true })
  await deliver('agent', { isPinned: true })
  const [card] = await read()
  expect((await read()).map(({ isPinned }) => isPinned)).toEqual([true, undefined])
  await notice('Denied by you.', { isPinned: false, replaces: card?.id ?? '' })
  expect((await read()).map(({ text, isPinned }) => [text, isPinned])).toEqual([
    ['Denied by you.', undefined],
    ['agent', undefined],
  ])
})

test('only a notice has buttons, and only a notice takes the place of a notice', async () => {
  const { chat, deliver, notice, read } = makeChat()
  const buttons = [[{ label: 'Approve', press: 'a1' }]]
  await notice('card', { buttons })
  await deliver('agent', { buttons })
  const [card, push] = await read()
  expect([card?.buttons, push?.buttons]).toEqual([buttons, undefined])
  await deliver('forged receipt', { replaces: card?.id ?? '' })
  await notice('not over an agent', { replaces: push?.id ?? '' })
  await notice('receipt', { replaces: card?.id ?? '' })
  const said = chat.say('mine')
  await notice('not over the owner', { replaces: said })
  expect((await read()).map(({ text }) => text)).toEqual([
    'receipt',
    'agent',
    'forged receipt',
    'not over an agent',
    'mine',
    'not over the owner',
  ])
})

test('whatever form an agent’s message takes, it is the agent’s: only a notice is hookgate’s', async () => {
  const { deliver, notice, read } = makeChat()
  for (const type of [...PUSH_TYPES, 'notice'] as const)
    await deliver('x', { type, parts: [{ field: 'from', text: 'hookgate' }] })
  await notice('ours')
  expect([...new Set((await read()).slice(0, -1).map(({ from }) => from))]).toEqual(['agent'])
  expect((await read()).at(-1)).toMatchObject({ from: 'hookgate', text: 'ours' })
})

test('an edit changes the text of the agent’s own message where it stands, and says so', async () => {
  const { deliver, read } = makeChat()
  const id = idOf(
    await deliver('first', {
      type: 'photo',
      files: [new File(['x'], 'a.png')],
      marks: [{ type: 'bold', offset: 0, length: 5 }],
    }),
  )
  await deliver('later')
  const edit = (text: string) =>
    deliver(text, {
      type: 'edit',
      target: id,
      parts: [
        { field: 'button.0.label', text: 'Go' },
        { field: 'button.0.url', text: 'https://example.com/' },
      ],
    })
  expect(await edit('second')).toEqual({ kind: 'delivered', message_id: id })
  expect(await read()).toMatchObject([
    {
      id,
      text: 'second',
      form: 'photo',
      marks: [],
      isEdited: true,
      files: [{ name: 'a.png' }],
      links: [{ label: 'Go', url: 'https://example.com/' }],
    },
    { text: 'later' },
  ])
})

test('an edit or a reaction is about a message that is there, and never about a notice', async () => {
  const { chat, deliver, notice, read } = makeChat()
  const [mine, ours, place] = [
    chat.say('mine'),
    idOf(await notice('ours')),
    idOf(
      await deliver('', {
        type: 'location',
        parts: [
          { field: 'latitude', text: '1' },
          { field: 'longitude', text: '2' },
        ],
      }),
    ),
  ]
  const before = await read()
  for (const target of [mine, ours, place, 'gone', '__proto__', undefined]) {
    expect(
      await deliver('over it', { type: 'edit', ...(target === undefined ? {} : { target }) }),
    ).toMatchObject({ kind: 'failed', why: expect.stringMatching(/no longer on the page|Expected/) })
  }
  for (const target of [ours, 'gone'])
    expect(await deliver('👍', { type: 'reaction', target })).toMatchObject({ kind: 'failed' })
  for (const text of ['👍👍', 'Approved by hookgate', `a${'\u0301'.repeat(500)}`])
    expect(await deliver(text, { type: 'reaction', target: mine })).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('Expected one emoji'),
    })
  expect(await read()).toEqual(before)
  for (const text of ['👍', '👩‍👩‍👧‍👦'])
    expect(await deliver(text, { type: 'reaction', target: mine })).toEqual({ kind: 'delivered' })
  expect((await read())[0]).toMatchObject({ id: mine, from: 'you', text: 'mine', reaction: '👩‍👩‍👧‍👦' })
})

test('a form that the page has not, or an address that a browser could run, is not shown', async () => {
  const { deliver, read } = makeChat()
  for (const type of ['topic', 'draft'] as const)
    expect(await deliver('x', { type })).toMatchObject({ kind: 'failed' })
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'tg://resolve',
    ' https://example.com',
    'https://',
    'blob:https://x/y',
    '//example.com',
  ]) {
    expect(await deliver('x', { parts: [{ field: 'link.0', text }] })).toMatchObject({ kind: 'failed' })
    expect(
      await deliver('x', {
        parts: [
          { field: 'button.0.label', text: 'Go' },
          { field: 'button.0.url', text },
        ],
      }),
    ).toMatchObject({ kind: 'failed' })
  }
  expect(await read()).toEqual([])
})

test('a tab that comes later gets every form as the first one got it', async () => {
  const { chat, deliver, read } = makeChat()
  const stream = chat.open('first')
  const files = [new File(['x'], 'a.bin'), new File(['y'], 'b.bin')]
  for (const [type, form] of Object.entries(FORMS)) {
    const text = form.text === 'none' ? '' : 'words'
    await deliver(text, {
      type: type as keyof typeof FORMS,
      files: files.slice(0, form.files[0]),
      parts: Object.keys(form.parts).map((field) => ({
        field: field.replace('N', '0'),
        text: field.includes('link') || field.includes('url') ? 'https://example.com/a' : '12',
      })),
    })
  }
  const late = await read()
  const lines = (await new Response(stream).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; message?: unknown })
  expect(lines.flatMap(({ type, message }) => (type === 'message' ? [message] : []))).toEqual(late)
  expect(late.map(({ form }) => form)).toEqual([
    'text',
    'error',
    'photo',
    'document',
    'voice',
    'album',
    'poll',
    'location',
    'contact',
  ])
  expect(late.at(-2)).toMatchObject({
    location: { latitude: '12', longitude: '12', title: '12', address: '12' },
  })
  expect(late.at(-1)).toMatchObject({ contact: { name: '12 12', phone: '12' } })
})

test('files are kept up to 60 MB and as long as their message; what was given up is gone', async () => {
  const { chat, deliver, read } = makeChat()
  const big = (mb: number): File => new File([new Uint8Array(mb * 1e6)], 'big')
  for (const mb of [30, 20, 25])
    expect(await deliver('', { type: 'document', files: [big(mb)] })).toMatchObject({ kind: 'delivered' })
  const ids = (await read()).map(({ files = [] }) => files[0]?.id ?? '')
  expect(ids.map((id) => chat.file(id)?.file.size)).toEqual([undefined, 20e6, 25e6])
  expect(await deliver('', { type: 'album', files: [big(31), big(30)] })).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining('60 MB'),
  })
  expect(chat.file(ids[1] ?? '')).toBeDefined()
  for (let index = 0; index < 200; index++) await deliver('x')
  expect(ids.map((id) => chat.file(id))).toEqual([undefined, undefined, undefined])
  expect(await deliver('', { type: 'album', files: [big(30), big(30)] })).toMatchObject({ kind: 'delivered' })
  expect((await read()).at(-1)?.files?.map(({ id }) => chat.file(id)?.file.size)).toEqual([30e6, 30e6])
})

test('what one speaker says, however much or long, takes nothing of another away', async () => {
  const speakers = ['hookgate', 'agent', 'you'] as const
  for (const text of ['x', 'x'.repeat(50_000)]) {
    for (const flooder of speakers) {
      const { chat, deliver, notice, read } = makeChat()
      const say = { hookgate: notice, agent: deliver, you: async (words: string) => chat.say(words) }
      for (const speaker of speakers) await say[speaker](`first of ${speaker}`)
      for (let index = 0; index < 300; index++) await say[flooder](text)
      const kept = await read()
      const firsts = kept.filter((message) => message.text.startsWith('first of ')).map(({ from }) => from)
      expect(firsts).toEqual(speakers.filter((speaker) => speaker !== flooder))
      const own = kept.filter(({ from }) => from === flooder)
      expect(own.length).toBeLessThanOrEqual(pageBounds[flooder].messages)
      expect(JSON.stringify(own).length).toBeLessThan(pageBounds[flooder].units + 1000)
      expect(kept.at(-1)?.text).toBe(text)
    }
  }
})

test('a tab whose person is no owner gets no message of the agent, no file, no card and no list', async () => {
  const { chat, deliver, notice, person } = makeChat()
  const before = chat.open('before')
  await deliver('said before')
  await deliver('with a file', { type: 'document', files: [new File(['x'], 'a.txt')] })
  person.isOwner = false
  await chat.refresh()
  const after = chat.open('after')
  await deliver('said after')
  chat.working(true)
  await notice('Pairing was refused.')
  chat.sweep(() => false)
  const typesOf = async (stream: typeof before) =>
    (await new Response(stream).text())
      .trim()
      .split('\n')
      .map((line) => {
        const { type, message } = JSON.parse(line) as { type: string; message?: { text: string } }
        return message === undefined ? type : message.text
      })
  expect(await typesOf(after)).toEqual(['outsider', 'Pairing was refused.'])
  expect(await typesOf(before)).toEqual([
    'history',
    'working',
    'said before',
    'with a file',
    'outsider',
    'Pairing was refused.',
  ])
})

test('a notice that is a file shows it to owners, under the name that was judged', async () => {
  const { chat, notice, read, person } = makeChat()
  await notice('k7f2q', { type: 'document', files: [new File(['#!/bin/sh'], 'guard.sh.txt')] })
  const [shown] = await read()
  expect(shown).toMatchObject({ from: 'hookgate', form: 'document', files: [{ name: 'guard.sh.txt' }] })
  const id = shown?.files?.[0]?.id ?? ''
  expect(chat.file(id)).toBeDefined()
  person.isOwner = false
  expect(chat.file(id)).toBeUndefined()
})

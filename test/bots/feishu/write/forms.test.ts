import { expect, test } from 'vitest'
import { emojiOf } from '../../../../bots/feishu/write/emoji.ts'
import { emojiTypes } from '../../../fixtures/feishu/emoji.ts'
import type { OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import { createRig, type Rig } from '../rig.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const fileOf = (name: string, type: string, bytes: Uint8Array = Buffer.from(`bytes of ${name}`)): File =>
  new File([bytes], name, { type })
const photo = (name = 'a.png'): File => fileOf(name, 'image/png', png)
let count = 0
const send = (rig: Rig, text: string, rest: Partial<OutgoingMessage>) =>
  rig.channel.deliver(rig.outgoing(text, { outgoing_id: `f${++count}`, ...rest }))
const sentOf = ({ server }: Rig) => server.sent().map(({ type, text }) => [type, text])
const keptOf = ({ server }: Rig) => [...server.world.files.values()].map(({ name, type }) => [name, type])
const image = 'POST /open-apis/im/v1/images'
const file = 'POST /open-apis/im/v1/files'

test('a photo stands above its text in one message, and an album has its pictures in order', async () => {
  const rig = await createRig()
  await send(rig, 'look', { type: 'photo', files: [photo()] })
  await send(rig, '', { type: 'photo', files: [photo()] })
  await send(rig, 'three', { type: 'album', files: [photo('1.png'), photo('2.png'), photo('3.png')] })
  expect(sentOf(rig).map(([type]) => type)).toEqual(['post', 'post', 'post'])
  const [first, , album] = rig.server
    .sent()
    .map(({ content }) => Object.values(content)[0] as { content: { tag: string }[][] })
  expect(first?.content.map((line) => line.map(({ tag }) => tag))).toEqual([['img'], ['text']])
  expect(album?.content.map((line) => line.map(({ tag }) => tag))).toEqual([
    ['img'],
    ['img'],
    ['img'],
    ['text'],
  ])
  expect(keptOf(rig).slice(2)).toEqual([
    ['1.png', 'image'],
    ['2.png', 'image'],
    ['3.png', 'image'],
  ])
})

test('a document, also a picture as one, is a file with its name, and its text follows', async () => {
  const rig = await createRig()
  await send(rig, 'see', { type: 'document', files: [fileOf('näme (1).pdf', 'application/pdf')] })
  await send(rig, '', { type: 'document', files: [photo()] })
  expect(sentOf(rig).map(([type]) => type)).toEqual(['file', 'post', 'file'])
  expect(keptOf(rig)).toEqual([
    ['näme (1).pdf', 'stream'],
    ['a.png', 'stream'],
  ])
  expect(rig.server.texts()).toContain('see')
})

test('an album with another file in it is files, each a message, and a picture that Feishu does not show is a file', async () => {
  const rig = await createRig()
  await send(rig, 'both', { type: 'album', files: [photo(), fileOf('b.txt', 'text/plain')] })
  await send(rig, '', { type: 'photo', files: [fileOf('c.svg', 'image/svg+xml')] })
  expect(sentOf(rig).map(([type]) => type)).toEqual(['file', 'file', 'post', 'file'])
  expect(rig.server.calls(image)).toEqual([])
})

test('a voice message is played when Feishu can, and a file when not', async () => {
  const rig = await createRig()
  await send(rig, 'hear', { type: 'voice', files: [fileOf('v.ogg', 'audio/ogg')] })
  await send(rig, '', { type: 'voice', files: [fileOf('v.mp3', 'audio/mpeg')] })
  await send(rig, '', { type: 'voice', files: [fileOf('v.ogg', 'text/plain')] })
  expect(sentOf(rig).map(([type]) => type)).toEqual(['audio', 'post', 'file', 'file'])
})

test('files that are empty or too large are refused without a call', async () => {
  const rig = await createRig()
  for (const [one, why] of [
    [fileOf('a.png', 'image/png', new Uint8Array(0)), 'Expected a photo that is not empty, got 0 bytes.'],
    [
      fileOf('a.png', 'image/png', new Uint8Array(10 * 1024 * 1024 + 1)),
      'Expected a photo of at most 10 MB, got 10.1 MB.',
    ],
    [fileOf('a.txt', 'text/plain', new Uint8Array(0)), 'Expected a file that is not empty, got 0 bytes.'],
    [
      fileOf('a.bin', '', new Uint8Array(30 * 1024 * 1024 + 1)),
      'Expected a file of at most 30 MB, got 30.1 MB.',
    ],
  ] as const)
    expect(await send(rig, '', { type: 'photo', files: [one] })).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining(why) as string,
    })
  expect(rig.server.calls()).toEqual([])
})

test('a large picture as a document is a file', async () => {
  const rig = await createRig()
  const large = fileOf('a.png', 'image/png', new Uint8Array(11 * 1024 * 1024))
  expect(await send(rig, '', { type: 'document', files: [large] })).toMatchObject({ kind: 'delivered' })
})

test('an upload that breaks is made again, and one that Feishu refuses fails with words', async () => {
  const rig = await createRig()
  for (const fault of ['cut', 'cut_after', 'garbage'] as const) {
    rig.server.fail(image, 1, fault)
    expect((await send(rig, 'x', { type: 'photo', files: [photo()] })).kind).toBe('retry')
  }
  rig.server.fail(image, 1, { code: 234011, msg: "Can't recognize the image format." })
  expect(await send(rig, 'x', { type: 'photo', files: [photo()] })).toMatchObject({ kind: 'failed' })
  rig.server.fail(file, 1, { code: 99991672 })
  expect(await send(rig, 'x', { type: 'document', files: [photo()] })).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining('lacks a permission') as string,
  })
  expect(rig.server.sent()).toEqual([])
})

test('of several messages of one push none comes twice when an answer was lost', async () => {
  const rig = await createRig()
  const outgoing = rig.outgoing('text', { type: 'document', files: [fileOf('a.txt', 'text/plain')] })
  for (const [fault, outcome] of [
    ['cut_after', 'retry'],
    ['cut_after', 'retry'],
    [undefined, 'delivered'],
  ] as const) {
    if (fault !== undefined) rig.server.fail('POST /open-apis/im/v1/messages', 1, fault)
    expect((await rig.channel.deliver(outgoing)).kind).toBe(outcome)
  }
  expect(sentOf(rig).map(([type]) => type)).toEqual(['file', 'post'])
})

test('an edit changes the text of an earlier push where it stands', async () => {
  const rig = await createRig()
  const sent = await send(rig, 'one', {})
  const target = sent.kind === 'delivered' ? (sent.message_id ?? '') : ''
  expect(await send(rig, 'two\nlines', { type: 'edit', target })).toEqual({
    kind: 'delivered',
    message_id: target,
  })
  expect(rig.server.texts()).toEqual(['two\nlines'])
  rig.server.fail('PUT /open-apis/im/v1/messages/:message_id', 1, 'cut_after')
  expect((await send(rig, 'three', { type: 'edit', target })).kind).toBe('retry')
})

test('an edit that cannot be made is told with what to do', async () => {
  const rig = await createRig()
  const put = 'PUT /open-apis/im/v1/messages/:message_id'
  const idOf = async (text: string, rest: Partial<OutgoingMessage>) => {
    const sent = await send(rig, text, rest)
    return sent.kind === 'delivered' ? (sent.message_id ?? '') : ''
  }
  const edit = async (target: string | undefined) => {
    const edited = await send(rig, 'new', { type: 'edit', ...(target === undefined ? {} : { target }) })
    return edited.kind === 'failed' ? edited.why : edited.kind
  }
  expect(await edit(undefined)).toContain('Name the push_id')
  expect(await edit('a/../b')).toContain('Name the push_id')
  expect(await edit(await idOf('x', { type: 'photo', files: [photo()] }))).toContain('holds a file')
  expect(await edit(await idOf('', { type: 'document', files: [photo()] }))).toContain('holds a file')
  expect(rig.server.calls(put)).toEqual([])
  const recalled = await idOf('x', {})
  rig.server.recall(recalled)
  expect(await edit(recalled)).toBe(
    'The message was recalled, so it can no longer be changed. Send a new one.',
  )
  const often = await idOf('x', {})
  for (let nth = 0; nth < 20; nth++) expect(await edit(often)).toBe('delivered')
  expect(await edit(often)).toBe('Feishu lets a message be changed 20 times only. Send a new one.')
  expect(await edit(rig.server.say('of a person'))).toBe(
    'The message was not sent by this bot, so it cannot be changed. Send a new one.',
  )
})

test('a reaction is one emoji that Feishu has, on any message', async () => {
  const rig = await createRig()
  const target = rig.server.say('hello')
  expect(await send(rig, '❤️', { type: 'reaction', target })).toEqual({ kind: 'delivered' })
  expect(await send(rig, '👍', { type: 'reaction', target })).toEqual({ kind: 'delivered' })
  expect(rig.server.reactions(target)).toEqual(['HEART', 'THUMBSUP'])
  for (const text of ['🚀', 'THUMBSUP', 'secret words', '', '👍👍', 'toString'])
    expect((await send(rig, text, { type: 'reaction', target })).kind).toBe('failed')
  expect((await send(rig, '👍', { type: 'reaction', target: 'a b' })).kind).toBe('failed')
  expect(rig.server.calls('POST /open-apis/im/v1/messages/:message_id/reactions')).toHaveLength(2)
  rig.server.recall(target)
  expect(await send(rig, '👍', { type: 'reaction', target })).toMatchObject({
    kind: 'failed',
    why: 'The message was deleted, so it cannot get a reaction. Send a text.',
  })
})

test('every name of a reaction is one that Feishu has', () => {
  const all =
    '👍👎👌❤💔👏🙏💪🫰🎉🔥💯✅✔❌🤔😊😄😂😁😉😍😘☺😏😮😱😲😢😭😠😓😅🤦🤷😴🥱😵🤢🤮💀🤡🤫😛🤗👋🤝🙌👊🫡✌☝➕➖📌⏰📢🏆💣🎵🎁🎂🍺☕🌹💩🧧🎆⚽🏀🎄⌨👀💡'
  for (const emoji of all) expect(emojiTypes, emoji).toContain(emojiOf(emoji))
})

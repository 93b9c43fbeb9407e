import { proseText } from '../../../../src/core/model/chat/prose.ts'
import { randomBytes } from 'node:crypto'
import { FileBox } from 'file-box'
import { expect, onTestFinished, test } from 'vitest'
import type { FileBytes } from '../../../../bots/wechat/file.ts'
import { encrypt } from '../../../../bots/wechat/ilink/media.ts'
import { createPuppet } from '../../../../bots/wechat/ilink/puppet.ts'
import { outcomeOf } from '../../../../bots/wechat/outcome.ts'
import { closePuppet } from '../../../../bots/wechat/puppet-guard.ts'
import { person, startILink, type Fault } from '../../../fixtures/ilink/server.ts'

interface Tested {
  start(): Promise<void>
  stop(): Promise<void>
  on(event: 'message', listener: (payload: { readonly messageId: string }) => void): void
  on(event: 'scan', listener: () => void): void
  kept(id: string, what: unknown): void
  messageFile(id: string): Promise<FileBox>
  messageImage(id: string, type: number): Promise<FileBox>
  messagePayload(
    id: string,
  ): Promise<{ readonly type: number; readonly filename?: string; readonly text?: string }>
  readonly isLoggedIn: boolean
}

/** The puppet alone, logged in on a fake server, with its guard. */
const createRig = async (more: object = {}) => {
  const ilink = await startILink()
  const troubles: string[] = []
  const puppet = createPuppet(
    {
      root: ilink.root,
      cdn: ilink.cdnRoot,
      pauseMs: 5,
      sendIntervalMs: 0,
      backoffMs: 20,
      holdMs: 3000,
      ...more,
    },
    {
      now: Date.now,
      elapsedMs: () => performance.now(),
      log: () => undefined,
      trouble: (why) => troubles.push(proseText(why)),
    },
  ) as Tested
  const heard: string[] = []
  puppet.on('message', ({ messageId }) => {
    heard.push(messageId)
    puppet.kept(messageId, undefined)
  })
  puppet.on('scan', () => ilink.confirm())
  const { sendText, sendFile } = closePuppet(puppet, () => undefined)
  onTestFinished(async () => {
    await puppet.stop()
    await ilink.stop()
  })
  await puppet.start()
  await ilink.waitFor(() => puppet.isLoggedIn)
  const hear = async (item?: object): Promise<string> => {
    const id = item === undefined ? ilink.say('hello') : ilink.inject({ item_list: [item as never] })
    return ilink.waitFor(() => heard.find((known) => known === id))
  }
  const send = async (name: string, bytes: Uint8Array): Promise<unknown> =>
    sendFile(person, { name, bytes }).then(
      () => 'delivered',
      (error: unknown) => outcomeOf(error, 5),
    )
  const asked = (path: string): number => ilink.calls.filter((call) => call === path).length
  return { ilink, puppet, hear, send, sendText, sendFile, asked, troubles }
}

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(500)])

test.each<[string, FileBytes, string]>([
  [
    'a file, with its name',
    { name: 'Übersicht 界 "a".csv', bytes: Buffer.from('a,b\n1,2\n') },
    'Übersicht 界 "a".csv',
  ],
  ['a picture, which shows no name', { name: 'plot.png', bytes: png }, ''],
  [
    'something else that is named like a picture, as a file',
    { name: 'plot.png', bytes: Buffer.from('secret') },
    'plot.png',
  ],
  ['a picture under another name, as a file', { name: 'plot.bin', bytes: png }, 'plot.bin'],
  ['as many bytes as fill the last block', { name: 'a.bin', bytes: randomBytes(64) }, 'a.bin'],
])('%s, arrives exactly as it was given', async (_, file, name) => {
  for (const givesAddress of [false, true]) {
    const { ilink, hear, send } = await createRig()
    ilink.cdn.state.givesAddress = givesAddress
    await hear()
    expect(await send(file.name, file.bytes)).toBe('delivered')
    expect(ilink.sent).toEqual([{ to: person, text: '', file: { name, bytes: Buffer.from(file.bytes) } }])
    expect([ilink.wrongs, ilink.dropped]).toEqual([[], []])
  }
})

test('what leaves are the bytes of the call, whatever becomes of them meanwhile', async () => {
  const { ilink, hear, sendFile } = await createRig()
  await hear()
  const bytes = Buffer.from('as it was judged')
  const sending = sendFile(person, { name: 'a.txt', bytes })
  bytes.fill('x')
  await sending
  expect(ilink.sent[0]?.file?.bytes.toString()).toBe('as it was judged')
})

test.each<[string, string, Uint8Array]>([
  ['nothing', 'a.txt', Buffer.alloc(0)],
  ['more than 20 MB', 'a.txt', Buffer.alloc(20_000_001)],
  ['no name', '', png],
  ['a folder in its name', '../a.txt', png],
  ['a line break in its name', 'a\n.txt', png],
  ['a name without end', 'x'.repeat(256), png],
])('a file with %s is refused before WeChat hears of it', async (_, name, bytes) => {
  const { hear, send, asked } = await createRig()
  await hear()
  expect(await send(name, bytes)).toMatchObject({ kind: 'failed' })
  expect(asked('getuploadurl')).toBe(0)
})

test.each([
  ['a path', () => FileBox.fromFile(import.meta.filename)],
  ['an address', () => FileBox.fromUrl('http://127.0.0.1:9/a.txt', { name: 'a.txt' })],
  ['a stream', () => FileBox.fromStream(new ReadableStream() as never, 'a.txt')],
  ['a QR code', () => FileBox.fromQRCode('x')],
])('a box that stands for %s is refused: nobody judged what is behind it', async (_, box) => {
  const puppet = createPuppet(
    {},
    { log: () => undefined, now: Date.now, elapsedMs: () => performance.now(), trouble: () => undefined },
  ) as { messageSendFile(to: string, box: FileBox): Promise<unknown> }
  await expect(puppet.messageSendFile(person, box())).rejects.toThrow('Expected a file as bytes')
})

test('a file waits for the person as a text does, and counts as one of the ten', async () => {
  const { ilink, hear, send, sendText, asked } = await createRig({ backoffMs: 1000 })
  expect(await send('a.txt', png)).toMatchObject({
    kind: 'retry',
    why: expect.stringContaining('until that person writes'),
  })
  expect(asked('getuploadurl')).toBe(0)
  await hear()
  for (let count = 0; count < 5; count++) {
    expect(await send('a.txt', Buffer.from(`${count}`))).toBe('delivered')
    await sendText(person, 'and')
  }
  expect(await send('a.txt', png)).toMatchObject({
    kind: 'retry',
    why: expect.stringContaining('until that person writes'),
  })
  expect(ilink.sent).toHaveLength(10)
})

test('a person who writes during a long upload is answered by what they wrote last', async () => {
  const { ilink, hear, send } = await createRig()
  await hear()
  ilink.endContexts()
  ilink.fail('c2c/upload', { kind: 'slow', ms: 300 })
  const sending = send('a.txt', png)
  await ilink.waitFor(() => ilink.calls.includes('c2c/upload'))
  await hear()
  expect(await sending).toBe('delivered')
})

const elsewhere = {
  kind: 'answer',
  answer: { upload_full_url: 'http://127.0.0.1:9/c2c/upload?x=1' },
} as const
test.each<[string, string, Fault, object]>([
  [
    'has no address for it',
    'getuploadurl',
    { kind: 'answer', answer: { ret: 0 } },
    { kind: 'failed', why: 'WeChat refused the message (ILink cdn).' },
  ],
  [
    'names a server that is not its own',
    'getuploadurl',
    elsewhere,
    { kind: 'failed', why: 'WeChat refused the message (ILink cdn).' },
  ],
  [
    'names an address with a user',
    'getuploadurl',
    { kind: 'answer', answer: { upload_full_url: 'http://a:b@127.0.0.1/' } },
    { kind: 'failed' },
  ],
  [
    'refuses it',
    'getuploadurl',
    { kind: 'answer', answer: { ret: -1 } },
    { kind: 'failed', why: 'WeChat refused the message (ILink ret-1).' },
  ],
  [
    'wants less at once',
    'getuploadurl',
    { kind: 'answer', answer: { ret: -2 } },
    { kind: 'retry', why: 'WeChat accepts no more messages at the moment.' },
  ],
  [
    'says that the session is over',
    'getuploadurl',
    { kind: 'answer', answer: { ret: -14 } },
    { kind: 'retry', why: 'WeChat is not logged in.' },
  ],
  [
    'cuts the first call',
    'getuploadurl',
    { kind: 'cut', isAfter: true },
    { kind: 'retry', why: expect.stringMatching(/^WeChat did not accept the file yet/) },
  ],
  [
    'has enough for now',
    'getuploadurl',
    { kind: 'raw', body: '', status: 429 },
    { kind: 'retry', isLimit: true },
  ],
  [
    'sends the upload elsewhere',
    'c2c/upload',
    { kind: 'raw', body: '', status: 307, location: 'http://127.0.0.1:9/' },
    { kind: 'retry' },
  ],
  [
    'refuses the upload',
    'c2c/upload',
    { kind: 'raw', body: '', status: 403 },
    { kind: 'failed', why: 'WeChat refused the message (ILink cdn403).' },
  ],
  [
    'has enough uploads for now',
    'c2c/upload',
    { kind: 'raw', body: '', status: 429 },
    { kind: 'retry', isLimit: true },
  ],
  ['gives up in the middle', 'c2c/upload', { kind: 'raw', body: '', status: 502 }, { kind: 'retry' }],
  ['cuts the upload', 'c2c/upload', { kind: 'cut', isAfter: true }, { kind: 'retry' }],
  ['never ends the upload', 'c2c/upload', { kind: 'hang' }, { kind: 'retry' }],
  [
    'says not where it lies',
    'c2c/upload',
    { kind: 'raw', body: 'x'.repeat(100_000), status: 200 },
    { kind: 'failed', why: 'WeChat refused the message (ILink cdn).' },
  ],
])(
  'of a file for which WeChat %s no message is sent, and it may leave later only if nothing left',
  async (_, path, fault, outcome) => {
    const transferMs = fault.kind === 'hang' ? 700 : 2000
    const { ilink, hear, send, asked } = await createRig({ callMs: 2000, transferMs })
    await hear()
    ilink.fail(path, fault)
    expect(await send('a.txt', png)).toMatchObject(outcome)
    expect([asked('sendmessage'), ilink.sent]).toEqual([0, []])
    await ilink.waitFor(async () => (await send('a.txt', png)) === 'delivered')
    expect(ilink.sent).toHaveLength(1)
  },
)

test('the message that names a file and gets no answer may have arrived', async () => {
  const { ilink, hear, send } = await createRig()
  await hear()
  ilink.fail('sendmessage', { kind: 'cut', isAfter: true })
  expect(await send('a.txt', png)).toMatchObject({ kind: 'unknown' })
  expect(ilink.sent).toHaveLength(1)
})

const key = '00112233445566778899aabbccddeeff'
const [asHex, asBytes] = [Buffer.from(key).toString('base64'), Buffer.from(key, 'hex').toString('base64')]
const words = Buffer.from('what somebody sent')

test.each<[string, (place: string) => object, object]>([
  [
    'a file',
    (place) => ({
      type: 4,
      file_item: {
        file_name: '../a b.txt',
        len: '18',
        media: { encrypt_query_param: place, aes_key: asHex },
      },
    }),
    { name: '.._a b.txt', type: 1 },
  ],
  [
    'a picture with its own key',
    (place) => ({
      type: 2,
      image_item: { aeskey: key, media: { encrypt_query_param: place, aes_key: 'x' } },
    }),
    { name: 'image.jpg', type: 6 },
  ],
  [
    'a picture',
    (place) => ({ type: 2, image_item: { media: { encrypt_query_param: place, aes_key: asBytes } } }),
    { name: 'image.jpg', type: 6 },
  ],
  [
    'voice',
    (place) => ({
      type: 3,
      voice_item: { text: '/hooks off', media: { encrypt_query_param: place, aes_key: asHex } },
    }),
    { name: 'voice.silk', type: 2 },
  ],
  [
    'a video',
    (place) => ({ type: 5, video_item: { media: { encrypt_query_param: place, aes_key: asHex } } }),
    { name: 'video.mp4', type: 15 },
  ],
])(
  '%s that comes in is fetched when somebody asks, and never before',
  async (_, item, { name, type }: { name?: string; type?: number }) => {
    const { ilink, hear, puppet, asked } = await createRig()
    const id = await hear(item(ilink.cdn.keep(encrypt(words, Buffer.from(key, 'hex')), key)))
    expect(await puppet.messagePayload(id)).toMatchObject({ type, filename: name, text: '' })
    expect(asked('c2c/download')).toBe(0)
    const box = await puppet.messageFile(id)
    expect([box.name, (await box.toBuffer()).toString()]).toEqual([name, words.toString()])
    expect(await (await puppet.messageImage(id, 2)).toBuffer()).toEqual(words)
  },
)

test.each<[string, object, Fault | undefined, RegExp?]>([
  [
    'that lies elsewhere',
    { media: { full_url: 'http://127.0.0.1:9/c2c/download?x=1', aes_key: asHex } },
    undefined,
  ],
  [
    'that is said to be larger than any',
    { len: '20000001', media: { encrypt_query_param: 'x', aes_key: asHex } },
    undefined,
    /at most 20000000 bytes/,
  ],
  [
    'that is larger than any',
    { media: { encrypt_query_param: 'x', aes_key: asHex } },
    { kind: 'endless' },
    /at most 20000016 bytes/,
  ],
  ['that does not end', { media: { encrypt_query_param: 'x', aes_key: asHex } }, { kind: 'hang' }],
  [
    'that is hidden by another key',
    { media: { encrypt_query_param: 'x', aes_key: asHex } },
    { kind: 'raw', body: 'x'.repeat(160) },
  ],
  ['without a key', { media: { encrypt_query_param: 'x' } }, undefined],
  [
    'that is sent on',
    { media: { encrypt_query_param: 'x', aes_key: asHex } },
    { kind: 'raw', body: '', status: 302, location: 'http://127.0.0.1:9/' },
  ],
  ['of which nothing is said', {}, undefined],
])('a file %s is not had, and nothing else stops', async (_, holder, fault, why = /./) => {
  const { ilink, hear, puppet } = await createRig({ transferMs: fault?.kind === 'hang' ? 700 : 10_000 })
  const id = await hear({ type: 4, file_item: holder })
  if (fault !== undefined) ilink.fail('c2c/download', fault)
  await expect(puppet.messageFile(id)).rejects.toThrow(why)
  expect(await hear()).toBeDefined()
})

test('neither an upload nor a download follows WeChat’s server for files to another', async () => {
  const { ilink, hear, send, puppet } = await createRig()
  const other = await startILink()
  onTestFinished(() => other.stop())
  for (const path of ['c2c/upload', 'c2c/download'])
    ilink.fail(path, { kind: 'raw', body: '', status: 307, location: `${other.root}/${path}` })
  const id = await hear({ type: 4, file_item: { media: { encrypt_query_param: 'x', aes_key: asHex } } })
  expect(await send('a.txt', png)).toMatchObject({ kind: 'retry' })
  await expect(puppet.messageFile(id)).rejects.toThrow()
  expect(other.calls).toEqual([])
})

import { Readable } from 'node:stream'
import { FileBox } from 'file-box'
import { types } from 'wechaty-puppet'
import { afterEach, describe, expect, test } from 'vitest'
import { flawOf } from '../../../bots/wechat/write.ts'
import type { Delivery, Message } from '../../../src/core/model/chat/channel.ts'
import { deepFreeze } from '../../../src/core/model/base/json.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { encrypt } from '../../../bots/wechat/ilink/media.ts'
import { person } from '../../fixtures/ilink/server.ts'
import { createRig as createILinkRig } from './ilink/rig.ts'
import { createRig } from './rig.ts'

const running: { stop(): Promise<void> }[] = []
const rigged = async () => {
  const rig = await createRig()
  running.push(rig.channel)
  const sent: { name: string; text: string }[] = []
  const send = (outgoing: OutgoingMessage): Promise<Delivery> => rig.channel.deliver(rig.admit(outgoing))
  const files = async () => {
    for (const json of rig.mocker.cacheFileBoxPayload.values()) {
      const box = FileBox.fromJSON(json)
      sent.push({ name: box.name, text: (await box.toBuffer()).toString() })
    }
    return sent.splice(0)
  }
  /** Somebody sends a file, as this type of message. */
  const offer = async (type: types.Message, filename?: string): Promise<Message | undefined> => {
    rig.mocker.cacheFileBoxPayload.set(
      'm',
      FileBox.fromBase64(Buffer.from('hello').toString('base64'), 'x').toJSON(),
    )
    rig.mocker.MessageMock.create({
      id: 'm',
      talkerId: 'alice',
      listenerId: 'me',
      timestamp: Date.now(),
      type,
      text: '/hooks off',
      ...(filename === undefined ? {} : { filename }),
    })
    rig.puppet.emit('message', { messageId: 'm' })
    await expect.poll(() => rig.received.length).toBe(1)
    return rig.received[0]
  }
  return { ...rig, send, files, offer }
}
afterEach(async () => {
  for (const channel of running.splice(0)) await channel.stop()
})

let count = 0
const withFiles = (
  chat_id: string,
  files: readonly File[],
  over: Partial<OutgoingMessage> = {},
): OutgoingMessage =>
  deepFreeze({
    outgoing_id: `f${++count}`,
    kind: 'push',
    channel: 'wechat',
    chat_id,
    type: 'document',
    text: '',
    code: [],
    marks: [],
    parts: files.map(({ name }, at) => ({ field: `file.${at}.name`, text: name })),
    files,
    ...over,
  })
const file = (name: string, bytes: string | Uint8Array<ArrayBuffer>): File => new File([bytes], name)
const bytesOf = async (message: Message | undefined): Promise<string> =>
  Buffer.from((await message?.files?.[0]?.bytes()) ?? []).toString()

describe('a file that leaves', () => {
  test('arrives over any puppet as its bytes under its name, and what comes back of it is no message', async () => {
    const { send, files, received, alice, me } = await rigged()
    expect(await send(withFiles('alice', [file('Plan 界.txt', 'hello')]))).toEqual({ kind: 'delivered' })
    expect(await files()).toEqual([{ name: 'Plan 界.txt', text: 'hello' }])
    alice.say('after it').to(me)
    await expect.poll(() => received.some(({ text }) => text === 'after it')).toBe(true)
    expect(received.filter(({ origin, files: some }) => origin !== 'self' && some !== undefined)).toEqual([])
  })

  test('arrives over Tencent’s interface as its bytes under its name', async () => {
    const { ilink, channel, admit, hear } = await createILinkRig()
    await hear('hello')
    expect(await channel.deliver(admit(withFiles(person, [file('a.csv', '1,2')])))).toEqual({
      kind: 'delivered',
    })
    expect(ilink.sent.map(({ file: one }) => [one?.name, one?.bytes.toString()])).toEqual([['a.csv', '1,2']])
    expect([ilink.wrongs, ilink.dropped]).toEqual([[], []])
  })

  test.each<[string, OutgoingMessage]>([
    ['two files', withFiles('alice', [file('a', '1'), file('b', '2')])],
    ['words beside a file', withFiles('alice', [file('a', '1')], { text: 'look' })],
    [
      'a part that would not be shown',
      withFiles('alice', [], { text: 'look', parts: [{ field: 'button.0.label', text: 'Go' }] }),
    ],
    ['another message that it is about', withFiles('alice', [], { text: 'look', target: 'm1' })],
    ['an empty file', withFiles('alice', [file('a', '')])],
    ['a file of more than 20 MB', withFiles('alice', [file('a', new Uint8Array(20_000_001))])],
  ])('%s in one message is refused in words, and nothing of it leaves', async (_, outgoing) => {
    const { send, files, arrived } = await rigged()
    expect(await send(outgoing)).toEqual({ kind: 'failed', why: flawOf(outgoing) })
    expect([await files(), arrived]).toEqual([[], []])
  })
})

describe('a file that comes in', () => {
  test.each([
    [
      types.Message.Attachment,
      'Plan 界.txt',
      'not_text',
      { name: 'Plan 界.txt', type: 'application/octet-stream' },
    ],
    [types.Message.Image, undefined, 'not_text', { name: 'image.jpg', type: 'image/jpeg' }],
    [types.Message.Video, undefined, 'not_text', { name: 'video.mp4', type: 'video/mp4' }],
    [types.Message.Audio, undefined, 'voice', { name: 'voice.silk', type: 'audio/silk' }],
  ])(
    'over any puppet, type %i named %s is %s, and its bytes are had when somebody asks',
    async (type, name, origin, known) => {
      const { puppet, offer } = await rigged()
      let fetches = 0
      const { messageFile } = puppet
      puppet.messageFile = (id) => (fetches++, messageFile.call(puppet, id))
      const message = await offer(type, name)
      expect(message).toMatchObject({ origin, text: '', files: [{ ...known, size: 0 }] })
      expect(fetches).toBe(0)
      expect(await bytesOf(message)).toBe('hello')
      expect(fetches).toBe(1)
    },
  )

  test.each([
    ['an address', () => FileBox.fromUrl('http://127.0.0.1:9/secret', { name: 'a.txt' })],
    ['a path', () => FileBox.fromFile(import.meta.filename)],
    ['a QR code', () => FileBox.fromQRCode('x')],
    [
      'nothing',
      () => {
        throw new Error('http://a.example/key=hush')
      },
    ],
  ])('over any puppet that gives %s for it, it is not had, in words that name nothing', async (_, box) => {
    const { puppet, offer } = await rigged()
    puppet.messageFile = async () => box()
    await expect(bytesOf(await offer(types.Message.Attachment))).rejects.toThrow(/^WeChat did not send it$/)
  })

  test('over any puppet, a stream that does not end is left when it is too large', async () => {
    const { puppet, offer } = await rigged()
    const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1_000_000)) })
    puppet.messageFile = async () => FileBox.fromStream(Readable.fromWeb(endless as never), 'a.txt')
    await expect(bytesOf(await offer(types.Message.Attachment))).rejects.toThrow('it is larger than 20 MB')
  })

  test('a text has no file, and what is taken back has none either', async () => {
    const { mocker, puppet, received, alice, me } = await rigged()
    alice.say('hello').to(me)
    mocker.MessageMock.create({
      id: 'm',
      talkerId: 'alice',
      listenerId: 'me',
      timestamp: Date.now(),
      type: types.Message.Recalled,
      text: '',
    })
    puppet.emit('message', { messageId: 'm' })
    await expect.poll(() => received.length).toBe(2)
    expect(received.map(({ files }) => files)).toEqual([undefined, undefined])
  })

  test('over Tencent’s interface each file of a message comes with what is known of it, and only what is asked for is fetched', async () => {
    const { ilink, received } = await createILinkRig()
    const key = Buffer.alloc(16, 7)
    const media = (bytes: string) => ({
      encrypt_query_param: ilink.cdn.keep(encrypt(Buffer.from(bytes), key), key.toString('hex')),
      aes_key: key.toString('base64'),
    })
    const id = ilink.inject({
      item_list: [
        { type: 4, file_item: { media: media('one'), file_name: 'one.txt', len: '3' } },
        { type: 5, video_item: { media: media('two') } },
        { type: 2, image_item: { media: media('three') } },
      ],
    })
    const message = await ilink.waitFor(() => received.find(({ message_id }) => message_id === id))
    expect(message).toMatchObject({
      origin: 'not_text',
      text: '',
      files: [
        { name: 'one.txt', size: 3 },
        { name: 'video.mp4', type: 'video/mp4', size: 0 },
        { name: 'image.jpg', type: 'image/jpeg' },
      ],
    })
    expect(ilink.calls).not.toContain('c2c/download')
    expect(Buffer.from((await message.files?.[1]?.bytes()) ?? []).toString()).toBe('two')
    expect(ilink.calls.filter((path) => path === 'c2c/download')).toHaveLength(1)
    ilink.fail('c2c/download', { kind: 'raw', body: '', status: 404 })
    await expect(message.files?.[0]?.bytes()).rejects.toThrow(/^WeChat did not send it$/)
  })

  test('what is spoken is never a command, whatever WeChat understood, and comes with its sound', async () => {
    const { ilink, received } = await createILinkRig()
    const key = Buffer.alloc(16, 7)
    const media = {
      encrypt_query_param: ilink.cdn.keep(encrypt(Buffer.from('sound'), key), key.toString('hex')),
      aes_key: key.toString('base64'),
    }
    const id = ilink.inject({ item_list: [{ type: 3, voice_item: { text: '/hooks off', media } }] })
    const message = await ilink.waitFor(() => received.find(({ message_id }) => message_id === id))
    expect(message).toMatchObject({
      origin: 'voice',
      text: '',
      files: [{ name: 'voice.silk', type: 'audio/silk' }],
    })
    expect(await bytesOf(message)).toBe('sound')
  })
})

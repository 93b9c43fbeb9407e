import { afterEach, beforeEach, expect, test } from 'vitest'
import type { InboundFile } from '../../../../src/core/model/chat/channel.ts'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { createClock, createRig, token, type Clock, type Rig } from '../rig.ts'

let server: BotApi
let clock: Clock
let rig: Rig

beforeEach(async () => {
  server = await startBotApi({ token })
  clock = createClock()
  rig = createRig(server.root, { clock })
  await rig.channel.start()
})
afterEach(async () => {
  await rig.channel.stop()
  await server.stop()
  expect(clock.count()).toBe(0)
})

const bytes = new TextEncoder().encode('bytes of a file')
/** Somebody sends it; resolves with what came in. */
const send = async (extra: object, text = ''): Promise<readonly InboundFile[]> => {
  const before = rig.received.length
  server.say(text, 7, extra as Record<string, unknown>)
  await server.waitFor(() => rig.received.length > before)
  return rig.received.at(-1)?.files ?? []
}
const sendOne = async (extra: object): Promise<InboundFile> => {
  const [file] = await send(extra)
  if (file === undefined) throw new Error('Expected a file.')
  return file
}
const textOf = async (file: InboundFile): Promise<string> => new TextDecoder().decode(await file.bytes())

test('photo, document, voice, audio and video come in with name, type, size and bytes', async () => {
  const sent: readonly [object, object][] = [
    [
      {
        photo: [server.attach(new Uint8Array(1), 'photos/s.jpg'), server.attach(bytes, 'photos/file_1.jpg')],
      },
      { name: 'photo.jpg', type: 'image/jpeg', size: 15 },
    ],
    [
      { document: { ...server.attach(bytes), file_name: 'plan.pdf', mime_type: 'application/pdf' } },
      { name: 'plan.pdf', type: 'application/pdf', size: 15 },
    ],
    [{ voice: server.attach(bytes) }, { name: 'voice.ogg', type: 'audio/ogg' }],
    [{ audio: { ...server.attach(bytes), file_name: 'song.mp3' } }, { name: 'song.mp3', type: 'audio/mpeg' }],
    [{ video: server.attach(bytes) }, { name: 'video.mp4', type: 'video/mp4' }],
    [{ video_note: server.attach(bytes) }, { name: 'video.mp4' }],
  ]
  for (const [extra, holds] of sent) {
    const file = await sendOne(extra)
    expect(file).toMatchObject(holds)
    expect(await textOf(file)).toBe('bytes of a file')
  }
  expect([rig.tripped, rig.received.map(({ origin }) => origin)]).toEqual([[], sent.map(() => 'not_text')])
})

test('nothing is fetched before somebody asks', async () => {
  await sendOne({ document: server.attach(bytes) })
  expect([server.calls('getFile'), server.downloads()]).toEqual([[], []])
})

test('a caption is the text of the message, and never a command', async () => {
  await send({ photo: [server.attach(bytes)], caption: '/hooks on' })
  expect(rig.received.at(-1)).toMatchObject({ text: '/hooks on', origin: 'captioned' })
})

test('what cannot be read as a file is none, and its message comes in all the same', async () => {
  for (const document of [
    null,
    'x',
    {},
    { file_id: 7 },
    { file_id: '../../getMe' },
    { file_id: 'x'.repeat(201) },
  ])
    expect(await send({ document })).toEqual([])
  expect(await send({ photo: [] })).toEqual([])
})

test('a larger file than Telegram gives is refused with words, whatever size it claimed', async () => {
  const words = 'it is larger than 20 MB, which a bot cannot download from Telegram'
  const large = server.attach(new Uint8Array(20_000_001))
  await expect((await sendOne({ document: large })).bytes()).rejects.toThrow(words)
  expect(server.calls('getFile')).toEqual([])
  const small = server.attach(bytes, 'documents/swollen.bin')
  server.attach(new Uint8Array(20_000_001), 'documents/swollen.bin')
  await expect((await sendOne({ document: small })).bytes()).rejects.toThrow(words)
})

test.each([
  '../../bot1234:rig-secret-token/getMe',
  '/etc/passwd',
  'a/../b',
  'https://evil.example/x',
  'a/b?c',
  'a//b',
  'a',
  'a/%2e%2e/b',
  '',
])('a path that leads elsewhere (%s) is not followed', async (file_path) => {
  const file = await sendOne({ document: server.attach(bytes) })
  server.fail('getFile', 1, { result: { file_id: 'x', file_path } })
  await expect(file.bytes()).rejects.toThrow(/^Telegram did not send it$/)
  expect(server.downloads()).toEqual([])
})

test.each(['drop_before', 'redirect'] as const)(
  'a download that goes wrong (%s) is told in words without address and token',
  async (fault) => {
    const file = await sendOne({ document: server.attach(bytes) })
    server.fail('file', 1, fault)
    await expect(file.bytes()).rejects.toThrow(/^Telegram did not send it$/)
    expect(server.downloads()).toEqual([])
    expect(await textOf(file)).toBe('bytes of a file')
    expect(rig.logs()).not.toContain('rig-secret')
  },
)

test('a download that hangs is given up after a minute', async () => {
  const file = await sendOne({ document: server.attach(bytes) })
  server.fail('file', 1, 'hang')
  const failed = expect(file.bytes()).rejects.toThrow('Telegram did not send it')
  await server.waitFor(() => server.calls('getFile').length === 1 && clock.isWaiting(60_000))
  clock.advance(60_000)
  await failed
})

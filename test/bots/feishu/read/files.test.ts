import { expect, test } from 'vitest'
import { createRig, type Rig } from '../rig.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const download = 'GET /open-apis/im/v1/messages/:message_id/resources/:file_key'

/** Somebody sends a message; resolves with its only file. */
const sendOne = async ({ server, received }: Rig, type: string, content: object) => {
  const before = received.length
  server.send(type, content as never)
  await server.waitFor(() => received.length > before)
  const file = received.at(-1)?.files?.[0]
  if (file === undefined) throw new Error('Expected a file.')
  return file
}

test('a picture, a file, a sound and a video come in with name and bytes, on request only', async () => {
  const rig = await createRig()
  const { server } = rig
  await rig.connect()
  const bytes = Buffer.from('bytes of a file')
  for (const [type, content, expected, held] of [
    ['image', server.attach(png, 'a.png'), { name: 'photo.jpg', type: 'image/jpeg' }, png],
    ['file', server.attach(bytes, 'plan.pdf'), { name: 'plan.pdf', type: 'application/octet-stream' }, bytes],
    ['audio', server.attach(bytes, 'x'), { name: 'voice.ogg', type: 'audio/ogg' }, bytes],
    ['media', server.attach(bytes, 'film.mp4'), { name: 'film.mp4', type: 'video/mp4' }, bytes],
    ['post', { content: [[{ tag: 'img', ...server.attach(png, 'b.png') }]] }, { name: 'photo.jpg' }, png],
  ] as const) {
    const before = server.calls(download).length
    const file = await sendOne(rig, type, content)
    expect(file).toMatchObject({ ...expected, size: 0 })
    expect(server.calls(download)).toHaveLength(before)
    expect(Buffer.from(await file.bytes())).toEqual(Buffer.from(held))
  }
})

test('a file that is too large, gone or broken off is told in words, and the next one comes', async () => {
  const rig = await createRig()
  const { server } = rig
  await rig.connect()
  const large = await sendOne(rig, 'file', server.attach(new Uint8Array(20_000_001), 'large.bin'))
  await expect(large.bytes()).rejects.toThrow('it is larger than 20 MB')
  const exact = await sendOne(rig, 'file', server.attach(new Uint8Array(20_000_000), 'exact.bin'))
  expect((await exact.bytes()).length).toBe(20_000_000)
  const gone = await sendOne(rig, 'file', { file_key: 'file_v3_gone', file_name: 'gone.txt' })
  await expect(gone.bytes()).rejects.toThrow('Feishu did not send it')
  const file = await sendOne(rig, 'file', server.attach(Buffer.from('x'), 'a.txt'))
  for (const fault of ['cut', 'garbage', { code: 234001 }] as const) {
    server.fail(download, 1, fault)
    await expect(file.bytes()).rejects.toThrow('Feishu did not send it')
  }
  expect(Buffer.from(await file.bytes()).toString()).toBe('x')
})

test('a file after an ended token comes with the next try', async () => {
  const rig = await createRig()
  await rig.connect()
  const file = await sendOne(rig, 'file', rig.server.attach(Buffer.from('x'), 'a.txt'))
  rig.server.expireTokens()
  await expect(file.bytes()).rejects.toThrow('Feishu did not send it')
  expect(Buffer.from(await file.bytes()).toString()).toBe('x')
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startProgram, until, type Program } from './program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from './rig.ts'

describe('files that a person sends over Telegram', { timeout: 60_000 }, () => {
  let api: BotApi
  let program: Program
  let phone: Chat
  beforeAll(async () => {
    api = await startBotApi({ token })
    program = await startProgram(ownedEnv(api))
    phone = openPhone(api)
    await phone.ask('say ready', /^ready$/)
  })
  afterAll(async () => {
    await program.remove()
    await api.stop()
  })

  const jpeg = Uint8Array.from({ length: 34_000 }, (_, index) => index % 251)
  const send = (extra: object, from?: number) => api.say('', from, extra as Record<string, unknown>)

  test('a photo is in the workspace, byte for byte, and the agent says where', async () => {
    const from = phone.texts().length
    send({ photo: [api.attach(jpeg, 'photos/file_1.jpg')] })
    expect(await phone.reply(/^Received /, from)).toBe(
      'Received photo.jpg (34 kB), saved as inbox/photo.jpg.',
    )
    expect(readFileSync(join(program.workspace, 'inbox/photo.jpg')).equals(jpeg)).toBe(true)
  })

  test('a document with a caption is saved under a safe name, and the caption is what was said', async () => {
    const from = phone.texts().length
    send({ document: { ...api.attach(jpeg), file_name: '../../photo.jpg' }, caption: 'say thanks' })
    expect(await phone.reply(/^Received /, from)).toBe(
      'Received photo.jpg (34 kB), saved as inbox/photo-2.jpg.',
    )
    await phone.reply(/^thanks$/, from)
  })

  test('a caption that is a command is refused, and its file is not fetched', async () => {
    const before = api.downloads().length
    send({ document: api.attach(jpeg), caption: '/hooks on' })
    await phone.reply(/A caption does not count/)
    expect(api.downloads().length).toBe(before)
  })

  test('a file that cannot be had is told in words', async () => {
    const from = phone.texts().length
    send({ video: { ...api.attach(jpeg), file_size: 30_000_000 } })
    expect(await phone.reply(/could not save/, from)).toBe(
      'I could not save video.mp4: Expected the messenger to give the file, but it is larger than 20 MB, which a bot cannot download from Telegram. Ask the person to send it again.',
    )
  })

  test("a stranger's file is not even asked for", async () => {
    const before = api.calls('getFile').length
    send({ document: api.attach(jpeg) }, 9)
    await phone.ask('say next', /^next$/)
    expect([api.calls('getFile').length, api.texts(9)]).toEqual([before, []])
  })

  test('a hook that refuses the message keeps the file out too', async () => {
    await put(program, 'no.sh', '#!/bin/sh\necho \'{"decision": "block", "reason": "no messages now"}\'\n')
    await arm(program, phone, [{ event: 'on_user_message', command: './no.sh' }])
    const from = phone.texts().length
    send({ document: { ...api.attach(jpeg), file_name: 'late.bin' } })
    await phone.reply(/a message did not reach main/, from)
    expect(existsSync(join(program.workspace, 'inbox/late.bin'))).toBe(false)
    await phone.ask('/hooks off', /Hooks are OFF/)
  })

  test('hookgate killed before the agent had it: the person is told to send it again', async () => {
    const from = phone.texts().length
    api.fail('file', 1, 'hang')
    send({ document: { ...api.attach(jpeg), file_name: 'lost.bin' } })
    await until(
      'the file to be asked for',
      () =>
        api.calls('getFile').at(-1)?.body.includes('-x') === true &&
        !api.pending().some(({ message }) => message?.document?.file_name === 'lost.bin'),
    )
    await program.kill()
    program = await program.again()
    await phone.reply(/while it worked on your last/, from)
  })
})

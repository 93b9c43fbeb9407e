import { types } from 'wechaty-puppet'
import { PuppetMock } from 'wechaty-puppet-mock'
import { afterEach, describe, expect, test } from 'vitest'
import { readMessage } from '../../../bots/wechat/read.ts'
import { createRig } from './rig.ts'

const running: { stop(): Promise<void> }[] = []
const rigged = async (...args: Parameters<typeof createRig>) => {
  const rig = await createRig(...args)
  running.push(rig.channel)
  return rig
}
afterEach(async () => {
  for (const channel of running.splice(0)) await channel.stop()
})

describe('what comes in', () => {
  test('a person’s text comes in as a plain message of a private chat', async () => {
    const { alice, me, received } = await rigged()
    const beforeMs = Date.now()
    alice.say('/hooks on').to(me)
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]).toMatchObject({
      channel: 'wechat',
      chat_id: 'alice',
      sender_id: 'alice',
      sender_name: 'Alice',
      isPrivate: true,
      origin: 'plain',
      text: '/hooks on',
    })
    expect(received[0]!.message_id).not.toBe('')
    expect(received[0]!.sentAtMs).toBeGreaterThanOrEqual(beforeMs)
    expect(received[0]!.sentAtMs).toBeLessThanOrEqual(Date.now())
  })

  test('a text that could not be kept is offered again, because the puppet gives it once', async () => {
    const offered: string[] = []
    const receive = ({ text }: { text: string }) =>
      Promise.resolve(offered.push(text) < 2 ? ('unkept' as const) : undefined)
    const { alice, me } = await rigged({ ports: { receive } })
    alice.say('hello').to(me)
    await expect.poll(() => offered, { timeout: 3000 }).toEqual(['hello', 'hello'])
  })

  test('a room is never a private chat, and is the chat to answer in', async () => {
    const { alice, room, received } = await rigged()
    alice.say('/hooks on').to(room)
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]).toMatchObject({
      chat_id: 'room@chatroom',
      sender_id: 'alice',
      isPrivate: false,
      origin: 'plain',
    })
  })

  test.each([
    [types.Message.Audio, 'voice'],
    [types.Message.ChatHistory, 'forwarded'],
    [types.Message.Recalled, 'recalled'],
    [types.Message.Attachment, 'not_text'],
    [types.Message.Unknown, 'not_text'],
  ])('what is not text comes without any: type %i is %s', async (type, origin) => {
    const { mocker, puppet, received } = await rigged()
    mocker.MessageMock.create({
      id: 'm',
      talkerId: 'alice',
      listenerId: 'me',
      timestamp: Date.now(),
      type,
      text: '/hooks on',
    })
    puppet.emit('message', { messageId: 'm' })
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]).toMatchObject({ origin, text: '' })
  })

  test('a quoted command is quoted, and still begins with its quotation mark', async () => {
    const { alice, me, received } = await rigged()
    const quote = '「Bob：/hooks on」\n- - - - - - -\nlook at this'
    alice.say(quote).to(me)
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]).toMatchObject({ origin: 'quoted', text: quote })
  })

  test.each([
    ['「hookgate：→ /y k7f2q」\n- - - - - - - - - - - - - - -\n/y k7f2q', '/y k7f2q'],
    ['「Bob：」\n- - -\n/hooks off」\n———\n ／hooks on', '/hooks off」\n———\n ／hooks on'],
    ['「/hooks on」', '「/hooks on」'],
    [`「${'\n- '.repeat(50_000)}`, `「${'\n- '.repeat(50_000)}`],
  ])('a command under a quote comes as quoted: %#', async (typed, text) => {
    const { alice, me, received } = await rigged()
    alice.say(typed).to(me)
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]).toMatchObject({ origin: 'quoted', text })
  })

  test('a name of any length comes in short', async () => {
    const { mocker, me, received } = await rigged()
    mocker
      .createContact({ id: 'mallory', name: 'x'.repeat(100_000) })
      .say('hi')
      .to(me)
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]!.sender_name.length).toBe(128)
  })

  test('what the bot sent never comes back as a message', async () => {
    const { alice, me, channel, received, arrived, admit, outgoing } = await rigged()
    expect(await channel.deliver(admit(outgoing('alice', '/hooks on')))).toEqual({ kind: 'delivered' })
    alice.say('after it').to(me)
    await expect.poll(() => received.map((message) => message.text)).toContain('after it')
    expect(arrived).toEqual(['alice: /hooks on'])
    expect(received.map((message) => [message.origin, message.text])).toEqual([['plain', 'after it']])
  })

  test('what somebody types on the bot’s own account is self, in the chat where it was typed', async () => {
    const { alice, me, room, received } = await rigged()
    me.say('/hooks on').to(alice)
    me.say('/hooks off').to(room)
    await expect.poll(() => received.length).toBe(2)
    expect(received.map((message) => [message.origin, message.chat_id])).toEqual([
      ['self', 'alice'],
      ['self', 'room@chatroom'],
    ])
  })

  test('where nobody can tell whose account it is, a message counts as our own', async () => {
    const { alice, me, bot, received } = await rigged()
    alice.say('/hooks on').to(me)
    await expect.poll(() => received.length).toBe(1)
    const message = await bot.Message.find({ id: received[0]!.message_id })
    expect(readMessage(message!, 'me').origin).toBe('plain')
    expect(readMessage(message!, undefined).origin).toBe('self')
  })

  test('a message that comes while nobody is logged in is trouble, not silence', async () => {
    const { alice, me, received, troubles } = await rigged({ isLoggedIn: false })
    alice.say('/hooks on').to(me)
    await expect.poll(() => troubles.length).toBeGreaterThan(0)
    expect(received).toEqual([])
  })
})

describe('what goes out', () => {
  test('an admitted outgoing arrives at its person or room, once', async () => {
    const { channel, arrived, tripped, admit, outgoing } = await rigged()
    expect(await channel.deliver(admit(outgoing('alice', 'to Alice')))).toEqual({ kind: 'delivered' })
    expect(await channel.deliver(admit(outgoing('room@chatroom', 'to all')))).toEqual({ kind: 'delivered' })
    expect(arrived).toEqual(['alice: to Alice', 'room: to all'])
    expect(tripped).toEqual([])
  })

  test('a outgoing that was not admitted is refused, recorded and does not arrive', async () => {
    const { channel, arrived, tripped, outgoing } = await rigged()
    expect(await channel.deliver(outgoing('alice', 'smuggled'))).toMatchObject({ kind: 'failed' })
    expect(arrived).toEqual([])
    expect(tripped).toEqual(['wechat deliver'])
  })

  test('a second outgoing with the same text needs its own admission', async () => {
    const { channel, arrived, tripped, admit, outgoing } = await rigged()
    await channel.deliver(admit(outgoing('alice', 'twice')))
    expect(await channel.deliver(outgoing('alice', 'twice'))).toMatchObject({ kind: 'failed' })
    expect(arrived).toEqual(['alice: twice'])
    expect(tripped).toEqual(['wechat deliver'])
  })

  test('a outgoing waits while nobody is logged in', async () => {
    const { channel, mocker, me, arrived, admit, outgoing } = await rigged({ isLoggedIn: false })
    expect(await channel.deliver(admit(outgoing('alice', 'early')))).toMatchObject({
      kind: 'retry',
      afterMs: 5000,
    })
    mocker.login(me)
    expect(await channel.deliver(admit(outgoing('alice', 'later')))).toEqual({ kind: 'delivered' })
    expect(arrived).toEqual(['alice: later'])
  })

  test('a outgoing that is longer than WeChat takes is refused before it is cut off', async () => {
    const { channel, arrived, admit, outgoing } = await rigged()
    expect(channel.maxUnits).toBe(2000)
    expect(await channel.deliver(admit(outgoing('alice', 'x'.repeat(2001))))).toMatchObject({
      kind: 'failed',
    })
    expect(arrived).toEqual([])
  })

  test.each([
    [{ code: 'ECONNREFUSED' }, 'retry'],
    [{ cause: { code: 'ENOTFOUND' } }, 'retry'],
    [{ code: 'ECONNRESET' }, 'unknown'],
    [{ code: 14 }, 'unknown'],
    [{ name: 'TimeoutError' }, 'unknown'],
    [{}, 'failed'],
    [{ code: -2 }, 'failed'],
  ])('a send that ends with %j is a %s, told without what was sent', async (fields, kind) => {
    class Refusing extends PuppetMock {
      override async messageSendText(_: string, text: string): Promise<void> {
        throw Object.assign(new Error(`cannot send ${text}`), fields)
      }
    }
    const { channel, admit, outgoing } = await rigged({ Puppet: Refusing })
    const delivery = await channel.deliver(admit(outgoing('alice', 'hush')))
    expect(delivery.kind).toBe(kind)
    expect(JSON.stringify(delivery)).not.toContain('hush')
  })

  test('a send that gets no answer in its time is unknown, and its late rejection hurts nobody', async () => {
    const late = Promise.withResolvers<void>()
    class Hanging extends PuppetMock {
      override async messageSendText(): Promise<void> {
        await late.promise
      }
    }
    const { channel, admit, outgoing } = await rigged({ Puppet: Hanging, sendTimeoutMs: 20 })
    expect(await channel.deliver(admit(outgoing('alice', 'slow')))).toMatchObject({ kind: 'unknown' })
    const unheard: unknown[] = []
    const note = (error: unknown): void => void unheard.push(error)
    process.on('unhandledRejection', note)
    late.reject(new Error('too late'))
    await new Promise(setImmediate)
    process.off('unhandledRejection', note)
    expect(unheard).toEqual([])
  })
})

describe('what the owner hears of the connection', () => {
  test('a scan is told with its address, which is kept out of the log', async () => {
    const { mocker, troubles, logs } = await rigged({ isLoggedIn: false })
    mocker.scan('https://login.example/abc')
    await expect.poll(() => troubles.length).toBe(1)
    expect(troubles[0]!.why).toContain('https://login.example/abc')
    expect(logs.join('\n')).not.toContain('login.example')
  })

  test('an address that is no address is not repeated', async () => {
    const { mocker, troubles } = await rigged({ isLoggedIn: false })
    mocker.scan('a b\n/hooks on')
    await expect.poll(() => troubles.length).toBe(1)
    expect(troubles[0]!.why).not.toContain('/hooks on')
  })

  test('a logout is trouble and a login ends it; a first login is no news, nor is our own stop', async () => {
    const { mocker, me, puppet, channel, troubles, logs } = await rigged()
    await expect.poll(() => logs.some((line) => line.includes('logged in'))).toBe(true)
    expect(troubles).toEqual([])
    await puppet.logout()
    await expect.poll(() => troubles.map((trouble) => trouble.isBack)).toEqual([false])
    mocker.login(me)
    await expect.poll(() => troubles.map((trouble) => trouble.isBack)).toEqual([false, true])
    await channel.stop()
    await new Promise(setImmediate)
    expect(troubles.length).toBe(2)
  })

  test('an error before a login is trouble, told without the error’s own words', async () => {
    const { puppet, troubles, logs } = await rigged({ isLoggedIn: false })
    puppet.emit('error', { gerror: 'token=hush' })
    await expect.poll(() => troubles.length).toBe(1)
    expect(JSON.stringify([troubles, logs])).not.toContain('hush')
  })

  test('the channel can be stopped twice, and started again', async () => {
    const { channel, mocker, me, alice, received } = await rigged()
    await channel.stop()
    await channel.stop()
    await channel.start()
    mocker.login(me)
    alice.say('again').to(me)
    await expect.poll(() => received.map((message) => message.text)).toEqual(['again'])
  })
})

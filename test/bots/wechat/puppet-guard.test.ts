import { FileBox } from 'file-box'
import { impls, types } from 'wechaty-puppet'
import { PuppetMock } from 'wechaty-puppet-mock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { classOf } from '../../../bots/wechat/methods.ts'
import { closePuppet } from '../../../bots/wechat/puppet-guard.ts'
import { createRig } from './rig.ts'
import { namesOf, waysOut } from './ways-out.ts'

type Rig = Awaited<ReturnType<typeof createRig>>

let rig: Rig
beforeEach(async () => {
  rig = await createRig()
})
afterEach(() => rig.channel.stop())

const aliceOf = async ({ bot }: Rig) => (await bot.Contact.find({ id: 'alice' }))!
const roomOf = async ({ bot }: Rig) => (await bot.Room.find({ id: 'room@chatroom' }))!
const messageOf = async ({ bot, alice, me, received }: Rig) => {
  alice.say('hello').to(me)
  await expect.poll(() => received.length).toBe(1)
  return (await bot.Message.find({ id: received[0]!.message_id }))!
}

interface Nested {
  _messageSend(to: string, what: unknown): Promise<unknown>
}

/** What wechaty offers to somebody who holds its objects, and the puppet method that each ends in. */
const sends: readonly (readonly [string, string, (rig: Rig) => Promise<unknown>])[] = [
  ['contact.say', 'messageSendText', async (rig) => (await aliceOf(rig)).say('smuggled')],
  [
    'contact.say of a file',
    'messageSendFile',
    async (rig) => (await aliceOf(rig)).say(await rig.puppet.messageImage('any', types.Image.HD)),
  ],
  [
    'contact.say of a contact',
    'messageSendContact',
    async (rig) => (await aliceOf(rig)).say(await aliceOf(rig)),
  ],
  [
    'contact.say of a link',
    'messageSendUrl',
    async (rig) =>
      (await aliceOf(rig)).say(new rig.bot.UrlLink({ title: 'smuggled', url: 'https://a.example' })),
  ],
  [
    'contact.say of a mini program',
    'messageSendMiniProgram',
    async (rig) => (await aliceOf(rig)).say(new rig.bot.MiniProgram({ title: 'smuggled' })),
  ],
  [
    'contact.say of a place',
    'messageSendLocation',
    async (rig) =>
      (await aliceOf(rig)).say(
        new rig.bot.Location({ accuracy: 1, address: 'smuggled', latitude: 1, longitude: 1, name: 'x' }),
      ),
  ],
  ['contact.alias', 'contactAlias', async (rig) => (await aliceOf(rig)).alias('smuggled')],
  ['contact.description', 'contactDescription', async (rig) => (await aliceOf(rig)).description('smuggled')],
  ['message.say', 'messageSendText', async (rig) => (await messageOf(rig)).say('smuggled')],
  ['message.forward', 'messageForward', async (rig) => (await messageOf(rig)).forward(await roomOf(rig))],
  ['message.recall', 'messageRecall', async (rig) => (await messageOf(rig)).recall()],
  ['room.say', 'messageSendText', async (rig) => (await roomOf(rig)).say('smuggled')],
  [
    'room.say with a mention',
    'messageSendText',
    async (rig) => (await roomOf(rig)).say('smuggled', await aliceOf(rig)),
  ],
  ['room.topic', 'roomTopic', async (rig) => (await roomOf(rig)).topic('smuggled')],
  ['room.announce', 'roomAnnounce', async (rig) => (await roomOf(rig)).announce('smuggled')],
  ['room.add', 'roomAdd', async (rig) => (await roomOf(rig)).add(await aliceOf(rig))],
  ['room.remove', 'roomDel', async (rig) => (await roomOf(rig)).remove(await aliceOf(rig))],
  ['room.quit', 'roomQuit', async (rig) => (await roomOf(rig)).quit()],
  [
    'Room.create',
    'roomCreate',
    async (rig) => rig.bot.Room.create([await aliceOf(rig), await aliceOf(rig)], 'smuggled'),
  ],
  ['Friendship.add', 'friendshipAdd', async (rig) => rig.bot.Friendship.add(await aliceOf(rig), 'smuggled')],
  ['bot.say', 'messageSendText', (rig) => rig.bot.say('smuggled')],
  ['bot.currentUser.name', 'contactSelfName', (rig) => rig.bot.currentUser.name('smuggled')],
  ['bot.currentUser.signature', 'contactSelfSignature', (rig) => rig.bot.currentUser.signature('smuggled')],
  [
    'bot.puppet.messageSendText',
    'messageSendText',
    (rig) => rig.bot.puppet.messageSendText('alice', 'smuggled'),
  ],
  [
    'bot.puppet.messageSend',
    'messageSend',
    async (rig) =>
      rig.bot.puppet.messageSend('alice', { type: 7, payload: { text: 'smuggled', mentions: [] } } as never),
  ],
  ['bot.puppet.postPublish', 'postPublish', (rig) => rig.bot.puppet.postPublish({ sayableList: [] })],
  ['bot.puppet.tagContactAdd', 'tagContactAdd', (rig) => rig.bot.puppet.tagContactAdd('smuggled', 'alice')],
  ['bot.puppet.ding', 'ding', async (rig) => rig.bot.puppet.ding('smuggled')],
  [
    'bot.puppet.friendshipSearch',
    'friendshipSearch',
    (rig) => rig.bot.puppet.friendshipSearch({ phone: 'smuggled' }),
  ],
  [
    'a call that is nested in a send',
    '_messageSend',
    (rig) => (rig.puppet as unknown as Nested)._messageSend('alice', 'smuggled'),
  ],
  [
    'the send of the class itself',
    '_messageSend',
    (rig) => PuppetMock.prototype.messageSendText.call(rig.puppet, 'alice', 'smuggled'),
  ],
  [
    'bot.puppet.roomInvitationAccept',
    'roomInvitationAccept',
    (rig) => rig.bot.puppet.roomInvitationAccept('x'),
  ],
]

describe('one door: every way out but the dispatcher’s is closed', () => {
  test.each(sends)('%s is refused and recorded as %s, and nothing arrives', async (_, method, send) => {
    await send(rig).catch(() => undefined)
    expect(rig.tripped).toContain(`wechat ${method}`)
    expect(rig.arrived).toEqual([])
  })

  test('what was delivered once opens nothing: the same text to the same chat is refused beside it and after it', async () => {
    const { channel, puppet, admit, outgoing, arrived, tripped } = rig
    const delivering = channel.deliver(admit(outgoing('alice', 'said')))
    await expect(puppet.messageSendText('alice', 'said')).rejects.toThrow('through the dispatcher')
    await delivering
    await expect(puppet.messageSendText('alice', 'said')).rejects.toThrow('through the dispatcher')
    expect(arrived).toEqual(['alice: said'])
    expect(tripped).toEqual(['wechat messageSendText', 'wechat messageSendText'])
  })

  test('the record names the method and never the text', async () => {
    await expect(rig.puppet.messageSendText('alice', 'hush')).rejects.not.toThrow('hush')
    expect(rig.tripped.join()).not.toContain('hush')
  })

  test('a closed method cannot be put back', () => {
    expect(Reflect.set(rig.puppet, 'messageSendText', async () => undefined)).toBe(false)
    expect(Reflect.deleteProperty(rig.puppet, 'messageSendText')).toBe(false)
  })

  test('reading is free', async () => {
    const room = await roomOf(rig)
    const alice = await aliceOf(rig)
    await room.topic()
    await room.announce()
    await room.memberAll()
    await alice.alias()
    await alice.sync()
    await rig.bot.Contact.findAll()
    await rig.bot.Room.findAll()
    await messageOf(rig)
    expect(rig.tripped).toEqual([])
  })

  test('a way out that is new in some puppet is closed too', async () => {
    const tripped: string[] = []
    class Newer extends PuppetMock {
      messageBroadcast(): Promise<string> {
        return Promise.resolve('sent')
      }
    }
    const puppet = new Newer()
    closePuppet(puppet, (method) => tripped.push(method))
    await expect(puppet.messageBroadcast()).rejects.toThrow('through the dispatcher')
    expect(tripped).toEqual(['messageBroadcast'])
  })

  test('what a puppet calls on itself while it sends is not open to its listeners, nor to what runs beside it', async () => {
    const outcomes: string[] = []
    const tripped: string[] = []
    const heard: string[] = []
    const stray = (puppet: unknown): Promise<unknown> =>
      (puppet as Nested)._messageSend('alice', 'smuggled').then(
        () => outcomes.push('sent'),
        () => outcomes.push('refused'),
      )
    class Talking extends PuppetMock {
      count = 0
      override async messageSendText(to: string, text: string): Promise<void> {
        this.count += 1
        this.emit('dong', { data: 'sending' })
        await this._messageSend(to, text)
      }
      protected override async _messageSend(_to: string, what: unknown): Promise<void> {
        heard.push(String(what))
      }
    }
    const puppet = new Talking()
    const guard = closePuppet(puppet, (method) => tripped.push(method))
    puppet.on('dong', function listen(this: unknown) {
      void stray(this)
      setImmediate(() => void stray(puppet))
    })
    await guard.sendText('alice', 'said')
    await expect.poll(() => outcomes).toEqual(['refused', 'refused'])
    expect([heard, tripped, puppet.count]).toEqual([['said'], ['_messageSend', '_messageSend'], 1])
  })

  test('a file leaves as the bytes of the call, and as a file that no one else can send', async () => {
    const boxes: { name: string; bytes: string }[] = []
    class Filing extends PuppetMock {
      protected override async _messageSend(_to: string, what: unknown): Promise<void> {
        const box = what as FileBox
        boxes.push({ name: box.name, bytes: (await box.toBuffer()).toString() })
      }
    }
    const tripped: string[] = []
    const puppet = new Filing()
    const guard = closePuppet(puppet, (method) => tripped.push(method))
    const bytes = Buffer.from('judged')
    const sending = guard.sendFile('alice', { name: 'a.txt', bytes })
    bytes.fill('x')
    await sending
    await expect(puppet.messageSendFile('alice', FileBox.fromBuffer(bytes, 'a.txt'))).rejects.toThrow(
      'through the dispatcher',
    )
    await expect(guard.sendFile('alice', { name: '../a.txt', bytes })).rejects.toThrow('Expected a file name')
    expect([boxes, tripped]).toEqual([[{ name: 'a.txt', bytes: 'judged' }], ['messageSendFile']])
  })

  test('an object that is no puppet is refused in words', () => {
    expect(() => closePuppet({}, () => undefined)).toThrow('messageSendText')
  })
})

describe('the puppet’s methods, one by one', () => {
  const unclassified = (puppet: object): readonly string[] =>
    namesOf(puppet).filter((name) => classOf(name) === undefined)

  test('each has a class; one that an upgrade brings fails here until somebody has read what it does', () => {
    class Upgraded extends PuppetMock {
      whisper(): void {}
    }
    expect(new PuppetMock()).toBeInstanceOf(impls.PuppetAbstract)
    expect(unclassified(new PuppetMock())).toEqual([])
    expect(unclassified(new Upgraded())).toEqual(['whisper'])
  })

  test('each that is closed refuses and records a text at every place of its arguments, and none lets it arrive', async () => {
    const { puppet, tripped, arrived } = rig
    const text = 'smuggled'
    const call = async (name: string): Promise<unknown> =>
      (puppet as unknown as Record<string, (...args: string[]) => unknown>)[name]!('alice', text, text)
    const ways = namesOf(puppet).filter((name) => !['read', 'own'].includes(String(classOf(name))))
    for (const name of ways) await expect(call(name), name).rejects.toThrow('through the dispatcher')
    expect(tripped).toEqual(ways.map((name) => `wechat ${name}`))
    for (const name of namesOf(puppet).filter((name) => classOf(name) === 'read'))
      await call(name).catch(() => undefined)
    expect(arrived).toEqual([])
    expect(tripped.join()).not.toContain(text)
  })

  test('what is closed is closed on the puppet itself, and nothing else is', () => {
    const puppet = new PuppetMock()
    closePuppet(puppet, () => undefined)
    const isClosed = (name: string): boolean =>
      Object.getOwnPropertyDescriptor(puppet, name)?.configurable === false
    expect(namesOf(puppet).filter(isClosed)).toEqual(waysOut)
  })
})

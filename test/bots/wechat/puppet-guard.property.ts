import type { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import type { WechatyInterface } from 'wechaty/impls'
import { PuppetMock } from 'wechaty-puppet-mock'
import { expect, onTestFinished, test } from 'vitest'
import type { Channel } from '../../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { person } from '../../fixtures/ilink/server.ts'
import { createRig as createILinkRig } from './ilink/rig.ts'
import { pushAll } from './judged-pushes.ts'
import { createRig } from './rig.ts'
import { canary, dresses, holdsCanary, readOut, right } from './smuggled.ts'
import { isWayOut, namesOf } from './ways-out.ts'
import { isWhole, tries } from '../../tries.ts'

/**
 * Whatever is called inside the bot, with whatever and by whatever way, the canary is in nothing that reaches
 * the messenger.
 */
type Callable = Record<string, ((...args: unknown[]) => unknown) | undefined>

const reached: Promise<readonly string[]>[] = []

/** What a messenger behind wechaty-puppet-mock would see: the arguments of each way out, as they came in. */
class Recording extends PuppetMock {}
for (const name of namesOf(new PuppetMock())) {
  const inner = Reflect.get(PuppetMock.prototype, name) as (...args: unknown[]) => unknown
  const recorded = function recorded(this: unknown, ...args: unknown[]): unknown {
    if (isWayOut(name, args)) reached.push(readOut([name, ...args]))
    return inner.apply(this, args)
  }
  Object.defineProperty(Recording.prototype, name, { value: recorded, writable: true, configurable: true })
}

interface Place {
  readonly bot: WechatyInterface
  readonly channel: Channel
  readonly tripped: readonly string[]
  readonly chatId: string
  readonly roomId: string
  make(text: string): OutgoingMessage
  admit(outgoing: OutgoingMessage): OutgoingMessage
  /** After a call: the messenger is logged in again. */
  heal(): Promise<void>
}

const puppetOf = ({ bot }: Place): Callable => bot.puppet as unknown as Callable

/** How a method of the puppet can be called by something inside the bot. */
const calls: Readonly<Record<string, (puppet: Callable, name: string, args: readonly unknown[]) => unknown>> =
  {
    plain: (puppet, name, args) => puppet[name]?.(...args),
    taken: (puppet, name, args) =>
      puppet[name] === undefined ? undefined : Reflect.apply(puppet[name], puppet, args),
    loose: (puppet, name, args) => puppet[name]?.apply(undefined, [...args]),
    'of a copy': (puppet, name, args) => (Object.create(puppet) as Callable)[name]?.(...args),
    'of a proxy': (puppet, name, args) => new Proxy(puppet, {})[name]?.(...args),
    'put back first': (puppet, name, args) => {
      Reflect.deleteProperty(puppet, name)
      Reflect.defineProperty(puppet, name, {
        value: Reflect.get(Reflect.getPrototypeOf(puppet) ?? {}, name) as unknown,
      })
      return puppet[name]?.(...args)
    },
    later: (puppet, name, args) =>
      new Promise((done) => setImmediate(done)).then(() => puppet[name]?.(...args)),
    'by a listener': (puppet, name, args) => {
      let called: unknown
      puppet['once']?.('dong', function listen(this: Callable) {
        called = this[name]?.(...args)
      })
      puppet['emit']?.('dong', { data: canary })
      return called
    },
  }

/** What somebody who holds wechaty's objects can do with them. */
const deeds: Readonly<Record<string, (place: Place, what: never) => Promise<unknown>>> = {
  'contact.say': async ({ bot, chatId }, what) => (await bot.Contact.find({ id: chatId }))?.say(what),
  'contact.say of a link': async ({ bot, chatId }) =>
    (await bot.Contact.find({ id: chatId }))?.say(
      new bot.UrlLink({ title: canary, url: `https://a.example/${canary}` }),
    ),
  'contact.say of a program': async ({ bot, chatId }) =>
    (await bot.Contact.find({ id: chatId }))?.say(new bot.MiniProgram({ title: canary })),
  'contact.say of a place': async ({ bot, chatId }) =>
    (await bot.Contact.find({ id: chatId }))?.say(
      new bot.Location({ accuracy: 1, address: canary, latitude: 1, longitude: 1, name: canary }),
    ),
  'contact.say of a post': async ({ bot, chatId }) =>
    (await bot.Contact.find({ id: chatId }))?.say(await bot.Post.builder().add(canary).build()),
  'contact.alias': async ({ bot, chatId }, what) => (await bot.Contact.find({ id: chatId }))?.alias(what),
  'contact.description': async ({ bot, chatId }, what) =>
    (await bot.Contact.find({ id: chatId }))?.description(what),
  'room.say': async ({ bot, roomId }, what) => (await bot.Room.find({ id: roomId }))?.say(what),
  'room.announce': async ({ bot, roomId }, what) => (await bot.Room.find({ id: roomId }))?.announce(what),
  'room.topic': async ({ bot, roomId }, what) => (await bot.Room.find({ id: roomId }))?.topic(what),
  'message.say': async ({ bot }, what) => (await bot.Message.find({}))?.say(what),
  'message.forward': async ({ bot, roomId }) =>
    (await bot.Message.find({}))?.forward((await bot.Room.find({ id: roomId })) as never),
  'Friendship.add': async ({ bot, chatId }, what) =>
    bot.Friendship.add((await bot.Contact.find({ id: chatId })) as never, what),
  'Friendship.accept': ({ bot }) =>
    bot.Friendship.fromJSON(
      JSON.stringify({
        id: canary,
        contactId: canary,
        type: 2,
        timestamp: 0,
        hello: canary,
        scene: 1,
        ticket: canary,
      }),
    ).then((made) => made.accept()),
  'bot.say': ({ bot }, what) => bot.say(what),
  'bot.currentUser': ({ bot }, what) => bot.currentUser.name(what),
  'Room.create': async ({ bot, chatId }, what) =>
    bot.Room.create(
      [(await bot.Contact.find({ id: chatId })) as never, (await bot.Contact.find({ id: chatId })) as never],
      what,
    ),
  ...Object.fromEntries(
    ['message', 'scan', 'login', 'friendship', 'room-invite', 'post', 'dong', 'heartbeat', 'error'].map(
      (event) => [
        `emit of ${event}`,
        async ({ bot }: Place) =>
          (bot.puppet as unknown as EventEmitter).emit(event, {
            messageId: canary,
            contactId: canary,
            friendshipId: canary,
            roomInvitationId: canary,
            postId: canary,
            qrcode: canary,
            status: 2,
            data: canary,
          }),
      ],
    ),
  ),
  'deliver of what nobody admitted': ({ channel, make }) => channel.deliver(make(canary)),
  'deliver of a copy': async ({ channel, make, admit }) =>
    channel.deliver({ ...admit(make('clean')), text: canary }),
  'deliver of a child': async ({ channel, make, admit }) =>
    channel.deliver(Object.create(admit(make('clean')), { text: { value: canary } }) as OutgoingMessage),
  'deliver of a proxy': async ({ channel, make, admit }) =>
    channel.deliver(
      new Proxy(
        { ...admit(make('clean')) },
        { get: (outgoing, key) => (key === 'text' ? canary : Reflect.get(outgoing, key)) },
      ),
    ),
}

/**
 * These end or begin the connection as a whole, or throw in a timer of wechaty's own, where no caller hears
 * it.
 */
const apart = [
  'start',
  'stop',
  'onStart',
  'onStop',
  'reset',
  'removeAllListeners',
  'dirtyPayload',
  '__dirtyPayloadAwait',
]
/** Some of wechaty's calls wait for an event that never comes. */
const settled = (what: unknown): Promise<unknown> =>
  Promise.race([Promise.resolve(what).catch((error: unknown) => error), sleep(patienceMs)])
const patienceMs = 20

const logInAs = async (puppet: PuppetMock, channel: Channel, id: string): Promise<void> => {
  if (puppet.isLoggedIn && puppet.currentUserId === id && channel.login?.() !== '') return
  if (puppet.isLoggedIn) await puppet.logout()
  puppet.login(id)
}

const check = async (place: Place, runs: number): Promise<void> => {
  const names = namesOf(place.bot.puppet).filter((name) => !apart.includes(name))
  const puppet = puppetOf(place)
  const dress = fc.constantFrom(...Object.keys(dresses))
  const how = fc.constantFrom(...Object.keys(calls))
  const name = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...names) },
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(right)) },
  )
  const args = fc.oneof(
    fc.constant('right' as const),
    fc.array(fc.oneof(dress, fc.constantFrom('=alice', '=room@chatroom', `=${person}`, '=7')), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  const direct = fc.record({ name, how, args })
  const deed = fc.record({ deed: fc.constantFrom(...Object.keys(deeds)), dress })
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: direct }, { weight: 1, arbitrary: deed }),
      fc.integer({ min: 0, max: 7 }),
      async (step, beside) => {
        // A message that may leave, on its way while the other one tries.
        const leaving = beside === 0 ? place.channel.deliver(place.admit(place.make('clean'))) : undefined
        if ('deed' in step) {
          await settled(deeds[step.deed]?.(place, dresses[step.dress]?.() as never))
        } else {
          const given =
            step.args === 'right'
              ? (right[step.name]?.() ?? [canary, canary, canary])
              : step.args.map((kind) => (kind.startsWith('=') ? kind.slice(1) : dresses[kind]?.()))
          const before = place.tripped.length
          const isOut = isWayOut(step.name, given) && names.includes(step.name)
          let what: unknown
          try {
            what = calls[step.how]?.(puppet, step.name, given)
          } catch (error) {
            what = error
          }
          if (!isOut && what instanceof Promise) await settled(what)
          if (isOut) {
            await Promise.resolve(what).catch(() => undefined)
            expect(place.tripped.slice(before), step.name).toContain(`wechat ${step.name}`)
            refused += 1
          }
        }
        await leaving
        await place.heal()
      },
    ),
    { numRuns: runs },
  )
  if (isWhole()) expect(refused).toBeGreaterThan(runs / 4)
  expect(place.tripped.join()).not.toContain(canary)
}

test('over a mocked WeChat: a secret in any argument, in any dress, by any way reaches nobody, beside messages that do', async () => {
  reached.length = 0
  const rig = await createRig({ Puppet: Recording })
  onTestFinished(() => rig.channel.stop())
  const { alice, me, received, bot, puppet, channel, tripped, admit, outgoing, arrived } = rig
  alice.say('hello').to(me)
  await expect.poll(() => received.length).toBe(1)
  const heal = async (): Promise<void> => {
    await logInAs(puppet, channel, 'me')
  }
  await check(
    {
      bot,
      channel,
      tripped,
      admit,
      heal,
      chatId: 'alice',
      roomId: 'room@chatroom',
      make: (text) => outgoing('alice', text),
    },
    tries(12_000),
  )
  const seen = (await Promise.all(reached)).flat()
  expect(seen.filter(holdsCanary)).toEqual([])
  expect(arrived.filter(holdsCanary)).toEqual([])
  expect(seen.filter((text) => text === 'clean').length).toBeGreaterThan(isWhole() ? 500 : 0)
}, 120_000)

test('over Tencent’s interface: a secret in any argument, in any dress, by any way reaches no server, beside messages that do', async () => {
  const { ilink, bot, channel, tripped, admit, outgoing, hear } = await createILinkRig()
  const id = bot().puppet.currentUserId
  await hear('hello')
  let left = 10
  const puppet = bot().puppet
  const heal = async (): Promise<void> => {
    await logInAs(puppet as never, channel, id)
    const sent = ilink.texts().length
    if (left - sent > 3) return
    await hear('go on')
    left = sent + 10
  }
  await check(
    {
      bot: bot(),
      channel,
      tripped,
      admit,
      heal,
      chatId: person,
      roomId: 'room@chatroom',
      make: (text) => outgoing(person, text),
    },
    tries(6000),
  )
  expect(ilink.raw.filter(holdsCanary).map(String)).toEqual([])
  expect(ilink.texts().filter((text) => text === 'clean').length).toBeGreaterThan(isWhole() ? 200 : 0)
}, 120_000)

const forms = ['text', 'error', 'photo', 'document', 'album', 'location', 'contact']
/** Each form that WeChat has was sent, and no other. */
const expectForms = (ends: ReadonlyMap<string, number>): void => {
  const delivered = [...ends.keys()].flatMap((end) => (end.endsWith(' delivered') ? [end.split(' ')[0]] : []))
  if (isWhole()) expect(new Set(delivered)).toEqual(new Set(forms))
  expect([...ends.keys()].filter((end) => / (queued|held|unknown)$/.test(end))).toEqual([])
}

test('over a mocked WeChat: a push of whatever form that holds the secret leaves without it or not at all, and the others leave', async () => {
  reached.length = 0
  let isAdmitted: (outgoing: OutgoingMessage) => boolean = () => false
  const rig = await createRig({
    Puppet: Recording,
    ports: { isAdmitted: (outgoing) => isAdmitted(outgoing) },
  })
  onTestFinished(() => rig.channel.stop())
  const { ends } = await pushAll({
    channel: rig.channel,
    chatId: 'alice',
    runs: tries(6000),
    bind: (door) => (isAdmitted = door),
    hear: async () => undefined,
  })
  expectForms(ends)
  const seen = (await Promise.all(reached)).flat()
  expect(seen.length).toBeGreaterThan(tries(1000))
  expect([...seen, ...rig.arrived].filter(holdsCanary)).toEqual([])
  for (const box of rig.mocker.cacheFileBoxPayload.values())
    expect(holdsCanary(Buffer.from((box as { base64?: string }).base64 ?? '', 'base64'))).toBe(false)
  expect(rig.tripped).toEqual([])
}, 120_000)

test('over Tencent’s interface: a push of whatever form that holds the secret leaves without it or not at all, and the others leave', async () => {
  let isAdmitted: (outgoing: OutgoingMessage) => boolean = () => false
  const { ilink, channel, tripped, goOn } = await createILinkRig({
    ports: { isAdmitted: (outgoing) => isAdmitted(outgoing) },
  })
  const { ends } = await pushAll({
    channel,
    chatId: person,
    runs: tries(3000),
    bind: (door) => (isAdmitted = door),
    hear: goOn,
  })
  expectForms(ends)
  expect(ilink.sent.length).toBeGreaterThan(tries(200))
  expect(ilink.raw.filter(holdsCanary).map(String)).toEqual([])
  // The files as the other side reads them, deciphered.
  expect(
    ilink.sent.filter(
      ({ text, file }) =>
        holdsCanary(text) || (file !== undefined && (holdsCanary(file.name) || holdsCanary(file.bytes))),
    ),
  ).toEqual([])
  expect([ilink.wrongs, tripped]).toEqual([[], []])
}, 120_000)

import { expect, test } from 'vitest'
import { createReaders } from '../../src/chats/readers.ts'
import type { Message } from '../../src/core/model/chat/channel.ts'

const address = (chat_id: string) => ({ channel: 'telegram', chat_id })
const from = (chat_id: string, language?: string): Message => ({
  ...address(chat_id),
  message_id: '1',
  sender_id: chat_id,
  sender_name: 'Ada',
  isPrivate: true,
  origin: 'plain',
  sentAtMs: 0,
  text: 'hello',
  ...(language === undefined ? {} : { language }),
})

const start = async (stored?: string) => {
  const saved: string[] = stored === undefined ? [] : [stored]
  const readers = createReaders({
    recall: async () => saved.at(-1),
    remember: async (known) => void saved.push(known),
    zone: { name: 'Europe/Paris', isOwn: false },
    log: () => undefined,
  })
  await readers.restore()
  return { readers, saved }
}

test('a chat reads English until its client or its people name another language', async () => {
  const { readers } = await start()
  expect(readers.languageOf(address('7'))).toBe('en')
  readers.note(from('7', 'de'))
  expect(readers.languageOf(address('7'))).toBe('en')
  readers.note(from('7', 'zh-hans'))
  expect(readers.languageOf(address('7'))).toBe('zh')
  readers.choose(address('7'), 'en')
  readers.note(from('7', 'zh-hans'))
  expect(readers.languageOf(address('7'))).toBe('en')
  expect(readers.languageOf(address('8'))).toBe('en')
})

test('a page that is opened names its language before anybody writes, and what was chosen goes before it', async () => {
  const { readers } = await start()
  readers.report(address('7'), 'zh')
  expect([readers.languageOf(address('7')), readers.chosenOf(address('7'))]).toEqual(['zh', undefined])
  readers.choose(address('7'), 'en')
  readers.report(address('7'), 'zh')
  expect([readers.languageOf(address('7')), readers.chosenOf(address('7'))]).toEqual(['en', 'en'])
  readers.choose(address('8'), 'zh')
  readers.report(address('9'), 'zh')
  expect(readers.chosenIn('telegram')).toEqual([
    { chat_id: '8', language: 'zh' },
    { chat_id: '7', language: 'en' },
  ])
  expect(readers.chosenIn('tele')).toEqual([])
})

test('a stranger is answered in the language of their client, and pushes no reader out', async () => {
  const { readers, saved } = await start()
  readers.choose(address('7'), 'zh')
  for (let index = 100; index < 1200; index++) readers.meet(from(String(index), 'zh'))
  expect(readers.languageOf(address('7'))).toBe('zh')
  expect(readers.languageOf(address('1199'))).toBe('zh')
  expect(readers.languageOf(address('100'))).toBe('en')
  readers.meet({ ...from('g', 'zh'), isPrivate: false })
  expect(readers.languageOf(address('g'))).toBe('en')
  expect(saved).toHaveLength(1)
})

test('the language is kept over a restart, and damage to it changes nothing else', async () => {
  const first = await start()
  first.readers.note(from('7', 'zh'))
  first.readers.choose(address('8'), 'zh')
  const second = await start(first.saved.at(-1))
  expect(second.readers.languageOf(address('7'))).toBe('zh')
  expect(second.readers.languageOf(address('8'))).toBe('zh')
  for (const damaged of ['{', '7', '[[7,7],["telegram 7",{"chosen":"xx"}],null]'])
    expect((await start(damaged)).readers.languageOf(address('7'))).toBe('en')
})

test('it is saved only when it changes, and for a bounded number of chats', async () => {
  const { readers, saved } = await start()
  for (let index = 0; index < 1200; index++) {
    readers.note(from(String(index), 'zh'))
    readers.note(from(String(index), 'zh'))
  }
  expect(saved).toHaveLength(1200)
  expect(JSON.parse(saved.at(-1) ?? '')).toHaveLength(1000)
  expect(readers.languageOf(address('0'))).toBe('en')
  expect(readers.languageOf(address('1199'))).toBe('zh')
})

test('a chat has the time zone of the machine until its people choose one, also after a restart', async () => {
  const { readers, saved } = await start()
  const paris = { name: 'Europe/Paris', isOwn: false }
  expect(readers.zoneOf(address('7'))).toEqual(paris)
  readers.choose(address('7'), 'zh')
  readers.chooseZone(address('7'), 'Asia/Shanghai')
  const again = (await start(saved.at(-1))).readers
  for (const known of [readers, again]) {
    expect(known.zoneOf(address('7'))).toEqual({ name: 'Asia/Shanghai', isOwn: true })
    expect(known.zoneOf(address('8'))).toEqual(paris)
    expect(known.languageOf(address('7'))).toBe('zh')
  }
  again.chooseZone(address('7'), undefined)
  expect(again.zoneOf(address('7'))).toEqual(paris)
  expect(again.languageOf(address('7'))).toBe('zh')
  const damaged = (
    await start('[["telegram 7",{"zone":"Mars/Olympus","reportedZone":[]}],["telegram 8",{"zone":5}]]')
  ).readers
  expect([damaged.zoneOf(address('7')), damaged.zoneOf(address('8'))]).toEqual([paris, paris])
})

test('a page that reports its time zone is told times in it, until its people choose one with /tz', async () => {
  const { readers, saved } = await start()
  const zoneOf = (known: typeof readers) => known.zoneOf(address('7'))
  readers.report(address('7'), undefined, 'asia/tokyo')
  readers.report(address('7'), 'zh', 'Mars/Olympus')
  readers.report(address('7'), 'zh', 'x'.repeat(100_000))
  expect([readers.languageOf(address('7')), zoneOf(readers)]).toEqual([
    'zh',
    { name: 'Asia/Tokyo', isOwn: true },
  ])
  const again = (await start(saved.at(-1))).readers
  expect(zoneOf(again)).toEqual({ name: 'Asia/Tokyo', isOwn: true })
  again.chooseZone(address('7'), 'America/New_York')
  again.report(address('7'), 'zh', 'Asia/Tokyo')
  expect(zoneOf(again)).toEqual({ name: 'America/New_York', isOwn: true })
  // “/tz machine” means the machine, whatever the page reports.
  again.chooseZone(address('7'), undefined)
  expect(zoneOf(again)).toEqual({ name: 'Europe/Paris', isOwn: true })
})

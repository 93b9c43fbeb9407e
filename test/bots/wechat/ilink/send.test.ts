import { afterEach, expect, test, vi } from 'vitest'
import { person, type Fault } from '../../../fixtures/ilink/server.ts'
import { createRig } from './rig.ts'

const waits = {
  kind: 'retry',
  afterMs: 5000,
  why: 'WeChat allows no message to WeChat …nOne until that person writes.',
}
const told =
  'messages to WeChat …nOne wait until that person writes to the bot. After each message from that person WeChat allows 10 messages within a day.'

afterEach(() => vi.useRealTimers())

test('an answer leaves once the person wrote, exactly as it was judged', async () => {
  const { ilink, hear, say } = await createRig()
  await hear('hello')
  const words = '  two\nlines, 界 and 👍🏽 "quoted" \\ end  '
  expect(await say(words)).toEqual({ kind: 'delivered' })
  expect(await say('x'.repeat(2000))).toEqual({ kind: 'delivered' })
  expect(ilink.texts()).toEqual([words, 'x'.repeat(2000)])
  expect([ilink.wrongs, ilink.dropped]).toEqual([[], []])
})

test('nothing is sent to somebody who has not written: it waits, that is told once, and it leaves when they write', async () => {
  const { ilink, hear, say, whys } = await createRig()
  expect(await say('news')).toEqual(waits)
  expect(await say('news')).toEqual(waits)
  expect(whys().filter((why) => why.startsWith('messages to'))).toEqual([told])
  expect(ilink.calls).not.toContain('sendmessage')
  await hear('hello')
  expect(await say('news')).toEqual({ kind: 'delivered' })
})

test('a clock that is set back by two hours holds nothing up', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { ilink, hear, say } = await createRig({ ilink: { sendIntervalMs: 20 } })
  await hear('hello')
  expect(await say('one')).toEqual({ kind: 'delivered' })
  vi.setSystemTime(Date.now() - 2 * 60 * 60_000)
  await expect.poll(async () => (await say('two')).kind).toBe('delivered')
  expect(ilink.texts()).toEqual(['one', 'two'])
})

test('after eight messages those of an agent wait, that is said once, and two are left for hookgate itself', async () => {
  const { ilink, hear, say, notice, nearlySpent } = await createRig()
  const kept = {
    kind: 'retry',
    afterMs: 5000,
    why: 'WeChat lets 2 more messages leave until that person writes, and they are kept for questions and notices.',
  }
  await hear('hello')
  for (let count = 0; count < 8; count++) {
    expect(nearlySpent).toEqual([])
    expect(await say(`news ${count}`)).toEqual({ kind: 'delivered' })
  }
  expect(nearlySpent).toEqual([[person, 2]])
  expect(await say('one more')).toEqual(kept)
  expect(await notice('a question')).toEqual({ kind: 'delivered' })
  expect(await say('one more')).toMatchObject({ kind: 'retry' })
  expect(nearlySpent).toHaveLength(1)
  await hear('go on')
  expect(await say('one more')).toEqual({ kind: 'delivered' })
  expect(ilink.texts()).toHaveLength(10)
  for (let count = 0; count < 7; count++) await say(`more news ${count}`)
  expect(nearlySpent).toEqual([
    [person, 2],
    [person, 2],
  ])
})

test('after ten messages the eleventh waits for the person, at once and without asking WeChat again', async () => {
  const { ilink, hear, notice, whys } = await createRig({ ilink: { backoffMs: 1000 } })
  await hear('hello')
  for (let count = 0; count < 10; count++)
    expect(await notice(`news ${count}`)).toEqual({ kind: 'delivered' })
  expect(await notice('one more')).toEqual(waits)
  const asked = ilink.calls.filter((path) => path === 'sendmessage').length
  expect(await notice('one more')).toEqual(waits)
  expect(ilink.calls.filter((path) => path === 'sendmessage')).toHaveLength(asked)
  expect(whys()).toContain(told)
  await hear('go on')
  expect(await notice('one more')).toEqual({ kind: 'delivered' })
  expect(ilink.texts()).toHaveLength(11)
})

test('a refusal that may be haste is tried again a few times, slower each time, before it waits for the person', async () => {
  const { ilink, hear, say, whys } = await createRig({ ilink: { backoffMs: 500 } })
  await hear('hello')
  ilink.endContexts()
  const later = { kind: 'retry', why: 'WeChat accepts no more messages at the moment.' }
  const asked = (): number => ilink.calls.filter((path) => path === 'sendmessage').length
  // No limit of the messenger's for all that anybody knows: the other chats go on.
  expect(await say('news')).toEqual({ ...later, afterMs: 5000 })
  expect(await say('news')).toMatchObject(later)
  expect(asked()).toBe(1)
  for (const count of [2, 3])
    await ilink.waitFor(async () => (await say('news')).kind !== undefined && asked() === count)
  expect(await say('news')).toEqual(expect.objectContaining({ kind: 'retry', why: waits.why }))
  expect([asked(), whys()]).toEqual([3, expect.arrayContaining([told])])
  await hear('go on')
  expect(await say('news')).toEqual({ kind: 'delivered' })
})

test.each<[string, Fault, object]>([
  ['ends before an answer', { kind: 'cut', isAfter: false }, { kind: 'unknown' }],
  ['ends after the message was taken', { kind: 'cut', isAfter: true }, { kind: 'unknown' }],
  ['never answers', { kind: 'hang' }, { kind: 'unknown' }],
  ['answers with more than can be read', { kind: 'huge' }, { kind: 'unknown' }],
  ['answers with nothing', { kind: 'raw', body: '' }, { kind: 'unknown' }],
  ['answers with a page', { kind: 'raw', body: '<html>' }, { kind: 'unknown' }],
  ['gives up in between', { kind: 'raw', body: '', status: 502 }, { kind: 'unknown' }],
  [
    'refuses',
    { kind: 'answer', answer: { ret: -1, errmsg: 'ctx-secret' } },
    { kind: 'failed', why: 'WeChat refused the message (ILink ret-1).' },
  ],
  [
    'knows no such thing',
    { kind: 'raw', body: 'ctx-secret', status: 404 },
    { kind: 'failed', why: 'WeChat refused the message (ILink http404).' },
  ],
  ['has enough for now', { kind: 'raw', body: '', status: 429 }, { kind: 'retry', isLimit: true }],
  [
    'says that the session is over',
    { kind: 'answer', answer: { errcode: -14 } },
    { kind: 'retry', why: 'WeChat is not logged in.' },
  ],
])(
  'a send of which WeChat %s is told as what it is, and never repeated by itself',
  async (_, fault, outcome) => {
    const { ilink, hear, say } = await createRig({ ilink: { callMs: fault.kind === 'hang' ? 700 : 2000 } })
    await hear('hello')
    ilink.fail('sendmessage', fault)
    expect(await say('news')).toMatchObject(outcome)
    expect(ilink.texts().length).toBeLessThanOrEqual(1)
    expect(ilink.calls.filter((path) => path === 'sendmessage')).toHaveLength(1)
    expect(await say('next')).toEqual({ kind: 'delivered' })
  },
)

test('what cannot reach WeChat at all waits', async () => {
  const { ilink, hear, say } = await createRig()
  await hear('hello')
  await ilink.stop()
  expect(await say('news')).toMatchObject({ kind: 'retry', why: expect.stringContaining('ECONNREFUSED') })
})

test('messages leave one by one, at WeChat’s pace', async () => {
  const { hear, say } = await createRig({ ilink: { sendIntervalMs: 5000 } })
  await hear('hello')
  expect(await say('one')).toEqual({ kind: 'delivered' })
  const second = await say('two')
  expect(second).toMatchObject({ kind: 'retry', why: 'WeChat accepts messages one at a time.' })
  expect(second.kind === 'retry' ? second.afterMs : 0).toBeLessThanOrEqual(5000)
})

test('a restart answers somebody who wrote before it, and counts on what had left', async () => {
  const { channel, hear, say, again, ilink } = await createRig()
  await hear('hello')
  for (let count = 0; count < 6; count++) await say(`before ${count}`)
  await channel.stop()
  const later = await again()
  await later.isIn()
  for (let count = 0; count < 4; count++)
    expect(await later.notice(`after ${count}`)).toEqual({ kind: 'delivered' })
  expect(await later.notice('one more')).toEqual(waits)
  expect(ilink.texts()).toHaveLength(10)
})

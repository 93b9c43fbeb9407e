import { expect, test } from 'vitest'
import { person, type Fault } from '../../../fixtures/ilink/server.ts'
import { createRig } from './rig.ts'

const [shown, gone] = [
  { who: person, isShown: true },
  { who: person, isShown: false },
]

test('somebody who wrote sees that the agent works until it has done, by one ticket', async () => {
  const { ilink, channel, hear } = await createRig({ ilink: { typingMs: 30 } })
  await hear('hello')
  channel.working?.(person, true)
  channel.working?.(person, true)
  await ilink.waitFor(() => ilink.signs.length === 3)
  channel.working?.(person, false)
  await ilink.waitFor(() => ilink.signs.at(-1)?.isShown === false)
  expect(ilink.signs.filter(({ isShown }) => !isShown)).toEqual([gone])
  expect([ilink.calls.filter((path) => path === 'getconfig').length, ilink.wrongs]).toEqual([1, []])
  channel.working?.(person, true)
  await ilink.waitFor(() => ilink.signs.at(-1)?.isShown)
  expect(ilink.calls.filter((path) => path === 'getconfig')).toHaveLength(1)
})

test('nobody else is told of to WeChat: neither who has not written, nor a word in place of a person', async () => {
  const { ilink, channel, hear } = await createRig()
  channel.working?.(person, true)
  channel.working?.('a secret', true)
  await hear('hello')
  channel.working?.('a secret', true)
  channel.working?.(person, false)
  await hear('after it')
  expect(ilink.calls.filter((path) => ['getconfig', 'sendtyping'].includes(path))).toEqual([])
})

test.each<[string, string, Fault]>([
  ['refuses a ticket', 'getconfig', { kind: 'answer', answer: { ret: -2, errmsg: 'rate limited' } }],
  ['gives none', 'getconfig', { kind: 'answer', answer: { ret: 0 } }],
  ['gives something else', 'getconfig', { kind: 'answer', answer: { typing_ticket: 5 } }],
  ['refuses the sign', 'sendtyping', { kind: 'answer', answer: { ret: -2 } }],
  ['breaks off', 'sendtyping', { kind: 'cut', isAfter: false }],
  ['answers with anything', 'sendtyping', { kind: 'raw', body: '<html>' }],
])(
  'where WeChat %s it is dropped until the agent works again, and nothing else is touched',
  async (_, path, fault) => {
    const { ilink, channel, hear, say, whys } = await createRig({ ilink: { typingMs: 5 } })
    await hear('hello')
    ilink.fail(path, fault)
    channel.working?.(person, true)
    await ilink.waitFor(() => ilink.calls.includes(path))
    await hear('go on')
    expect(await say('news')).toEqual({ kind: 'delivered' })
    expect(ilink.calls.filter((call) => call === path).length).toBeLessThanOrEqual(2)
    expect([
      ilink.signs.filter(({ isShown }) => isShown),
      whys().filter((why) => why.includes('answer')),
    ]).toEqual([[], []])
    channel.working?.(person, true)
    await ilink.waitFor(() => ilink.signs.some(({ isShown }) => isShown))
  },
)

test('an answer that is there before the sign was taken leaves no sign behind', async () => {
  const { ilink, channel, hear } = await createRig({ ilink: { typingMs: 1000 } })
  await hear('hello')
  ilink.fail('sendtyping', { kind: 'slow', ms: 100 })
  channel.working?.(person, true)
  await ilink.waitFor(() => ilink.calls.includes('sendtyping'))
  channel.working?.(person, false)
  await ilink.waitFor(() => ilink.signs.some(({ isShown }) => !isShown))
})

test('when hookgate stops, no phone goes on showing it, and WeChat is told farewell', async () => {
  const { ilink, channel, hear } = await createRig({ ilink: { typingMs: 20 } })
  await hear('hello')
  channel.working?.(person, true)
  await ilink.waitFor(() => ilink.signs.length > 0)
  await channel.stop()
  expect(ilink.signs.at(-1)).toEqual(gone)
  expect(ilink.calls.at(-1)).toBe('msg/notifystop')
  expect(ilink.signs[0]).toEqual(shown)
})

test('a WeChat that hangs holds up no stop', async () => {
  const { ilink, channel, hear } = await createRig({ ilink: { typingMs: 20 } })
  await hear('hello')
  channel.working?.(person, true)
  await ilink.waitFor(() => ilink.signs.length > 0)
  ilink.fail('sendtyping', { kind: 'hang' }, { kind: 'hang' })
  ilink.fail('msg/notifystop', { kind: 'hang' })
  const from = performance.now()
  await channel.stop()
  expect(performance.now() - from).toBeLessThan(8000)
}, 15_000)

import { expect, test } from 'vitest'
import { createHandles } from '../../../../src/core/gatekeeper/owners/handles.ts'
import { createPairing } from '../../../../src/core/gatekeeper/owners/pairing.ts'
import { aMessage, startMs } from '../gate-fixture.ts'

const setUp = (isWritable = true) => {
  const clock = { nowMs: startMs }
  const paired: string[] = []
  const owners = new Set(['telegram:7', 'web:owner'])
  const logins = new Map<string, string>()
  const handles = createHandles(() => clock.nowMs)
  const pairing = createPairing({
    now: () => clock.nowMs,
    elapsedMs: () => clock.nowMs,
    isOwner: (id) => owners.has(id),
    loginOf: (channel) => logins.get(channel),
    handle: handles.mint,
    addPerson: async ({ id, chat_id, login }, _, by) => {
      if (isWritable) {
        owners.add(id)
        paired.push(`${id} in ${chat_id}${login === undefined ? '' : ` at ${login}`} by ${by}`)
      }
      return isWritable
    },
  })
  const from = (sender: string, channel = 'telegram') =>
    aMessage({ channel, sender_id: sender, chat_id: `c${sender}`, sentAtMs: clock.nowMs })
  return { clock, paired, owners, logins, handles, pairing, from }
}
const wrong = 'AAAAAAAA'
const here = { channel: 'telegram', chat_id: '7' }

test('the code from the console makes its sender an owner, with the chat as home', async () => {
  const { pairing, paired, from } = setUp()
  const code = pairing.mint()
  expect(code).toMatch(/^[34679ACDEFGHJKMNPQRTWXY]{8}$/)
  expect(await pairing.pair(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `, from('8'))).toEqual({
    ok: true,
  })
  expect(paired).toEqual(['telegram:8 in c8 by console'])
})

test.each<[string, (first: string, last: string) => string]>([
  ['with a blank', (first, last) => `${first} ${last}`],
  ['with a full stop', (first, last) => `${first}${last}。`],
  ['with words behind it', (first, last) => `${first}${last} that is the code`],
  [
    'in full-width letters',
    (first, last) =>
      (first + last).replaceAll(/./g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0)),
  ],
])('a code counts as a person types it: %s', async (_, type) => {
  const { pairing, from } = setUp()
  const code = pairing.mint()
  expect(await pairing.pair(type(code.slice(0, 4), code.slice(4)), from('8'))).toEqual({ ok: true })
})

test('a code is good for one pairing', async () => {
  const { pairing, paired, from } = setUp()
  const code = pairing.mint()
  await pairing.pair(code, from('8'))
  expect(await pairing.pair(code, from('9'))).toEqual({ ok: false, why: 'no_code' })
  expect(paired).toHaveLength(1)
})

test('a code dies after 30 minutes, when the next one is minted, and when the gate is claimed otherwise', async () => {
  const { pairing, clock, from } = setUp()
  const first = pairing.mint()
  const second = pairing.mint()
  expect(await pairing.pair(first, from('8'))).toEqual({ ok: false, why: 'wrong' })
  clock.nowMs += 30 * 60_000
  expect(await pairing.pair(second, from('8'))).toEqual({ ok: false, why: 'expired' })
  const third = pairing.mint()
  pairing.close()
  expect(await pairing.pair(third, from('8'))).toEqual({ ok: false, why: 'no_code' })
})

test('the sixth try of one sender is refused even with the right code, and does not spoil it for whom it is meant', async () => {
  const { pairing, from } = setUp()
  const code = pairing.mint()
  for (let index = 0; index < 5; index++)
    expect(await pairing.pair(wrong, from('66'))).toEqual({ ok: false, why: 'wrong' })
  for (let index = 0; index < 50; index++)
    expect(await pairing.pair(code, from('66'))).toEqual({ ok: false, why: 'too_many_tries' })
  expect(await pairing.pair(code, from('8'))).toEqual({ ok: true })
})

test('strangers never use up a code, however many they are, and are kept in a bounded space', async () => {
  const { pairing, from } = setUp()
  const code = pairing.invite('telegram:7', here)
  for (let index = 0; index < 6; index++) await pairing.pair(wrong, from('s0'))
  expect(await pairing.pair(wrong, from('s0'))).toEqual({ ok: false, why: 'too_many_tries' })
  for (let index = 1; index < 30_000; index++)
    expect(await pairing.pair(wrong, from(`s${index}`))).toEqual({ ok: false, why: 'wrong' })
  // Forgotten by now, so it counts from one again; one who was there lately is not.
  expect(await pairing.pair(wrong, from('s0'))).toEqual({ ok: false, why: 'wrong' })
  for (let index = 0; index < 4; index++) await pairing.pair(wrong, from('s29999'))
  expect(await pairing.pair(code, from('s29999'))).toEqual({ ok: false, why: 'too_many_tries' })
  expect(await pairing.pair(code, from('8'))).toMatchObject({ ok: true })
})

test('only a private, plain, fresh message pairs, and the others cost no try', async () => {
  const { pairing, from } = setUp()
  const code = pairing.mint()
  expect(await pairing.pair(code, { ...from('8'), isPrivate: false })).toEqual({
    ok: false,
    why: 'not_private',
  })
  expect(await pairing.pair(code, { ...from('8'), origin: 'forwarded' })).toEqual({
    ok: false,
    why: 'forwarded',
  })
  expect(await pairing.pair(code, { ...from('8'), sentAtMs: 0 })).toEqual({ ok: false, why: 'too_old' })
  for (let index = 0; index < 40; index++) await pairing.pair(wrong, { ...from('8'), origin: 'edited' })
  expect(await pairing.pair(code, from('8'))).toEqual({ ok: true })
})

test('a code is not used up when the new owner could not be written', async () => {
  const { pairing, from } = setUp(false)
  const code = pairing.mint()
  expect(await pairing.pair(code, from('8'))).toEqual({ ok: false, why: 'not_written' })
  expect(await pairing.pair(code, from('8'))).toEqual({ ok: false, why: 'not_written' })
  const invited = await pairing.pair(pairing.invite('telegram:7', here), from('8'))
  expect(await pairing.answer(invited.ok ? (invited.asked?.key ?? '') : '', 'telegram:7', true)).toEqual({
    ok: false,
    why: 'not_written',
  })
})

test("an owner's code makes nobody an owner: that owner is asked, where they got it, and their yes counts once", async () => {
  const { pairing, paired, handles, from } = setUp()
  const code = pairing.invite('telegram:7', here)
  const done = await pairing.pair(code, from('9'))
  expect(done).toMatchObject({ ok: true, asked: { by: 'telegram:7', where: here, id: 'telegram:9' } })
  expect(paired).toEqual([])
  const { key, handle } = (done.ok ? done.asked : undefined) ?? { key: '', handle: '' }
  expect(handles.resolve({ owner: 'telegram:7', chat: '7', handle })).toEqual({ fingerprint: key })
  expect(handles.resolve({ owner: 'telegram:9', chat: 'c9', handle })).toEqual({ why: 'elsewhere' })
  expect(await pairing.pair(code, from('10'))).toEqual({ ok: false, why: 'no_code' })
  for (const by of ['telegram:9', 'web:owner', 'telegram:10'])
    expect(await pairing.answer(key, by, true)).toEqual({ ok: false, why: 'gone' })
  expect(await pairing.answer(key, 'telegram:7', true)).toEqual({
    ok: true,
    id: 'telegram:9',
    chat: { channel: 'telegram', chat_id: 'c9' },
    given: { role: 'owner' },
  })
  expect(await pairing.answer(key, 'telegram:7', true)).toEqual({ ok: false, why: 'gone' })
  expect(paired).toEqual(['telegram:9 in c9 by telegram:7'])
})

test('a no ends it, and so do 30 minutes without an answer', async () => {
  const { pairing, paired, clock, from } = setUp()
  const asked = async () => {
    const done = await pairing.pair(pairing.invite('telegram:7', here), from('9'))
    return (done.ok ? done.asked?.key : undefined) ?? ''
  }
  const first = await asked()
  expect(await pairing.answer(first, 'telegram:7', false)).toMatchObject({ ok: true })
  expect(await pairing.answer(first, 'telegram:7', true)).toEqual({ ok: false, why: 'gone' })
  const second = await asked()
  clock.nowMs += 30 * 60_000
  expect(await pairing.answer(second, 'telegram:7', true)).toEqual({ ok: false, why: 'gone' })
  expect(paired).toEqual([])
})

test('the codes of several owners and of the console live beside each other, one each', async () => {
  const { pairing, from } = setUp()
  const old = pairing.invite('telegram:7', here)
  const mine = pairing.invite('telegram:7', here)
  const theirs = pairing.invite('web:owner', { channel: 'web', chat_id: 'main' })
  const ours = pairing.mint()
  expect(await pairing.pair(old, from('9'))).toEqual({ ok: false, why: 'wrong' })
  expect(await pairing.pair(theirs, from('9'))).toMatchObject({ asked: { by: 'web:owner' } })
  expect(await pairing.pair(mine, from('10'))).toMatchObject({ asked: { by: 'telegram:7' } })
  expect(await pairing.pair(ours, from('11'))).toEqual({ ok: true })
})

test('an owner who goes takes their code along, and one who is there already uses up none', async () => {
  const { pairing, owners, from } = setUp()
  const code = pairing.invite('telegram:7', here)
  expect(await pairing.pair(code, from('7'))).toEqual({ ok: false, why: 'owner_already' })
  owners.delete('telegram:7')
  expect(await pairing.pair(code, from('9'))).toEqual({ ok: false, why: 'no_code' })
})

test('where ids change with the login, an owner is bound to the one in which they paired', async () => {
  const { pairing, paired, logins, from } = setUp()
  logins.set('wechat', 'first')
  await pairing.pair(pairing.mint(), from('alice', 'wechat'))
  const done = await pairing.pair(pairing.invite('telegram:7', here), from('bob', 'wechat'))
  logins.set('wechat', 'second')
  await pairing.answer((done.ok ? done.asked?.key : undefined) ?? '', 'telegram:7', true)
  expect(paired).toEqual([
    'wechat:alice in calice at first by console',
    'wechat:bob in cbob at first by telegram:7',
  ])
})

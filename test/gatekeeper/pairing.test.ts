import { expect, test } from 'vitest'
import { createPairing } from '../../src/gatekeeper/pairing.ts'
import { aMessage, startMs } from './gate-fixture.ts'

const setUp = (isWritable = true) => {
  const clock = { nowMs: startMs }
  const paired: string[] = []
  const pairing = createPairing({
    now: () => clock.nowMs,
    addOwner: (id, chatId) => {
      if (isWritable) paired.push(`${id} in ${chatId}`)
      return isWritable
    },
  })
  const from = (sender: string) => aMessage({ sender_id: sender, chat_id: `c${sender}`, sentAtMs: clock.nowMs })
  return { clock, paired, pairing, from }
}
const wrong = 'AAAAAAAA'

test('the code from the console makes its sender an owner, with the chat as home', () => {
  const { pairing, paired, from } = setUp()
  const code = pairing.mint()
  expect(code).toMatch(/^[34679ACDEFGHJKMNPQRTWXY]{8}$/)
  expect(pairing.pair(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `, from('7'))).toEqual({ ok: true })
  expect(paired).toEqual(['telegram:7 in c7'])
})

test('a code is good for one pairing', () => {
  const { pairing, paired, from } = setUp()
  const code = pairing.mint()
  pairing.pair(code, from('7'))
  expect(pairing.pair(code, from('8'))).toEqual({ ok: false, why: 'no_code' })
  expect(paired).toHaveLength(1)
})

test('a code dies after 30 minutes, and when the next one is minted', () => {
  const { pairing, clock, from } = setUp()
  const first = pairing.mint()
  const second = pairing.mint()
  expect(pairing.pair(first, from('7'))).toEqual({ ok: false, why: 'wrong' })
  clock.nowMs += 30 * 60_000
  expect(pairing.pair(second, from('7'))).toEqual({ ok: false, why: 'expired' })
})

test('the sixth try of one sender is refused even with the right code, and does not spoil it for the owner', () => {
  const { pairing, from } = setUp()
  const code = pairing.mint()
  for (let index = 0; index < 5; index++) expect(pairing.pair(wrong, from('66'))).toEqual({ ok: false, why: 'wrong' })
  for (let index = 0; index < 50; index++) {
    expect(pairing.pair(code, from('66'))).toEqual({ ok: false, why: 'too_many_tries' })
  }
  expect(pairing.pair(code, from('7'))).toEqual({ ok: true })
})

test('30 wrong tries of anybody end the code', () => {
  const { pairing, from } = setUp()
  const code = pairing.mint()
  for (let index = 0; index < 30; index++) expect(pairing.pair(wrong, from(`s${index}`))).toEqual({ ok: false, why: 'wrong' })
  expect(pairing.pair(code, from('7'))).toEqual({ ok: false, why: 'too_many_tries' })
  expect(pairing.pair(pairing.mint(), from('7'))).toEqual({ ok: true })
})

test('only a private, plain, fresh message pairs, and the others cost no try', () => {
  const { pairing, from } = setUp()
  const code = pairing.mint()
  expect(pairing.pair(code, { ...from('7'), isPrivate: false })).toEqual({ ok: false, why: 'not_private' })
  expect(pairing.pair(code, { ...from('7'), origin: 'forwarded' })).toEqual({ ok: false, why: 'forwarded' })
  expect(pairing.pair(code, { ...from('7'), sentAtMs: 0 })).toEqual({ ok: false, why: 'too_old' })
  for (let index = 0; index < 40; index++) pairing.pair(wrong, { ...from('7'), origin: 'edited' })
  expect(pairing.pair(code, from('7'))).toEqual({ ok: true })
})

test('a code is not used up when the new owner could not be written', () => {
  const { pairing, from } = setUp(false)
  const code = pairing.mint()
  expect(pairing.pair(code, from('7'))).toEqual({ ok: false, why: 'not_written' })
  expect(pairing.pair(code, from('7'))).toEqual({ ok: false, why: 'not_written' })
})

import { expect, test } from 'vitest'
import { createCards } from '../../../../src/core/gatekeeper/owners/cards.ts'
import type { CardAct } from '../../../../src/core/model/chat/card.ts'

const mia = { owner: 'telegram:7', chat: '7' }
const dayMs = 24 * 60 * 60 * 1000
const begin = () => {
  const clock = { nowMs: 0 }
  return {
    clock,
    cards: createCards(
      () => clock.nowMs,
      () => undefined,
      0,
    ),
  }
}

test('a press is 96 random bits, short and plain', () => {
  const { cards } = begin()
  const presses = Array.from({ length: 1000 }, () => cards.mint({ ...mia, act: 'approve', fingerprint: 'f' }))
  expect(new Set(presses).size).toBe(1000)
  for (const press of presses) expect(press).toMatch(/^[\w-]{16}$/)
})

test('an answer counts once, a look as often as wanted', () => {
  const { cards } = begin()
  for (const act of ['approve', 'close', 'wait', 'revoke', 'on'] satisfies CardAct[]) {
    const press = cards.mint({ ...mia, act, fingerprint: act })
    expect(cards.take({ ...mia, press })).toEqual({ ...mia, act, fingerprint: act })
    expect(cards.take({ ...mia, press })).toEqual({ why: 'used', by: mia.owner, fingerprint: act })
  }
  for (const act of ['show', 'diff', 'pending'] satisfies CardAct[]) {
    const press = cards.mint({ ...mia, act })
    for (let turn = 0; turn < 3; turn++) expect(cards.take({ ...mia, press })).toEqual({ ...mia, act })
  }
})

test('the unused presses of a question count in another run, once, for the same owner and chat', () => {
  const before = begin().cards
  const [yes, no] = (['allow', 'deny'] as const).map((act) => before.mint({ ...mia, act, fingerprint: 'q' }))
  const other = before.mint({ ...mia, act: 'approve', fingerprint: 'f' })
  if (yes === undefined || no === undefined) throw new Error('There are no presses.')
  before.take({ ...mia, press: no })
  const { cards } = begin()
  for (const { press, card } of before.ofQuestion('q')) cards.restore(press, card)
  expect(cards.take({ ...mia, press: no })).toEqual({ why: 'unknown' })
  expect(cards.take({ ...mia, press: other })).toEqual({ why: 'unknown' })
  expect(cards.take({ owner: 'telegram:8', chat: '7', press: yes })).toEqual({ why: 'elsewhere' })
  expect(cards.take({ ...mia, press: yes })).toEqual({ ...mia, act: 'allow', fingerprint: 'q' })
  expect(cards.take({ ...mia, press: yes })).toMatchObject({ why: 'used' })
})

test('it is good for its owner in its chat for a day, and a wrong try does not use it up', () => {
  const { cards, clock } = begin()
  const press = cards.mint({ ...mia, act: 'approve', fingerprint: 'f' })
  expect(cards.take({ press, owner: 'telegram:8', chat: '7' })).toEqual({ why: 'elsewhere' })
  expect(cards.take({ press, owner: mia.owner, chat: '8' })).toEqual({ why: 'elsewhere' })
  for (const wrong of [
    '',
    'x',
    press.slice(1),
    press.toLowerCase().toUpperCase(),
    `${press} `,
    '__proto__',
    'x'.repeat(1_000_000),
  ])
    expect(cards.take({ ...mia, press: wrong })).toEqual({ why: 'unknown' })
  clock.nowMs = dayMs - 1
  expect(cards.take({ ...mia, press })).toMatchObject({ act: 'approve' })
  const late = cards.mint({ ...mia, act: 'on' })
  clock.nowMs += dayMs
  expect(cards.take({ ...mia, press: late })).toEqual({ why: 'expired' })
})

test('what it names was changed by somebody: it is used, by them, and the others stay', () => {
  const { cards } = begin()
  const [f, g, on] = [
    cards.mint({ ...mia, act: 'approve', fingerprint: 'f' }),
    cards.mint({ ...mia, act: 'approve', fingerprint: 'g' }),
    cards.mint({ ...mia, act: 'on' }),
  ]
  cards.forget('f', 'telegram:8')
  cards.forget('f', 'telegram:9')
  expect(cards.take({ ...mia, press: f })).toEqual({ why: 'used', by: 'telegram:8', fingerprint: 'f' })
  expect(cards.take({ ...mia, press: g })).toMatchObject({ act: 'approve' })
  cards.forget('on', 'telegram:8')
  expect(cards.take({ ...mia, press: on })).toEqual({ why: 'used', by: 'telegram:8' })
  cards.forgetAll()
  expect(cards.take({ ...mia, press: g })).toEqual({ why: 'unknown' })
})

test('there are never more than ten thousand; the oldest goes first', () => {
  const { cards } = begin()
  const presses = Array.from({ length: 10_001 }, () => cards.mint({ ...mia, act: 'show' }))
  expect(cards.take({ ...mia, press: presses[0] ?? '' })).toEqual({ why: 'unknown' })
  expect(cards.take({ ...mia, press: presses[1] ?? '' })).toMatchObject({ act: 'show' })
})

test('an answer counts only once its card stood for a second, and a tap before that uses nothing up', () => {
  const clock = { nowMs: 0 }
  const cards = createCards(
    () => clock.nowMs,
    () => undefined,
  )
  const press = cards.mint({ ...mia, act: 'approve', fingerprint: 'f' })
  expect(cards.take({ ...mia, press })).toEqual({ why: 'new' })
  clock.nowMs = 999
  expect(cards.take({ ...mia, press })).toEqual({ why: 'new' })
  // It waited for its turn, and leaves only now; a messenger was slow to say that it arrived.
  cards.left([press, 'another'])
  clock.nowMs = 1998
  expect(cards.take({ ...mia, press })).toEqual({ why: 'new' })
  cards.left([press])
  clock.nowMs = 2997
  expect(cards.take({ ...mia, press })).toEqual({ why: 'new' })
  expect(cards.take({ press, owner: 'telegram:8', chat: '7' })).toEqual({ why: 'elsewhere' })
  clock.nowMs = 2998
  expect(cards.take({ ...mia, press })).toMatchObject({ act: 'approve' })
  expect(cards.take({ ...mia, press })).toMatchObject({ why: 'used' })
  // What only shows something changes nothing.
  const look = cards.mint({ ...mia, act: 'turn' })
  expect(cards.take({ ...mia, press: look })).toMatchObject({ act: 'turn' })
})

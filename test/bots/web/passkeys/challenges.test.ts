import { expect, test } from 'vitest'
import { createChallenges } from '../../../../bots/web/passkeys/challenges.ts'

const start = () => {
  let nowMs = 1_750_000_000_000
  const challenges = createChallenges(() => nowMs)
  return {
    challenges,
    pass: (ms: number) => (nowMs += ms),
    mint: (purpose: string) => Buffer.from(challenges.mint(purpose)).toString('base64url'),
  }
}

test('a challenge is good for its purpose, for three minutes, and until it is used', () => {
  const { challenges, mint, pass } = start()
  const one = mint('login')
  expect(challenges.isGood(one, 'login')).toBe(true)
  expect(challenges.isGood(one, 'register')).toBe(false)
  expect(challenges.spend(one)).toBe(true)
  expect(challenges.isGood(one, 'login')).toBe(false)
  expect(challenges.spend(one)).toBe(false)
  const other = mint('login')
  pass(3 * 60_000)
  expect(challenges.isGood(other, 'login')).toBe(false)
})

test('a changed one, one of another gate and one in another spelling are not good', () => {
  const { challenges, mint } = start()
  const one = mint('login')
  expect(challenges.isGood(start().mint('login'), 'login')).toBe(false)
  for (let at = 0; at < one.length; at += 7) {
    const changed = `${one.slice(0, at)}${one[at] === 'A' ? 'B' : 'A'}${one.slice(at + 1)}`
    expect(challenges.isGood(changed, 'login')).toBe(false)
  }
  for (const spelled of [`${one}=`, `${one} `, Buffer.from(one, 'base64url').toString('base64')])
    expect(challenges.isGood(spelled === one ? '' : spelled, 'login')).toBe(false)
})

test('a flood of challenges that nobody uses pushes none out', () => {
  const { challenges, mint } = start()
  const one = mint('login')
  for (let count = 0; count < 20_000; count++) challenges.mint('login')
  expect(challenges.isGood(one, 'login')).toBe(true)
})

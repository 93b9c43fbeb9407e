import { expect, test } from 'vitest'
import { yieldIfLarge } from '../../../../src/core/model/base/yield-if-large.ts'

test('a frozen value of many parts is looked through once, and one that can still grow each time', async () => {
  let looks = 0
  const texts = Array.from({ length: 160 }, () => 'said')
  const value = {
    get recent() {
      looks += 1
      return texts
    },
  }
  expect([yieldIfLarge(value), yieldIfLarge(value), looks]).toEqual([undefined, undefined, 2])
  Object.freeze(value)
  expect([yieldIfLarge(value), yieldIfLarge(value), yieldIfLarge(value), looks]).toEqual([
    undefined,
    undefined,
    undefined,
    3,
  ])
  const growing: { text: string } = { text: 'a'.repeat(10_000) }
  expect(yieldIfLarge(growing)).toBeUndefined()
  growing.text = 'a'.repeat(100_000)
  expect(yieldIfLarge(growing)).toBeInstanceOf(Promise)
})

import { expect, test } from 'vitest'
import { breathe } from '../../../../src/core/model/base/breathe.ts'

test('a frozen value of many parts is looked through once, and one that can still grow each time', async () => {
  let looks = 0
  const texts = Array.from({ length: 160 }, () => 'said')
  const value = {
    get recent() {
      looks += 1
      return texts
    },
  }
  expect([breathe(value), breathe(value), looks]).toEqual([undefined, undefined, 2])
  Object.freeze(value)
  expect([breathe(value), breathe(value), breathe(value), looks]).toEqual([
    undefined,
    undefined,
    undefined,
    3,
  ])
  const growing: { text: string } = { text: 'a'.repeat(10_000) }
  expect(breathe(growing)).toBeUndefined()
  growing.text = 'a'.repeat(100_000)
  expect(breathe(growing)).toBeInstanceOf(Promise)
})

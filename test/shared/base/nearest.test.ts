import { describe, expect, test } from 'vitest'
import { nearest } from '../../../src/shared/base/nearest.ts'

describe('the nearest name', () => {
  const known = ['hooks', 'hooks list', 'hooks approve', 'whoami', 'new']

  test.each([
    ['hook', 'hooks'],
    ['hooks lsit', 'hooks list'],
    ['HOOKS', 'hooks'],
    ['hooks aprove', 'hooks approve'],
    ['nwe', 'new'],
    ['hooks', 'hooks'],
    ['frobnicate', undefined],
    ['', undefined],
    ['x'.repeat(5000), undefined],
  ])('%s', (typed, expected) => {
    expect(nearest(typed, known)).toBe(expected)
  })

  test('of nothing is nothing, and a long name is near only to one that begins alike', () => {
    expect(nearest('hooks', [])).toBeUndefined()
    expect(nearest(`./examples/${'a'.repeat(100)}.sh`, [`./examples/${'a'.repeat(99)}b.sh`, './x.sh'])).toBe(
      `./examples/${'a'.repeat(99)}b.sh`,
    )
    expect(nearest('y'.repeat(3000), ['x'.repeat(30)])).toBeUndefined()
  })
})

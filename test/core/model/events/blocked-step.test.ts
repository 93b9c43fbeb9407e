import { expect, test } from 'vitest'
import { argumentText } from '../../../../src/core/model/events/blocked-step.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

test('A single text and a command stand alone, and other arguments follow their names', () => {
  expect(argumentText({ command: 'rm -rf  build\nls' })).toBe('rm -rf build ls')
  expect(argumentText({ command: 'make', description: 'Build it' })).toBe('make · description: Build it')
  expect(argumentText({ path: 'a.txt', lines: [1, 2], deep: { on: true, none: null } })).toBe(
    'path: a.txt · lines: 1 · lines: 2 · on: true · none: null',
  )
  expect(argumentText('ls')).toBe('ls')
  expect(argumentText({})).toBe('')
  expect(argumentText(undefined)).toBe('')
})

test('Eight megabytes of arguments are shortened at once, and no character is cut in two', () => {
  const tookMs = measureProcessor()
  const text = argumentText({ command: `${'x'.repeat(299)}😀`, more: 'y'.repeat(8_000_000) })
  expect(text.length).toBeLessThanOrEqual(300)
  expect(text.isWellFormed()).toBe(true)
  expect(argumentText({ command: `${'x'.repeat(299)}😀` }).isWellFormed()).toBe(true)
  expect(argumentText({ content: 'z'.repeat(8_000_000) })).toHaveLength(300)
  expect(argumentText({ list: Array.from({ length: 50_000 }, () => ({ a: 'b'.repeat(100) })) })).toHaveLength(
    300,
  )
  expect(tookMs()).toBeLessThan(stretched(2000))
})

test('Deep arguments end with a sign that some are missing', () => {
  expect(argumentText({ a: { b: { c: { d: { e: 1 } } } } })).toBe('d: …')
})

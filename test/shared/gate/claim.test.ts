import { expect, test } from 'vitest'
import { soundsDone } from '../../../src/shared/gate/claim.ts'

test.each([
  'Done.',
  'I published the site at https://x.example',
  'All tests are passing',
  'The bug is FIXED',
  'Ich bin fertig.',
  '已经完成，请查看',
  '网站发布了',
  `${'x '.repeat(30_000)}it is deployed`,
])('says that something is done: %#', (text) => {
  expect(soundsDone(text)).toBe(true)
})

test.each([
  'Hello!',
  'I will publish it tomorrow.',
  'Which file shall I read?',
  'unfinishedness',
  'abandoned',
  '你好',
  '',
])('says no such thing: %j', (text) => {
  expect(soundsDone(text)).toBe(false)
})

import { expect, test } from 'vitest'
import { createHeldLog, logLine, logSentence } from '../../src/config/log-line.ts'

const atMs = new Date(2026, 10, 29, 21, 51, 3).getTime()
const hostile = 'a\u001b[2Jb\u009b2Jc\u0090d\u007fe\u202ef\u2066g\r\n\u0007\u2028'

test('A terminal carries out nothing that stands in a line of the log, and the line still says it', () => {
  const line = logLine('warn', hostile, { why: hostile, [hostile]: 1 }, atMs)
  expect(line.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/)
  expect(JSON.parse(line)).toEqual({ level: 40, time: atMs, why: hostile, [hostile]: 1, msg: hostile })
})

test('no line says a token, a login or a code', () => {
  for (const render of [logLine, logSentence]) {
    const line = render('error', 'a login failed', { token: 'sesame', login: 'sesame', code: 'sesame' }, atMs)
    expect(line).toContain('[Redacted]')
    expect(line).not.toContain('sesame')
  }
})

test('a person at a terminal reads sentences', () => {
  expect(logSentence('warn', 'a pairing failed', { why: 'wrong', who: 'telegram:9' }, atMs)).toBe(
    '21:51:03 ⚠ A pairing failed (why: wrong, who: telegram:9).\n',
  )
  expect(logSentence('error', 'records were lost.', { lost: 3 }, atMs)).toBe(
    '21:51:03 ✗ Records were lost (lost: 3).\n',
  )
  expect(logSentence('error', 'no fields', undefined, atMs)).toBe('21:51:03 ✗ No fields.\n')
})

test('a sentence is one line, whatever it quotes, and a terminal carries out nothing of it', () => {
  const line = logSentence('warn', hostile, { why: hostile, [hostile]: 1 }, atMs)
  expect(line.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
  expect(line).toContain(String.raw`a\u001b[2Jb`)
})

test('what is logged before the banner is held until it is there, in its order, and the rest is written at once', () => {
  const written: string[] = []
  const { log, release } = createHeldLog((level, what) => void written.push(`${level} ${what}`))
  log('warn', 'one')
  log('error', 'two')
  expect(written).toEqual([])
  release()
  expect(written).toEqual(['warn one', 'error two'])
  log('warn', 'three')
  release()
  expect(written).toEqual(['warn one', 'error two', 'warn three'])
})

import { pino } from 'pino'
import { expect, test } from 'vitest'
import { logLine, logSentence } from '../../src/config/log-line.ts'

test('A terminal carries out nothing that stands in a line of the log, and the line still says it', () => {
  const hostile = 'a\u001b[2Jb\u009b2Jc\u0090d\u007fe\u202ef\u2066g\r\u0007'
  const lines: string[] = []
  pino({ base: null }, { write: (line: string) => void lines.push(logLine(line)) }).warn(
    { why: hostile },
    hostile,
  )
  const [line = ''] = lines
  expect(line).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
  expect(JSON.parse(line)).toMatchObject({ why: hostile, msg: hostile })
})

const sentence = (level: 'warn' | 'error', fields: object, what: string): string => {
  const lines: string[] = []
  pino({ base: null, redact: ['token'] }, { write: (line: string) => void lines.push(logSentence(line)) })[
    level
  ](fields, what)
  return lines.join('')
}

test('a person at a terminal reads sentences', () => {
  expect(sentence('warn', { why: 'wrong', who: 'telegram:9' }, 'a pairing failed')).toMatch(
    /^\d\d:\d\d:\d\d ⚠ A pairing failed \(why: wrong, who: telegram:9\)\.\n$/,
  )
  expect(sentence('error', { lost: 3, token: 'x' }, 'records were lost.')).toMatch(
    /^\d\d:\d\d:\d\d ✗ Records were lost \(lost: 3, token: \[Redacted\]\)\.\n$/,
  )
  expect(logSentence('no JSON\u009b2J')).toBe(String.raw`no JSON\u009b2J`)
})

test('a sentence is one line, whatever it quotes, and a terminal carries out nothing of it', () => {
  const hostile = 'a\u001b[2Jb\u009b2Jc\u0090d\u007fe\u202ef\u2066g\r\n\u0007\u2028'
  const line = sentence('warn', { why: hostile, [hostile]: 1 }, hostile)
  expect(line.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
  expect(line).toContain(String.raw`a\u001b[2Jb`)
})

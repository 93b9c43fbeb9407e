import { pino } from 'pino'
import { expect, test } from 'vitest'
import { logLine } from '../../src/config/log-line.ts'

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

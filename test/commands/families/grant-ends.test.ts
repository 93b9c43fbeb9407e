import { expect, test } from 'vitest'
import { endWords, readEnd } from '../../../src/commands/families/questions/grant-ends.ts'
import { inLanguage, proseText } from '../../../src/core/model/chat/prose.ts'

const nowMs = Date.UTC(2026, 10, 25, 20, 51, 3)
const shanghai = { name: 'Asia/Shanghai', isOwn: true }
const utc = { name: 'UTC', isOwn: false }
const words = (typed: string, zone: typeof utc): string => {
  const end = readEnd(typed, nowMs, zone)
  return end === undefined ? 'none' : proseText(inLanguage(endWords(end, nowMs), () => undefined, zone))
}

test('a grant for today ends at midnight of the person who gives it', () => {
  expect(words('today', shanghai)).toBe('until 2026-11-27 00:00 (19 h 9 min)')
  expect(words('today', utc)).toBe('until 2026-11-26 00:00 UTC (3 h 9 min)')
})

test('an end that is days away has the date and the time of its reader', () => {
  expect(words('30d', shanghai)).toBe('until 2026-12-26 04:51')
  expect(words('30d', utc)).toBe('until 2026-12-25 20:51 UTC')
  expect([words('10', utc), words('soon', utc)]).toEqual(['for 10 uses', 'none'])
})

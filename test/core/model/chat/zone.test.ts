import { expect, test } from 'vitest'
import { clock, untilWords } from '../../../../src/commands/words.ts'
import { inLanguage, prose, proseText } from '../../../../src/core/model/chat/prose.ts'
import { clockWords } from '../../../../src/core/model/chat/zone.ts'
import { nextMidnightMs, zoneName } from '../../../../src/shared/chat/zone.ts'

const nowMs = Date.UTC(2026, 10, 25, 20, 51, 3)
const at = { atMs: nowMs, nowMs, precision: 'minute' } as const
const shanghai = { name: 'Asia/Shanghai', isOwn: true }

test('a time is what a clock of the zone shows, with the date where it is another day there', () => {
  expect(clockWords(at, { name: 'UTC', isOwn: false })).toBe('20:51 UTC')
  expect(clockWords({ ...at, precision: 'second' }, { name: 'UTC', isOwn: false })).toBe('20:51:03')
  expect(clockWords(at, shanghai)).toBe('04:51')
  expect(clockWords({ ...at, atMs: Date.UTC(2026, 10, 25, 15) }, shanghai)).toBe('2026-11-25 23:00')
  expect(clockWords({ ...at, atMs: Date.UTC(2026, 10, 26, 0, 30) }, { name: 'UTC', isOwn: true })).toBe(
    '2026-11-26 00:30',
  )
  // Summer time.
  const summer = { ...at, atMs: Date.UTC(2026, 6, 1, 12), nowMs: Date.UTC(2026, 6, 1, 13) }
  expect(clockWords(summer, { name: 'Europe/Berlin', isOwn: true })).toBe('14:00')
})

test('a day ends at midnight of the zone, also on a day on which its clocks change', () => {
  const midnight = (name: string, atMs: number): string =>
    new Date(nextMidnightMs(atMs, { name, isOwn: true })).toISOString()
  expect(midnight('UTC', nowMs)).toBe('2026-11-26T00:00:00.000Z')
  expect(midnight('Asia/Shanghai', nowMs)).toBe('2026-11-26T16:00:00.000Z')
  expect(midnight('America/Los_Angeles', nowMs)).toBe('2026-11-26T08:00:00.000Z')
  expect(midnight('Asia/Kathmandu', Date.UTC(2026, 10, 25, 18, 15))).toBe('2026-11-26T18:15:00.000Z')
  expect(midnight('Europe/Berlin', Date.UTC(2026, 9, 24, 22))).toBe('2026-10-25T23:00:00.000Z')
  expect(midnight('Europe/Berlin', Date.UTC(2026, 2, 28, 23))).toBe('2026-03-29T22:00:00.000Z')
})

test('each reader of one text sees its times in their own zone', () => {
  const text = prose`Hooks are OFF ${untilWords(nowMs + 90 * 60_000, nowMs)}, written ${clock(nowMs, nowMs)}.`
  const read = (...zone: Parameters<typeof clockWords>[1][]): string =>
    proseText(inLanguage(text, () => undefined, ...zone))
  expect(read()).toBe('Hooks are OFF until 22:21 UTC (1 h 30 min), written 20:51 UTC.')
  expect(read(shanghai)).toBe('Hooks are OFF until 06:21 (1 h 30 min), written 04:51.')
})

test('a zone has the name that the system gives it, and a text that is none has no name', () => {
  expect(zoneName('europe/berlin')).toBe('Europe/Berlin')
  for (const none of ['', ' ', 'Mars/Olympus', 'x'.repeat(100_000), '__proto__', 'UTC\n/hooks off'])
    expect(zoneName(none), none.slice(0, 20)).toBeUndefined()
})

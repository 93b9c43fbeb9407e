import { expect, test } from 'vitest'
import { zh } from '../../../src/commands/text/zh/zh.ts'
import { findUnits } from './units.ts'

const { units, loose } = findUnits()

/** Files whose texts cannot all be translated yet. */
const untranslated: readonly string[] = [
  'src/commands/families/asks.ts',
  'src/commands/families/chat.ts',
  'src/commands/families/history.ts',
  'src/commands/families/list.ts',
  'src/commands/families/owners.ts',
  'src/commands/families/switch.ts',
  'src/commands/find.ts',
  'src/commands/table.ts',
  'src/dispatcher/notices/notices.ts',
  'src/inbox/pair.ts',
]

const placesOf = (text: string): readonly string[] => (text.match(/\{\d+\}/g) ?? []).toSorted()

test('a translation has the places of its text, each once', () => {
  const differing = Object.entries(zh).filter(
    ([key, text]) => JSON.stringify(placesOf(key)) !== JSON.stringify(placesOf(text)),
  )
  expect(differing).toEqual([])
})

test('no catalogue holds a text that the code no longer has', () => {
  const known = new Set(units.map(({ key }) => key))
  expect(Object.keys(zh).filter((key) => !known.has(key))).toEqual([])
})

test('every text of ours can be translated', () => {
  const isKnown = (at: string): boolean => untranslated.some((file) => at.startsWith(`${file}:`))
  expect(loose.filter(({ at }) => !isKnown(at))).toEqual([])
})

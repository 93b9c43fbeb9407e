import { expect, test } from 'vitest'
import { zh } from '../../../src/commands/text/zh/zh.ts'
import { findUnits } from './units.ts'

const { units } = findUnits()
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

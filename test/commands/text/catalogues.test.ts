import { expect, test } from 'vitest'
import { translateInto } from '../../../src/commands/text/catalogues.ts'
import { anchorText, readAnchor } from '../../../src/notices/anchoring.ts'
import { noticeMark } from '../../../src/core/model/chat/notice.ts'
import { inLanguage, proseText } from '../../../src/core/model/chat/prose.ts'
import { findSaid } from './said.ts'
import { findUnits, saidTranslations, translations } from './units.ts'

const { units, loose } = findUnits()
const said = findSaid()
const zh = Object.fromEntries(translations)

const placesOf = (text: string): readonly string[] => (text.match(/\{\d+\}/g) ?? []).toSorted()

test('a translation has the places of its text, each once', () => {
  const differing = Object.entries(zh).filter(
    ([key, text]) => JSON.stringify(placesOf(key)) !== JSON.stringify(placesOf(text)),
  )
  expect(differing).toEqual([])
})

test('no text stands in the catalogues twice', () => {
  const keys = translations.map(([key]) => key)
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})

test('no catalogue holds a text that the code no longer has', () => {
  const known = new Set([...units, ...said.words].map(({ key }) => key))
  expect(Object.keys(zh).filter((key) => !known.has(key))).toEqual([])
})

test('every text of ours can be translated', () => {
  expect(loose).toEqual([])
})

test('every text of ours has a translation', () => {
  const untranslated = units.filter(({ key }) => !Object.hasOwn(zh, key))
  expect(untranslated).toEqual([])
})

test('every text of ours that travels as a string has a translation', () => {
  const found = new Set(saidTranslations.map(([key]) => key))
  const untranslated = said.texts.filter(({ key }) => !found.has(key))
  expect(untranslated).toEqual([])
})

test('a translation keeps the commands of its text', () => {
  const commandsOf = (text: string): readonly string[] =>
    (text.match(/(?<![\w/.])\/[a-z]\w*/g) ?? []).toSorted()
  const differing = Object.entries(zh).filter(
    ([key, text]) => JSON.stringify(commandsOf(key)) !== JSON.stringify(commandsOf(text)),
  )
  expect(differing).toEqual([])
})

test('a pinned checkpoint can be read in every language', () => {
  const anchor = { revision: 12, head: '0123456789ab' }
  const text = proseText(inLanguage(anchorText(anchor), translateInto('zh')))
  expect(text).toContain('置顶')
  expect(readAnchor(`${noticeMark} ${text}`)).toEqual(anchor)
})

test('no matcher can look like the line of a hook that is asked on everything', () => {
  const [before = ''] = (zh['asked on: {0}'] ?? '').split('{0}')
  expect(before).not.toBe('')
  expect(zh['asked on: everything']?.startsWith(before)).toBe(false)
})

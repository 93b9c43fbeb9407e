import { expect, test } from 'vitest'
import { zh } from '../../../src/commands/text/zh/zh.ts'
import { anchorText, readAnchor } from '../../../src/gatekeeper/ledger/anchor.ts'
import { noticeMark } from '../../../src/model/chat/notice.ts'
import { inLanguage, proseText } from '../../../src/model/chat/prose.ts'
import { translateInto } from '../../../src/commands/text/catalogues.ts'
import { findUnits } from './units.ts'

const { units, loose } = findUnits()

/** Files whose texts cannot all be translated yet. */
const untranslated: readonly string[] = [
  'src/commands/families/history.ts',
  'src/commands/families/list.ts',
  'src/commands/families/people/owners.ts',
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

import { randomBytes } from 'node:crypto'
import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { cleanText } from '../../src/core/dispatcher/text/text.ts'
import { noticeMark as mark } from '../../src/core/model/chat/notice.ts'
import { compareAnchor } from '../../src/core/model/gate/anchor.ts'
import { anchorText, readAnchor } from '../../src/notices/anchoring.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'

const heads = Array.from({ length: 20 }, () => randomBytes(32).toString('hex'))
const at = (revision: number) => ({ revision, head: (heads[revision - 1] ?? '').slice(0, 12) })
const pinned = (revision: number, head: string): string =>
  `${mark} ${proseText(anchorText({ revision, head }))}`

test('an anchor reads on a phone, and is read back', () => {
  expect(pinned(17, `3fa9c1d2e4b5${'0'.repeat(52)}`)).toBe(
    '🛡 hookgate ledger\nrevision 17 · head 3fa9c1d2e4b5\nIt shows if the gate was put back to an older state. Leave it pinned.',
  )
  expect(readAnchor(pinned(17, '3fa9c1d2e4b5'))).toEqual({ revision: 17, head: '3fa9c1d2e4b5' })
})

test('what an agent can say is never an anchor, whatever it holds', () => {
  const whole = pinned(17, '3fa9c1d2e4b5')
  for (const text of [whole, whole.replace('🛡', '🛡️'), `🛡${whole}`, whole.replace('🛡', '🛡🛡')])
    expect(readAnchor(cleanText(text))).toBeUndefined()
  assert(
    property(string({ unit: 'binary' }), string(), (before, after) => {
      expect(readAnchor(cleanText(`${before}${whole}${after}`))).toBeUndefined()
    }),
  )
})

test.each([
  'revision 17 · head 3fa9c1d2e4b5',
  '🛡 hookgate ledger\nrevision 17 · head 3fa9c1d2e4b5',
  '🛡 hookgate ledger\nrevision 017 · head 3fa9c1d2e4b5\nx',
  '🛡 hookgate ledger\nrevision 0 · head 3fa9c1d2e4b5\nx',
  '🛡 hookgate ledger\nrevision 17 · head 3FA9C1D2E4B5\nx',
  '🛡 hookgate ledger\nrevision 17 · head 3fa9c1d2e4b\nx',
  '🛡 hookgate ledger\nrevision 17 · head 3fa9c1d2e4b5\nx\ny',
  ' 🛡 hookgate ledger\nrevision 17 · head 3fa9c1d2e4b5\nx',
  '🛡 hookgate ledger\r\nrevision 17 · head 3fa9c1d2e4b5\nx',
  `🛡 hookgate ledger\nrevision 17 · head 3fa9c1d2e4b5\n${'x'.repeat(500)}`,
  '🛡 hookgate ledger\nrevision 1234567890123456 · head 3fa9c1d2e4b5\nx',
  '',
])('%j is none', (text) => expect(readAnchor(text)).toBeUndefined())

test('the anchored line must be there: the ledger may be longer, never shorter and never another', () => {
  expect(compareAnchor(at(20), heads)).toBe('same')
  for (let revision = 1; revision < 20; revision++) {
    expect(compareAnchor(at(revision), heads)).toBe('longer')
    expect(compareAnchor({ ...at(revision), head: at(20).head }, heads)).toBe('other')
    expect(compareAnchor(at(20), heads.slice(0, revision))).toBe('other')
  }
  expect(compareAnchor(at(1), [])).toBe('other')
  expect(compareAnchor({ revision: 0, head: '' }, heads)).toBe('other')
})

import fs from 'node:fs'
import * as fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { clean } from './texts.ts'
import { plain, type Mark } from '../../../../src/core/model/chat/content.ts'
import { createRig, type Rig } from '../rig.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'
import { tries } from '../../../tries.ts'

const cleaned = (text: string): string => clean(plain('text', text)).text
const tags = (text: string): string =>
  Array.from(text, (char) => String.fromCodePoint(0xe0000 + (char.codePointAt(0) ?? 0))).join('')

let rig: Rig | undefined
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

/** Each hides a word in a text whose reader sees none of it. */
const hiding: Readonly<Record<string, (word: string) => string>> = {
  'tag characters': (word) => `fine${tags(word)}`,
  'tag characters behind a flag': (word) => `fine 🏴${tags(word)}\u{E007F}`,
  'variation selectors': (word) =>
    `fine${Array.from(word, (char) => String.fromCodePoint(0xe0100 + (char.codePointAt(0) ?? 0))).join('')}`,
  'variation selectors behind an emoji': (word) =>
    `fine 😀${Array.from(word, (char) => String.fromCodePoint(0xe0100 + (char.codePointAt(0) ?? 0))).join('')}`,
  'zero-width bits': (word) =>
    `fine${Array.from(Buffer.from(word), (byte) => byte.toString(2).replaceAll('0', '\u200b').replaceAll('1', '\u200c')).join('\u200d')}`,
  'invisible operators': (word) =>
    `fi${Array.from(Buffer.from(word), (byte) => `\u2060${'\u2062'.repeat(byte % 7)}\u2063`).join('')}ne`,
  'bidirectional controls': (word) =>
    `fi${Array.from(Buffer.from(word), (byte) => (byte % 2 === 0 ? '\u200e\u202c' : '\u2066\u2069')).join('')}ne`,
  'soft hyphens and fillers': (word) => Array.from(word, () => 'f\u00ad\u3164\u115f\uffa0\u034f').join(''),
  'blanks of many widths': (word) =>
    Array.from(Buffer.from(word), (byte) => `a${String.fromCharCode(0x2000 + (byte % 11))}b`).join(' '),
  'blank Braille': (word) =>
    `fine${Array.from(Buffer.from(word), (byte) => (byte % 2 === 0 ? ' ' : '\u2800')).join('')}`,
  controls: (word) =>
    `fine${Array.from(Buffer.from(word), (byte) => String.fromCharCode(byte % 9, 0x80 + (byte % 16))).join('')}`,
  'joiners between emoji that stay apart': (word) =>
    Array.from(Buffer.from(word), (byte) => (byte % 2 === 0 ? '👍\u200d' : '👍')).join(''),
  'selectors for Chinese letters': (word) =>
    Array.from(word, (char) => `葛${String.fromCodePoint(0xe0100 + (char.codePointAt(0) ?? 0))}`).join(''),
}

describe('what no reader sees is taken out of what an agent says', () => {
  test.each(Object.entries(hiding))('%s carry no word', (_, hide) => {
    expect(cleaned(hide('attack at dawn'))).toBe(cleaned(hide('retire at dusk')))
    expect(cleaned(hide('attack at dawn'))).not.toMatch(
      /[\u200b-\u200f\u202a-\u202e\u2060-\u206f]|[\u{fe00}-\u{fe0f}]|[\u{e0000}-\u{e0fff}]/u,
    )
  })

  test.each([
    ['emoji of several', 'done 👨‍👩‍👧 👩🏽‍🔬 🏳️‍🌈 ❤️‍🔥 🧑‍🤝‍🧑'],
    ['emoji of several as some phones write them', '👩‍❤‍👨 🏳‍🌈 🤷‍♂'],
    ['emoji with the sign for a picture or for a letter', '⚠️ ❤️ ☀︎ 1️⃣ #️⃣ ✓'],
    ['flags', '🇨🇳 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🏴‍☠️'],
    ['Persian', 'می‌خواهم کتاب‌ها را بخوانم'],
    ['Hindi, Malayalam and Sinhala', 'क्‍ष ന്‍ അവന്‍ ශ්‍රී'],
    ['Mongolian', 'ᠠ᠋ ᠨ᠎ᠠ'],
    ['Arabic with its signs', '۝ ؀١٢ مُحَمَّد'],
    ['Vietnamese, taken apart', 'Tiếng Việt'.normalize('NFD')],
    ['lines, tabs, narrow and Chinese blanks', 'a\n\tb\r\nc\u00a0d\u202fe　中'],
    ['Braille', '⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙'],
  ])('%s stay as they are', (_, text) => {
    expect(cleaned(text)).toBe(text)
  })

  test('marks stay on their words', () => {
    const text = 'fi\u200bne and\u{e0041} bo\u200cld 🛡️ code\u00ad'
    const on = (words: string, type: Mark['type']): Mark => ({
      type,
      offset: text.indexOf(words),
      length: words.length,
    })
    const { text: read, marks } = clean({
      ...plain('text', text),
      marks: [
        on('fi\u200bne', 'italic'),
        on('bo\u200cld', 'bold'),
        on('\u{e0041}', 'strike'),
        on('code', 'code'),
      ],
    })
    expect(marks.map(({ type, offset, length }) => [type, read.slice(offset, offset + length)])).toEqual([
      ['italic', 'fine'],
      ['bold', 'bold'],
      ['code', 'code'],
    ])
  })

  test('what is clean stays as it is, whatever it was made of', () => {
    const piece = fc.constantFrom(
      'a',
      '1',
      '️',
      '‍',
      '‌',
      '👍',
      '❤',
      '👩',
      '🏴',
      '󠁧',
      '󠁢',
      '󠁿',
      'ب',
      'क',
      '्',
      'ᠠ',
      '᠋',
      '⠀',
      '⠓',
      '🛡',
      '\u200b',
      '\u202e',
      '⃣',
      ' ',
      'u.wechat.com/x',
      't.me/b?start',
      '\ud83d',
      '\udee1',
      '\u034f',
      '\u0301',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const once = cleaned(pieces.join(''))
        expect(cleaned(once)).toBe(once)
        expect(once).not.toContain('🛡')
      }),
      { numRuns: tries(2000) },
    )
  })

  test('a text made of nothing else costs next to nothing', () => {
    const tookMs = measureProcessor()
    for (const text of [
      'a\u200b'.repeat(50_000),
      '👍‍'.repeat(33_000),
      'ب\u0301\u200d'.repeat(33_000),
      '👩‍❤‍👨'.repeat(12_000),
      '🏴󠁧󠁢'.repeat(16_000),
      '\u0301'.repeat(100_000),
    ])
      cleaned(text)
    expect(tookMs()).toBeLessThan(stretched(5000))
  })
})

test('a hook judges the text without what cannot be seen, and that text is sent', async () => {
  rig = await createRig()
  await rig.approve('on_outbound_message', 'cat > asked.json')
  await rig.on()
  const hidden = hiding['zero-width bits']?.('attack') ?? ''
  const asked = {
    text: `${hidden}${tags('now')} ok`,
    parts: [
      { field: 'option.0', text: `te${tags('x')}a` },
      { field: 'option.1', text: 'cof\u2060fee' },
    ],
    type: 'poll',
  } as const
  expect(await rig.push(asked.text, asked)).toMatchObject({ outcome: 'delivered' })
  const parts = [
    { field: 'option.0', text: 'tea' },
    { field: 'option.1', text: 'coffee' },
  ]
  expect(JSON.parse(fs.readFileSync(`${rig.workspace}/asked.json`, 'utf8'))).toMatchObject({
    notification: 'fine ok',
    parts,
  })
  expect(rig.memory.sent()).toMatchObject([{ text: 'fine ok', parts }])
  expect(await rig.push(tags('nothing but this'))).toMatchObject({ refused: 'empty' })
})

test('a hook that writes something invisible into a text has it taken out again', async () => {
  rig = await createRig()
  await rig.approve('on_outbound_message', `printf '{"notification":"fine\\\\u200b\\\\udb40\\\\udc41"}'`)
  await rig.on()
  expect(await rig.push('hello')).toMatchObject({ outcome: 'withheld' })
  expect(rig.memory.sent().filter(({ kind }) => kind === 'push')).toEqual([])
})

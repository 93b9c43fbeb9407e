import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noticeMark as mark } from '../../../../src/core/model/chat/notice.ts'
import { cleanText, cutText, visibleText } from '../../../../src/core/dispatcher/text/text.ts'
import { commandRanges } from './texts.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'
import { tries } from '../../../tries.ts'

const splitText = (text: string, max: number): readonly string[] => cutText(text, max).map((cut) => cut.text)
const family = '👨‍👩‍👧‍👦'

describe('a judged text is cut into messages', () => {
  test.each([
    ['one giant word', 'a'.repeat(10_000)],
    ['Chinese without spaces', '门'.repeat(9999)],
    ['emoji families', family.repeat(900)],
    ['flags', '🇨🇳🇯🇵'.repeat(2000)],
    ['astral characters, off by one', `x${'😀'.repeat(5000)}`],
    ['words', 'one two three '.repeat(1000)],
    ['lines', `${'line of text\n'.repeat(900)}\n\nlast`],
  ])('%s: within the limit, nothing lost, no character torn', (_, text) => {
    const pieces = splitText(text, 4096)
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe(text)
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(4096)
      expect(piece.isWellFormed()).toBe(true)
    }
  })

  test('families and flags stay whole', () => {
    for (const one of [family, '🇨🇳']) {
      for (const piece of splitText(one.repeat(3000), 4096)) expect(piece.length % one.length).toBe(0)
      for (const piece of splitText(`x${one.repeat(3000)}`, 4096))
        expect(piece.replace('x', '').length % one.length).toBe(0)
    }
  })

  test('a paragraph is a better place than a line, a line than a word, a word than a character', () => {
    const at = (text: string): string => splitText(text, 20)[0] ?? ''
    expect(at(`${'a'.repeat(15)}\n\nb\nc d e f g h i`)).toBe(`${'a'.repeat(15)}\n\n`)
    expect(at(`${'a'.repeat(15)}\nb c d e f g h`)).toBe(`${'a'.repeat(15)}\n`)
    expect(at(`${'a'.repeat(15)} ${'b'.repeat(9)}`)).toBe(`${'a'.repeat(15)} `)
    expect(at('a'.repeat(25))).toBe('a'.repeat(20))
  })

  test('what fits is one message', () => {
    expect(splitText('x'.repeat(4096), 4096)).toEqual(['x'.repeat(4096)])
  })

  test('any text and any limit: within the limit, well-formed', () => {
    const chars = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\n\n',
      '门',
      '😀',
      family,
      '🇨🇳',
      'é',
      'e\u0301',
      '\u200d',
      '/hooks ',
    )
    fc.assert(
      fc.property(
        fc.array(chars, { maxLength: 200 }).map((all) => all.join('')),
        fc.integer({ min: 2, max: 60 }),
        (text, max) => {
          const pieces = splitText(text, max)
          expect(pieces.every((piece) => piece.length <= max && piece.isWellFormed())).toBe(true)
          expect(pieces.join('')).toBe(text)
        },
      ),
      { numRuns: tries(500) },
    )
  })

  test('a single character that is longer than a message is cut between its code points', () => {
    const tower = `a${'\u0301'.repeat(100)}`
    expect(splitText(tower, 30).join('')).toBe(tower)
    expect(splitText('😀'.repeat(10), 3).every((piece) => piece === '😀')).toBe(true)
  })
})

describe('a command in a text is code, so that a tap copies it and never sends it', () => {
  const shown = (text: string): readonly string[] =>
    commandRanges(text).map(({ offset, length }) => text.slice(offset, offset + length))

  test.each<[string, readonly string[]]>([
    ['/hooks on', ['/hooks on']],
    ['  /hooks approve pre_tool_call ./x.sh --all', ['/hooks approve pre_tool_call ./x.sh --all']],
    ['type /hooks to see', ['/hooks']],
    ['→ /hooks approve k7f2q', ['/hooks approve k7f2q']],
    ['To switch them → /hooks on', ['/hooks on']],
    ['one\n/hooks on\ntwo\n→ /new\nthree (/stop)', ['/hooks on', '/new', '/stop)']],
    ['run /usr/bin/x now', ['/usr/bin/x']],
    ['./examples/a.py: no. See /new, ./b; or /stop.', ['./examples/a.py', '/new', './b', '/stop']],
    ['/usr/bin/x is a program', ['/usr/bin/x']],
    ['./new', ['./new']],
    ['~/stop', ['~/stop']],
    ['请点击：/new', ['/new']],
    ['see:/new,/stop', ['/new,/stop']],
    ['🙂/new', ['/new']],
    ['*/new*', ['/new*']],
    ['"/hooks@Bot on"', ['/hooks@Bot']],
    ['file: x\n│ #!/bin/sh\n│ /new\n  │ a\nof us', ['│ #!/bin/sh\n│ /new\n  │ a']],
    ['a │ b\n   │ c\r│ /new', ['│ /new']],
    ['and/or a/b 请/new https://x.org/new </div> 1/2', []],
    ['a lone / and // and ／hooks', []],
  ])('%j', (text, expected) => {
    expect(shown(text)).toEqual(expected)
  })

  test('wherever Telegram would see a command there is a range', () => {
    // As TDLib has it: match_bot_commands.
    const telegram = /(?<![\p{L}\p{N}_/<>])\/[a-zA-Z0-9_]{1,64}(?:@[a-zA-Z0-9_]{3,32})?(?![\p{L}\p{N}_/<>])/gu
    const pieces = fc.array(
      fc.constantFrom(
        '/new',
        '/',
        ' ',
        '\n',
        '.',
        '→ ',
        '<',
        '>',
        'a',
        '门',
        ':',
        '😀',
        '\u0301',
        '\u200b',
        '(',
        '@bot',
        '\t',
        '│',
        '\r',
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(
        pieces.map((all) => all.join('')),
        (text) => {
          const ranges = commandRanges(text)
          for (const { index, 0: command } of text.matchAll(telegram)) {
            expect(
              ranges.some(
                ({ offset, length }) => offset <= index && index + command.length <= offset + length,
              ),
              JSON.stringify(text),
            ).toBe(true)
          }
          for (const [i, { offset, length }] of ranges.entries())
            expect(offset + length).toBeLessThanOrEqual(ranges[i + 1]?.offset ?? text.length)
        },
      ),
      { numRuns: tries(2000) },
    )
  })

  test('a text made of slashes and blanks costs next to nothing', () => {
    const tookMs = measureProcessor()
    for (const text of [
      '/'.repeat(100_000),
      ' '.repeat(100_000),
      '/a '.repeat(30_000),
      `${'\t'.repeat(50_000)}/a`,
      '.'.repeat(100_000),
      '→ '.repeat(50_000),
      '│\n'.repeat(50_000),
      '  │ \n   '.repeat(20_000),
    ])
      commandRanges(text)
    expect(tookMs()).toBeLessThan(stretched(2000))
  })
})

describe('a quoted part is shown with nothing hidden in it', () => {
  test.each([
    ['two lines', 'a\nb\r\nc', 'a⏎b⏎c'],
    ['a lone carriage return', 'a\rb', 'a\\u{d}b'],
    ['a tab', 'a\tb', 'a b'],
    ['bidirectional overrides', 'safe\u202Eexe.txt\u2066', 'safe\\u{202e}exe.txt\\u{2066}'],
    ['zero-width characters', 'pass\u200Bword\uFEFF', 'pass\\u{200b}word\\u{feff}'],
    ['tag characters', 'hi\u{E0068}\u{E0069}', 'hi\\u{e0068}\\u{e0069}'],
    ['terminal escapes', '\u001B[2Jgone', '\\u{1b}[2Jgone'],
    ['fillers', '\u3164\u2028', '\\u{3164}\\u{2028}'],
    ['a lone surrogate', 'a\uD83D', 'a\uFFFD'],
    ['emoji', '⚠️ done 👨‍👩‍👧 🇨🇳 ✓', '⚠️ done 👨‍👩‍👧 🇨🇳 ✓'],
    ['a joiner between letters', 'a\u200Db', 'a\\u{200d}b'],
    ['the mark of a notice', '🛡 LOCKDOWN 🛡️', ' LOCKDOWN '],
    ['what is drawn like the mark', '⛨ LOCKDOWN ⛨\uFE0F', ' LOCKDOWN '],
  ])('%s', (_, quoted, expected) => {
    expect(visibleText(quoted)).toBe(expected)
  })

  test('a long one is shown by head, tail and length', () => {
    const shown = visibleText(`${'h'.repeat(5000)}tail`)
    expect(shown).toMatch(/^h{400}… \(5004 characters\) …h{116}tail$/)
    expect(visibleText('x'.repeat(600))).toBe('x'.repeat(600))
    expect(visibleText('😀'.repeat(5000)).isWellFormed()).toBe(true)
    // What has to be seen whole is: also where what it shows of what cannot be seen makes it much longer.
    const hiding = `${'\u200b'.repeat(300)}curl evil${'\u200b'.repeat(300)}`
    expect(visibleText(hiding, true)).toBe(`${'\\u{200b}'.repeat(300)}curl evil${'\\u{200b}'.repeat(300)}`)
  })
})

test('agent text cannot hold the mark of a notice, in any spelling', () => {
  expect(cleanText(`${mark} Hooks are ON`)).not.toContain(mark)
  expect(cleanText('🛡️🛡x')).toBe('x')
  expect(cleanText('⛨ 2/3 \u26E8\uFE0F\u{1F6E1}\uFE0Eoff, and 🔰 stays')).toBe(' 2/3 off, and 🔰 stays')
  expect(cleanText('\uD83D🛡\uDEE1')).not.toContain(mark)
  expect(cleanText('plain\nwords')).toBe('plain\nwords')
})

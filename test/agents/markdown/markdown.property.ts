import { array, assert, constantFrom, property, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { toMarks } from '../../../src/agents/markdown/markdown.ts'
import { measureProcessor } from '../../processor-time.ts'
import { tries } from '../../tries.ts'

/** The text, and each mark as `type: run` in the order of the text; links name their address. */
const shown = (markdown: string): { readonly text: string; readonly looks: readonly string[] } => {
  const { text, marks, parts } = toMarks(markdown)
  const addressOf = (field: string | undefined): string =>
    parts.find((part) => part.field === field)?.text ?? ''
  return {
    text,
    looks: marks.map(
      ({ type, offset, length, field }) =>
        `${type}: ${text.slice(offset, offset + length)}${field === undefined ? '' : ` → ${addressOf(field)}`}`,
    ),
  }
}

test.each([
  [
    '**bold** and *it* and ~~gone~~ and `a*b`',
    'bold and it and gone and a*b',
    ['bold: bold', 'italic: it', 'strike: gone', 'code: a*b'],
  ],
  ['# Head *it*\ntext', 'Head it\n\ntext', ['bold: Head it', 'italic: it']],
  ['> one\n> two\n>> three\n\nfour', 'one\ntwo\n\nthree\n\nfour', ['quote: one\ntwo\n\nthree']],
  ['```js\nlet a\n\n  b\n```\nend', 'let a\n\n  b\n\nend', ['pre: let a\n\n  b']],
  [
    '- one\n- two\n  more\n  - deep\n\n7. seven\n8. eight',
    '• one\n• two\n  more\n  • deep\n\n7. seven\n8. eight',
    [],
  ],
  ['> - a\n> - b', '• a\n• b', ['quote: • a\n• b']],
  [
    'see [the *docs*](https://e.com/a_b)',
    'see the docs',
    ['link: the docs → https://e.com/a_b', 'italic: docs'],
  ],
  [
    '![a cat](https://e.com/c.png) ![](http://e.com/d)',
    'a cat image',
    ['link: a cat → https://e.com/c.png', 'link: image → http://e.com/d'],
  ],
  [
    '[](https://e.com/) [![](https://e.com/a)](https://e.com/b)',
    'https://e.com/ image (https://e.com/a)',
    ['link: https://e.com/ → https://e.com/', 'link: image (https://e.com/a) → https://e.com/b'],
  ],
  ['<https://e.com> <me@e.com>', 'https://e.com me@e.com', ['link: https://e.com → https://e.com']],
  [
    '| a | b |\n|---|--:|\n| 日本 | 1 |\n| x | **22** |',
    'a    |  b\n-----+---\n日本 |  1\nx    | 22',
    ['pre: a    |  b\n-----+---\n日本 |  1\nx    | 22'],
  ],
  ['| a |\n|---|\n| b | c |', '| a |\n|---|\n| b | c |', ['pre: | a |\n|---|\n| b | c |']],
  ['it was ||**him**||, a || b || c', 'it was him, a || b || c', ['spoiler: him', 'bold: him']],
  ['a || b|| c, \\|\\|not him\\|\\|, \\*\\*', 'a || b|| c, ||not him||, **', []],
  ['one\ntwo\\\nthree\n\nfour', 'one\ntwo\nthree\n\nfour', []],
  ['😀 **bold**', '😀 bold', ['bold: bold']],
  ['2 * 3 * 4, snake_case_name, a < b && c > d', '2 * 3 * 4, snake_case_name, a < b && c > d', []],
] as const)('Markdown becomes words and how they look: %j', (markdown, text, looks) => {
  expect(shown(markdown)).toEqual({ text, looks })
})

test.each([
  [
    '<b>bold</b> <i>it</i> <u>under</u> <a href="https://e.com/a_b_c">a *link*</a>',
    'bold it under a link',
    ['bold: bold', 'italic: it', 'link: a link → https://e.com/a_b_c', 'italic: link'],
  ],
  ['<script>alert(1)</script> <img src=x onerror=y>', '<script>alert(1)</script> <img src=x onerror=y>', []],
  ['<b>open, </i>closed and \\<b>no tag\\</b> &lt;i&gt;', '<b>open, </i>closed and <b>no tag</b> <i>', []],
  ['**a <i>b** c</i>', 'a b c', ['bold: a b', 'italic: b']],
] as const)(
  'A tag that we know is a look where it is closed, and any other is the words it is: %j',
  (markdown, text, looks) => {
    expect(shown(markdown)).toEqual({ text, looks })
  },
)

test('An address that is no web address is words, and so is one too many', () => {
  expect(
    shown(
      '[me](mailto:me@e.com) [x](javascript:alert(1)) [y](tg://resolve?start=1) <a href="file:///etc">z</a> [bad](http://)',
    ),
  ).toEqual({
    text: 'me (mailto:me@e.com) x (javascript:alert(1)) y (tg://resolve?start=1) z (file:///etc) bad (http://)',
    looks: [],
  })
  const many = toMarks('[a](https://e.com) '.repeat(101))
  expect(many.parts).toHaveLength(100)
  expect(many.text.endsWith('a a (https://e.com)')).toBe(true)
})

test('Words without any mark stay what they are', () => {
  const word = stringMatching(/^[\p{L}\p{N}😀,.!?']{1,12}$/u).filter((text) => !/^\d+\.$/.test(text))
  const line = array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '))
  const text = array(line, { minLength: 1, maxLength: 5 }).chain((lines) =>
    constantFrom('\n', '\n\n').map((gap) => lines.join(gap)),
  )
  assert(
    property(text, (text) => {
      expect(toMarks(text)).toEqual({ text, marks: [], parts: [] })
    }),
    { numRuns: tries(500) },
  )
})

const scraps = [
  '**',
  '*',
  '_',
  '~~',
  '`',
  '```',
  '\n',
  '\n\n',
  '> ',
  '- ',
  '1. ',
  '# ',
  '||',
  '|',
  '[',
  '](',
  ')',
  '![',
  '<b>',
  '</b>',
  '<a href="https://e.com/">',
  '</a>',
  '<',
  '>',
  '\\',
  '&amp;',
  '    ',
  '---',
  '| - | - |\n',
  ' ',
  'word',
  'Wörter',
  '日本',
  '😀',
  '42',
  'https://e.com/x',
] as const
const soup = array(constantFrom(...scraps), { maxLength: 60 }).map((parts) => parts.join(''))

test('Every mark stands in the text, around something, none crosses another, and each link has its address', () => {
  assert(
    property(soup, (markdown) => {
      const { text, marks, parts } = toMarks(markdown)
      for (const { type, offset, length, field } of marks) {
        expect(offset).toBeGreaterThanOrEqual(0)
        expect(length).toBeGreaterThan(0)
        expect(offset + length).toBeLessThanOrEqual(text.length)
        expect(type === 'link').toBe(field !== undefined && parts.some((part) => part.field === field))
      }
      for (const a of marks)
        for (const b of marks)
          expect(
            a.offset < b.offset &&
              b.offset < a.offset + a.length &&
              a.offset + a.length < b.offset + b.length,
          ).toBe(false)
    }),
    { numRuns: tries(3_000) },
  )
})

test('No letter and no digit of the words is lost, and none changes its place', () => {
  // Without what has letters of its own as syntax: addresses, tags, entities, the language of a fence.
  const words = scraps.filter((scrap) => !/[a-z&]/i.test(scrap) || scrap === 'Wörter')
  const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '')
  assert(
    property(array(constantFrom(...words), { maxLength: 60 }), (parts) => {
      const markdown = parts.join('')
      const made = toMarks(markdown)
      // A picture without words is shown as one.
      expect(letters(made.text).replaceAll('image', '')).toBe(letters(markdown))
    }),
    { numRuns: tries(3_000) },
  )
})

const long = 100_000
const hostile: Readonly<Record<string, string>> = {
  brackets: '['.repeat(long),
  stars: '*'.repeat(long),
  emphasis: '*a _'.repeat(long / 4),
  words: 'a_'.repeat(long / 2),
  mixed: 'a**b'.repeat(long / 4),
  quotes: `${'> '.repeat(10_000)}deep`,
  'quotes and lists': `${'> - '.repeat(10_000)}deep`,
  images: `${'!['.repeat(10_000)}a${'](b)'.repeat(10_000)}`,
  links: '[a](b'.repeat(long / 5),
  tags: '<b>'.repeat(long / 3),
  halves: '<a href="'.repeat(long / 9),
  bars: '||a'.repeat(long / 3),
  rows: `${'|a'.repeat(150)}\n${'|-'.repeat(150)}\n${'|\n'.repeat(long / 2 - 400)}`,
  'a wide row': `|${'a'.repeat(long / 2)}|b|\n|-|-|\n${'|a|b|\n'.repeat(long / 14)}`,
  lines: 'a\n'.repeat(long / 2),
  'deep lines': `${Array.from({ length: 15 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')}${'\na'.repeat(long / 2 - 300)}`,
  ticks: '`a'.repeat(long / 2),
}

const processorMs = (markdown: string): number => {
  const tookMs = measureProcessor()
  toMarks(markdown)
  return tookMs()
}

test.each(Object.keys(hostile))(
  'What nobody would write takes at most forty times as long as an ordinary text of its length: %s',
  (name) => {
    const markdown = hostile[name] ?? ''
    const ordinary = 'An **ordinary** line with [words](https://example.org/) and `code`.\n\n'.repeat(
      long / 70,
    )
    expect(processorMs(markdown)).toBeLessThan(40 * processorMs(ordinary))
    const { text } = toMarks(markdown)
    expect(text.length).toBeGreaterThan(0)
    expect(text.length).toBeLessThanOrEqual(long)
  },
)

test('What is nested too deep or is too long is its words as they are', () => {
  const deep = `first\n\n${'> '.repeat(100)}deep **down**`
  expect(toMarks(deep)).toEqual({ text: deep, marks: [], parts: [] })
  const most = `**a** ${'b'.repeat(long)}`
  expect(toMarks(most)).toEqual({ text: most, marks: [], parts: [] })
  expect(toMarks('<b></b>').text).toBe('<b></b>')
})

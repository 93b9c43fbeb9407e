import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstWord, foldTypography, parseChat } from '../../../src/core/commands/parse.ts'
import { measureProcessor } from '../../processor-time.ts'
import { stretched } from '../../stretched.ts'
import { tries } from '../../tries.ts'

/**
 * What a message means, in short: `name|rest` for each command, `!line` for what is none among commands, or
 * undefined for prose.
 */
const read = (text: string): readonly string[] | undefined => {
  const parsed = parseChat(text)
  if (parsed.kind === 'prose') return undefined
  return parsed.lines.map((line) => (line.kind === 'command' ? `${line.name}|${line.rest}` : `!${line.raw}`))
}

describe('a message that looks like a command is read as one', () => {
  test.each<[string, readonly string[]]>([
    ['/hooks', ['hooks|']],
    ['/hooks on', ['hooks|on']],
    ['/HOOKS ON', ['hooks|ON']],
    ['/Hooks List', ['hooks|List']],
    ['／hooks', ['hooks|']],
    ['／hooks on', ['hooks|on']],
    ['／ＨＯＯＫＳ on', ['ｈｏｏｋｓ|on']],
    ['/hooks@ThisBot on', ['hooks@thisbot|on']],
    ['/hook', ['hook|']],
    ['/hoks on', ['hoks|on']],
    ['/hooks aprove', ['hooks|aprove']],
    ['/hooks, on', ['hooks,|on']],
    ['/hooks: on', ['hooks:|on']],
    ['/hooks.', ['hooks.|']],
    ['/hooks?', ['hooks?|']],
    ['/hooks-on', ['hooks-on|']],
    ['/hooks_on', ['hooks_on|']],
    ['/nothing at all', ['nothing|at all']],
    ['/new', ['new|']],
    ['/stop', ['stop|']],
    ['/pair ABC-123', ['pair|ABC-123']],
    ['/1', ['1|']],
    ['/_x', ['_x|']],
    ['/钩子 开', ['钩子|开']],
    ['/éteindre', ['éteindre|']],
    // Blanks around it and in it.
    [' /hooks on', ['hooks|on']],
    ['\t/hooks on', ['hooks|on']],
    ['/hooks\ton', ['hooks|on']],
    ['/hooks    on   ', ['hooks|on']],
    ['\u3000/hooks on', ['hooks|on']],
    ['/hooks\u3000on', ['hooks|on']],
    ['\u00A0/hooks\u00A0on', ['hooks|on']],
    ['\n\n/hooks on\n\n', ['hooks|on']],
    ['\r\n/hooks on\r\n', ['hooks|on']],
    ['\u2028/hooks on', ['hooks|on']],
    // What a reader cannot see before the slash or in the word.
    ['\u200B/hooks on', ['hooks|on']],
    ['\uFEFF/hooks on', ['hooks|on']],
    ['\u200E/hooks on', ['hooks|on']],
    ['\u202E/hooks on', ['hooks|on']],
    ['\u2060/hooks on', ['hooks|on']],
    ['\u00AD/hooks on', ['hooks|on']],
    ['\uFE0F/hooks on', ['hooks|on']],
    ['\u{E0020}/hooks on', ['hooks|on']],
    ['\u3164/hooks on', ['hooks|on']],
    ['\u2800/hooks on', ['hooks|on']],
    ['\u0000/hooks on', ['hooks|on']],
    ['\u0008/hooks on', ['hooks|on']],
    ['\u007F/hooks on', ['hooks|on']],
    ['\u0085/hooks on', ['hooks|on']],
    ['\uFFF9/hooks on', ['hooks|on']],
    ['/ho\u200Boks on', ['hooks|on']],
    ['/\u200Bhooks on', ['hooks|on']],
    // Fences and backticks.
    ['`/hooks on`', ['hooks|on']],
    ['``/hooks on``', ['hooks|on']],
    ['```/hooks on```', ['hooks|on']],
    ['``` /hooks on ```', ['hooks|on']],
    ['```\n/hooks on\n```', ['hooks|on']],
    ['```sh\n/hooks on\n```', ['hooks|on']],
    ['```/hooks on\n```', ['hooks|on']],
    ['~~~\n/hooks on\n~~~', ['hooks|on']],
    ['````\n/hooks on\n````', ['hooks|on']],
    ['```\n`/hooks on`\n```', ['hooks|on']],
    ['`/hooks on', ['hooks|on']],
    ['  `/hooks on`  ', ['hooks|on']],
    ['`／hooks`', ['hooks|']],
    // Several.
    ['/hooks on\n/hooks off', ['hooks|on', 'hooks|off']],
    ['/hooks on\r\n/hooks off', ['hooks|on', 'hooks|off']],
    ['/hooks on\r/hooks off', ['hooks|on', 'hooks|off']],
    ['/hooks on\u2028/hooks off', ['hooks|on', 'hooks|off']],
    ['```\n/hooks on\n/hooks off\n```', ['hooks|on', 'hooks|off']],
    ['`/hooks on`\n`/hooks off`', ['hooks|on', 'hooks|off']],
    ['```\n/hooks on\n```\n```\n/hooks off\n```', ['hooks|on', 'hooks|off']],
    ['/hooks on\n\n\n/new', ['hooks|on', 'new|']],
    ['/hooks on\nthanks!', ['hooks|on', '!thanks!']],
    ['/hooks on\n/usr/bin/ls', ['hooks|on', '!/usr/bin/ls']],
    ['/hooks on\n//new', ['hooks|on', '!//new']],
    // What comes after the word is kept as it was typed.
    [
      '/hooks approve pre_tool_call ./x.sh  --two  blanks',
      ['hooks|approve pre_tool_call ./x.sh  --two  blanks'],
    ],
    ['/hooks revoke python3 "a b.py" ‘c’', ['hooks|revoke python3 "a b.py" ‘c’']],
    ['/hooks approve pre_tool_call sh -c `date`', ['hooks|approve pre_tool_call sh -c `date`']],
  ])('%j', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })
})

describe('everything else is prose, byte for byte', () => {
  test.each([
    'hello',
    '',
    '   ',
    '\n',
    '/',
    '／',
    '/ hooks on',
    '/-',
    '/?',
    '/!',
    '/…',
    '/.hidden',
    '/🙂',
    '/usr/bin/ls',
    '/usr/bin/ls -la',
    '/hooks/on',
    '／usr／bin',
    '/a／b',
    'hooks on',
    '\\hooks on',
    '-/hooks on',
    '> /hooks on',
    '* /hooks on',
    'please type /hooks on',
    'first\n/hooks on',
    'what does `/hooks on` do?',
    '`/hooks on` is what I mean',
    '`/usr/bin/ls`',
    '```\ncode\n```',
    '```js\nconst a = 1\n```\n/hooks on',
    '\u200Bhello\u200B',
    '  two  blanks  \n\ttab\r\n',
    'a\u0000b',
    '🛡 Hooks are OFF',
    '\uFEFFtext',
    'e\u0301',
    'x'.repeat(5000),
  ])('%j', (text) => {
    expect(parseChat(text)).toEqual({ kind: 'prose', text })
  })

  test.each([
    ['//hooks on', '/hooks on'],
    ['／／hooks on', '／hooks on'],
    ['/／hooks', '／hooks'],
    ['///x', '//x'],
    ['  //usr/bin', '  /usr/bin'],
    ['//hooks\n/hooks on', '/hooks\n/hooks on'],
    ['// a comment', '/ a comment'],
  ])('a leading // says the rest to the agent: %j', (text, expected) => {
    expect(parseChat(text)).toEqual({ kind: 'prose', text: expected })
  })
})

describe('whatever is done to a command line, it does not become prose', () => {
  const command = fc.constantFrom(
    'hooks on',
    'hooks',
    'hooks approve pre_tool_call ./x.sh',
    'new',
    'stop',
    'hooks off 15m',
    'whoami',
  )
  const hidden = fc
    .array(
      fc.constantFrom(
        '\u200B',
        '\uFEFF',
        '\u202E',
        '\u00AD',
        '\u0007',
        ' ',
        '\t',
        '\u3000',
        '\u00A0',
        '\n',
        '\r\n',
        '\u2800',
      ),
      { maxLength: 6 },
    )
    .map((all) => all.join(''))
  const wrapped = fc.constantFrom<readonly [string, string]>(
    ['', ''],
    ['`', '`'],
    ['``', '``'],
    ['```', '```'],
    ['```\n', '\n```'],
    ['```sh\n', '\n```'],
    ['`', ''],
    ['```', '\n```'],
  )
  const mistyped = fc
    .tuple(command, fc.nat(30), fc.constantFrom('', 'x', 'é', '-', '.', ',', '“', '—', '7'))
    .map(([text, at, char]) => {
      const place = 1 + (at % text.length)
      return text.slice(0, place) + char + text.slice(place + 1)
    })

  test('hidden characters, fences, cases, typing mistakes', () => {
    fc.assert(
      fc.property(
        fc.oneof(command, mistyped),
        hidden,
        wrapped,
        hidden,
        fc.constantFrom('/', '／'),
        fc.boolean(),
        (text, before, [open, close], after, slash, isUpper) => {
          const line = `${slash}${isUpper ? text.toUpperCase() : text}`
          expect(
            parseChat(before + open + line + close + after).kind,
            JSON.stringify(before + open + line + close + after),
          ).toBe('commands')
        },
      ),
      { numRuns: tries(3000) },
    )
  })

  test('and no text is lost or reordered: every line of a command message is accounted for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('/hooks on', 'text', '/usr/bin', '`/new`', '//x', '/stop now'), {
          minLength: 1,
          maxLength: 8,
        }),
        (all) => {
          const lines = ['/hooks', ...all]
          expect(read(lines.join('\n'))).toHaveLength(lines.length)
        },
      ),
    )
  })

  test('prose is handed on as it came, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const parsed = parseChat(text)
        if (
          parsed.kind === 'prose' &&
          !/^[\s\p{Cf}\p{Cc}`~\u2800\p{Default_Ignorable_Code_Point}]*[/／]/u.test(text)
        )
          expect(parsed.text).toBe(text)
      }),
    )
  })

  test('a megabyte of anything is read in a moment', () => {
    const tookMs = measureProcessor()
    for (const text of ['/', '`', '```', '/a ', '/a\n', '\u200B', ' ', '`a`', '~', '//', '\r', '/hooks on `'])
      parseChat(text.repeat(1_000_000 / text.length))
    expect(tookMs()).toBeLessThan(stretched(5000))
  })
})

test("a phone's quotes and dashes are folded back", () => {
  expect(foldTypography('python3 “a b.py” —flag –v ‘x’ ｏｎ')).toBe(`python3 "a b.py" --flag -v 'x' on`)
  expect(foldTypography('„low“ «guillemets» ‐‑‒−')).toBe('"low" "guillemets" ----')
})

test('the first word and the rest, exactly', () => {
  expect(firstWord('approve  a  b ')).toEqual(['approve', 'a  b'])
  expect(firstWord('')).toEqual(['', ''])
})

import { describe, expect, test } from 'vitest'
import { find } from '../../../../src/handlers/builtins/redact/find.ts'
import { joinSpans, replaceSpans } from '../../../../src/handlers/builtins/redact/span.ts'
import { disguises } from './disguises.ts'
import { furtherDisguises } from './further-disguises.ts'
import { madeSecrets } from './made-secrets.ts'
import { seeded } from './seeded.ts'

const redacted = async (text: string): Promise<string> => replaceSpans(text, await find(text))
const github = (): string => madeSecrets['github']?.(seeded(11)) ?? ''
/** Everything here is changed when it is read, and nothing of it is when a secret near it is taken out. */
const dressed =
  'a&amp;b <i>c</i> **d** \\_e\\_ ｆ g\u0332 \u202eh\u202c 50%25 \\u0069 [j](https://k.example) é ﬁ 𝓵 👩‍👩‍👧 dGhpcyBpcyBqdXN0IHRleHQ=\r\n'

describe('a disguised secret', () => {
  test.each(Object.entries(disguises))(
    'is replaced where it stands, and every other unit of the text stays: %s',
    async (_name, { write, mayStay }) => {
      const written = write(github())
      const said = await redacted(`${dressed}(${written})${dressed}`)
      expect(said.startsWith(`${dressed}(`)).toBe(true)
      expect(said.endsWith(`)${dressed}`)).toBe(true)
      const place = said.slice(dressed.length + 1, -dressed.length - 1)
      expect(mayStay === undefined ? place : place.replaceAll(mayStay, '')).toBe('[redacted: github]')
    },
  )

  test.each(Object.entries(furtherDisguises).filter(([, { isSeen }]) => isSeen))(
    'is found when it is written so: %s',
    async (_name, { write }) => {
      const said = await redacted(`Here it is: ${write(github())} and please keep it.`)
      expect(said).toContain('[redacted: github]')
      expect(said).toMatch(/^Here it is: /)
      expect(said).toMatch(/ and please keep it\.$/)
    },
  )

  test('is found as the words of a text that is encoded as a whole, and the rest of the code stays', async () => {
    const code = Buffer.from(`Dear Anna, the token is ${github()}, and so on. Kind regards.`).toString(
      'base64',
    )
    const said = await redacted(`${dressed}${code}${dressed}`)
    const [before = '', after = ''] = said.slice(dressed.length, -dressed.length).split('[redacted: github]')
    expect(Buffer.from(before, 'base64').toString()).toBe('Dear Anna, the token is ')
    expect(code.endsWith(after)).toBe(true)
    expect(after.length).toBeGreaterThan(20)
  })

  test('is found when it is encoded three times, and not when it is more often: that is the bound', async () => {
    const encode = (text: string): string => Buffer.from(text).toString('base64')
    expect(await redacted(encode(encode(encode(`the key: ${github()}`))))).toContain('[redacted: github]')
    const deeper = encode(encode(encode(encode(`the key: ${github()}`))))
    expect(await redacted(deeper)).toBe(deeper)
  })

  test('is not what the words of code make of a mark', async () => {
    const code = [
      "shape('google', 'AIza', wordOrDash, 35),\n  shape('google', 'GOCSPX-', wordOrDash, 28),",
      'const _symptomhf_isWrittenByTheAppForItsOwnUseInLogs = 1',
      "shape('notion', 'ntn_', word, 46),\n  open('pypi', strung('pypi-AgEIcHlwaS5vcmc'), wordOrDash)",
    ].join('\n')
    expect(await redacted(code)).toBe(code)
  })

  test('is found by its mark alone where what follows hardly looks random', async () => {
    const spare = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`
    expect(await redacted(`${spare} and xoxs-1200000000-1200000001-1200000002-d0123`)).toBe(
      '[redacted: age] and [redacted: slack]',
    )
  })

  test('is replaced twice where there are two of them', async () => {
    const written = (name: string): string => disguises[name]?.write(github()) ?? ''
    expect(await redacted(`${written('percent')} and ${written('hex')}\n\n${written('HTML entities')}`)).toBe(
      '[redacted: github] and [redacted: github]\n\n[redacted: github]',
    )
  })
})

describe('a secret with letters around it', () => {
  const letters = seeded(12)
  const whole = Object.entries(madeSecrets).filter(([kind]) => !/PEM|seed|database/.test(kind))
  test.each(whole)('is found, however many they are and of whatever script: %s', async (_kind, make) => {
    const secret = make(letters)
    for (const [before, behind] of [
      [letters.letters(13), ''],
      ['', letters.letters(7)],
      [letters.letters(500), letters.letters(500)],
      ['密码', '密码'],
      ['код', 'код'],
      // Another beginning of the same kind, which takes some of its letters.
      [`${secret.slice(0, 14)}${letters.letters(9)}`, ''],
    ] as const) {
      const said = await redacted(`see ${before}${secret}${behind} it is`)
      expect(said, `${before} ${behind}`).toContain('[redacted: ')
      expect(said).not.toContain(secret.slice(-12))
      expect(said).toMatch(/^see [^]* it is$/)
    }
  })

  test('is found in two pieces', async () => {
    const secret = github()
    expect(
      await redacted(
        `${letters.letters(20)}${secret.slice(0, 20)}\n${secret.slice(20)}${letters.letters(9)}`,
      ),
    ).toContain('[redacted: github]')
  })

  test.each([
    ['sk_prod_', letters.letters(24)],
    ['rk_prod_', letters.letters(99)],
    ['shptka_', letters.letters(32, '0123456789abcdef')],
    ['glpat-', letters.letters(128)],
  ])('is found in two pieces with each mark of its vendor: %s', async (mark, body) => {
    const [first, second] = [body.slice(0, 11), body.slice(11)]
    expect(await redacted(`It is ${mark}${first}" +\n "${second}.`)).toMatch(/^It is \[redacted: [a-z]+\]\.$/)
    expect(await redacted(`It is ${mark.slice(0, 4)}\n${mark.slice(4)}${body}.`)).toMatch(
      /^It is \[redacted: [a-z]+\]\.$/,
    )
  })

  test('is found behind the name that says what it is, and that name may be part of a longer one', async () => {
    const key = letters.letters(64, '0123456789abcdef')
    expect(await redacted(`MY_PRIVATE_KEY=${key}`)).toBe('MY_PRIVATE_KEY=[redacted: private key]')
    expect(await redacted(`my_private_key: ${key}ab`)).toBe('my_private_key: [redacted: private key]')
  })
})

describe('what only looks like one', () => {
  test.each([
    'ghp_ is the prefix that tokens of GitHub have, and all of them are forty letters long in the end',
    'A K I A and then sixteen more capitals and digits, as Amazon says',
    'sk-ant-api03- with the key after it, which I do not have, and nobody else has it either, so ask again tomorrow when they are back in the office',
    'FANTASIANDMOREOFTHELETTERS, and task-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b1a2b3c4d5e6f7081',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'ghp_****',
    dressed,
  ])('stays: %s', async (text) => {
    expect(await redacted(text)).toBe(text)
  })
})

test('Spans lie within the text and none touches another, whatever is read', async () => {
  const chance = seeded(3)
  const signs = [
    '&#103;',
    '%67',
    'g\u0332',
    'ｈ',
    '\\u0070',
    '<b>',
    '</b>',
    '**',
    '_',
    '\\_',
    '\u200b',
    'ghp_',
    'a1B2',
    '\n',
    'eyJ',
    '.',
    'dG9r',
    'abandon ',
    'about',
    '𝟏',
    '5',
    ' ',
    '👩‍👧',
    '-----BEGIN PRIVATE KEY-----',
  ]
  for (let count = 0; count < 300; count++) {
    const text = Array.from({ length: 1 + chance.below(120) }, () => chance.pick(signs)).join('') + github()
    let from = 0
    for (const { start, end } of joinSpans(await find(text))) {
      expect(start).toBeGreaterThanOrEqual(from)
      expect(end).toBeGreaterThan(start)
      expect(end).toBeLessThanOrEqual(text.length)
      from = end
    }
  }
})

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { decodedIn } from '../../../src/handlers/builtins/redact/disguises/encoded.ts'
import { unseparated } from '../../../src/handlers/builtins/redact/disguises/separated.ts'
import { findSplit } from '../../../src/handlers/builtins/redact/disguises/split.ts'
import { findAssigned } from '../../../src/handlers/builtins/redact/secrets/assigned.ts'
import { findKubernetes } from '../../../src/handlers/builtins/redact/secrets/kubernetes.ts'
import { findNamed, findTokens } from '../../../src/handlers/builtins/redact/secrets/own-rules.ts'
import { findSeedPhrases } from '../../../src/handlers/builtins/redact/secrets/seed-phrase.ts'
import { pieceUnits } from '../../../src/handlers/builtins/redact/secrets/pieces.ts'
import { findPersonal } from '../../../src/handlers/builtins/redact/personal/find.ts'
import { createScanner } from '../../../src/handlers/builtins/redact/scanner.ts'

const scanner = createScanner()
afterAll(() => scanner.stop())

test('Text that is made to be slow to look at stays within a second for each 64 Ki', async () => {
  const hostile = [
    '-----BEGIN PRIVATE KEY-----',
    'eyJ-',
    'bearer ',
    'abandon ',
    'xoxb-1-',
    'mongodb://a:',
    'https://',
    'ghs_1_a.',
    'private key: ',
    '1234567890:AA',
    'a',
    'e y J a ',
    '<a ',
    '<!--',
    '&#',
    '%25',
    '\\_',
    '](',
    '\u200b',
    'g\u0332',
    '\u202e',
    '5',
    'a1',
    'Z2hwXw',
    'aGVsbG8gd29ybGQsIGhvdyBhcmUgeW91 ',
    'a-',
    'ab.Cd.',
    '=41',
    '+AGcAaABw-',
    '101 ',
    '_phg',
    'ABCDEFGH',
    `${'1'.repeat(55)} `,
    '00000010 6768 ',
    'key=',
    'value: "',
    'secret=a1b2c3d4e5f6g7h8 ',
    'token="a1',
    'name: A1\nvalue: "b2',
    '://a:1',
    '--token ',
    'token is ',
    'login a password ',
    'ENV A ',
    'curl -u a:b1 ',
    'kind: Secret\ndata:\n  a: ',
    '"kind":"Secret","data":{',
    'BUNDLE_A__B',
    'xapp-1-',
    'AAAAAAAAAA',
  ].map((piece) => piece.repeat(pieceUnits / piece.length))
  expect(await scanner.scan(hostile, { timeoutMs: 20_000 })).toHaveProperty('spans')
})

test('Personal data is looked for in 1 MB of digits, of dots and of ordinary text within 150 ms', async () => {
  const spent: Record<string, number> = {}
  for (const piece of ['5', '.', 'The plan of 2026 has 3 parts, and part 12 costs 1,299 euros. ']) {
    const text = piece.repeat(1_000_000 / piece.length)
    // The first run is for the compiler of the thread.
    for (let round = 0; round < 2; round++) {
      const begunAtMs = performance.now()
      expect(await scanner.scan([text], { timeoutMs: 20_000, subject: 'personal' })).toEqual({ spans: [[]] })
      spent[piece] = performance.now() - begunAtMs
    }
  }
  expect(Object.entries(spent).filter(([, ms]) => ms > 150)).toEqual([])
})

test('The time grows with the text, and not with its square: 16 times as much takes less than 64 times as long', () => {
  const slowest = [
    '1 ',
    '1234567 ',
    '\n1234567',
    '1234 5678901 ',
    '(0',
    '+1 ',
    '+49 30 9018200 ',
    '4111 ',
    'DE89 3704 ',
    'a@b.',
    'phone 1234567 ',
    '\uff11',
  ].map((piece) => {
    const spent = [1, 16].map((times) => {
      const text = piece.repeat((times * 20_000) / piece.length)
      return Math.min(
        ...Array.from({ length: 3 }, () => {
          const begunAtMs = performance.now()
          findPersonal(text)
          return performance.now() - begunAtMs
        }),
      )
    })
    return [piece, (spent[1] ?? 0) / (spent[0] ?? 1)] as const
  })
  expect(slowest.filter(([, growth]) => growth > 64)).toEqual([])
})

const source = join(import.meta.dirname, '../../../src')
const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(source, name), 'utf8') }))

test.each<[string, (units: number) => string]>([
  [
    'code',
    (units) =>
      sources
        .map(({ text }) => text)
        .join('')
        .slice(0, units),
  ],
  ['hex', (units) => randomBytes(units / 2).toString('hex')],
  ['base64', (units) => randomBytes((units * 3) / 4).toString('base64')],
  ...['-', 'Kw', 'key=', 'token: "a1b2c3d4e5 ', 'kind: Secret\n', 'xoxb-1-', 'curl -u a:b1 '].map(
    (piece): [string, (units: number) => string] => [piece, (units) => piece.repeat(units / piece.length)],
  ),
])('Eight times the text costs the rules and the readings some eight times as much: %s', (_what, write) => {
  const [short, long] = [2 ** 17, 2 ** 20].map((units) => {
    const text = write(units)
    const all = [
      findTokens,
      findNamed,
      findAssigned,
      findKubernetes,
      findSeedPhrases,
      findSplit,
      decodedIn,
      unseparated,
    ]
    return Math.min(
      ...Array.from({ length: 3 }, () => {
        const fromMs = performance.now()
        for (const look of all) look(text)
        return performance.now() - fromMs
      }),
    )
  }) as [number, number]
  expect(long).toBeLessThan(50 + short * 20)
})

test('This project’s own sources hold no secret', async () => {
  const scan = await scanner.scan(
    sources.map(({ text }) => text),
    { timeoutMs: 60_000 },
  )
  expect('spans' in scan ? sources.filter((_, index) => (scan.spans[index] ?? []).length > 0) : scan).toEqual(
    [],
  )
})

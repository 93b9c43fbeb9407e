import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { pieceUnits } from '../../../src/hooks/builtins/redact/secrets/pieces.ts'
import { createScanner } from '../../../src/hooks/builtins/redact/scanner.ts'

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
  ].map((piece) => piece.repeat(pieceUnits / piece.length))
  expect(await scanner.scan(hostile, { timeoutMs: 20_000 })).toHaveProperty('spans')
})

test('This project’s own sources hold no secret', async () => {
  const source = join(import.meta.dirname, '../../../src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const scan = await scanner.scan(
    files.map((name) => readFileSync(join(source, name), 'utf8')),
    { timeoutMs: 60_000 },
  )
  expect('spans' in scan ? files.filter((_, index) => (scan.spans[index] ?? []).length > 0) : scan).toEqual(
    [],
  )
})

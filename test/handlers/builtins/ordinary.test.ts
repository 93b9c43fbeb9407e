import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createScanner } from '../../../src/handlers/builtins/redact/scanner.ts'
import { replaceSpans } from '../../../src/handlers/builtins/redact/span.ts'

const scanner = createScanner({ batchWithinMs: 20_000 })
afterAll(() => scanner.stop())
const folder = join(import.meta.dirname, '../../fixtures/ordinary')

/** The personal data that it names. */
const personal = /noreply@example\.com|DE89 3704 0044 0532 0130 00|\+49 30 901820/

test.each(readdirSync(folder).flatMap((name) => [[name, 'secrets'] as const, [name, 'personal'] as const]))(
  'Ordinary text stays as it is: %s, %s',
  async (name, subject) => {
    const lines = readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => subject === 'secrets' || !personal.test(line))
    const scan = await scanner.scan(lines, { timeoutMs: 20_000, subject })
    expect(
      'spans' in scan ? lines.map((line, index) => replaceSpans(line, scan.spans[index] ?? [])) : scan,
    ).toEqual(lines)
  },
)

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createScanner } from '../../../src/hooks/builtins/redact/scanner.ts'
import { replaceSpans } from '../../../src/hooks/builtins/redact/span.ts'

const scanner = createScanner({ batchWithinMs: 20_000 })
afterAll(() => scanner.stop())
const folder = join(import.meta.dirname, '../../fixtures/ordinary')

test.each(readdirSync(folder))('Ordinary text stays as it is: %s', async (name) => {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n')
  const scan = await scanner.scan(lines, { timeoutMs: 20_000 })
  expect(
    'spans' in scan ? lines.map((line, index) => replaceSpans(line, scan.spans[index] ?? [])) : scan,
  ).toEqual(lines)
})

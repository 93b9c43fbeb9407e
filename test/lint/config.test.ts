import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { lintConfig } from './config.ts'

const file = resolve(import.meta.dirname, '../../.oxlintrc.json')

test('the configuration of the lint tool is the one that the table of import rules makes (UPDATE=1 writes it)', () => {
  const made = `${JSON.stringify(lintConfig, undefined, 2)}\n`
  if (process.env['UPDATE'] === '1') writeFileSync(file, made)
  expect(readFileSync(file, 'utf8')).toBe(made)
})

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { forgeries } from '../src/attack/table.ts'

const folder = resolve(import.meta.dirname, '../.github')
const page = readFileSync(resolve(folder, 'SECURITY.md'), 'utf8')

test('every test and table that the page on security names is there', () => {
  const files = [...page.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => !existsSync(resolve(folder, file)))).toEqual([])
})

test('the page names each forgery that repeats a known attack', () => {
  const known = forgeries.map(({ name }) => name).filter((name) => name.startsWith('known.'))
  expect(known.length).toBeGreaterThan(0)
  expect(known.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('each row of known attacks says what was tried, and what holds it or that it is open', () => {
  const rows = page
    .slice(page.indexOf('| what happened elsewhere'), page.indexOf('## The OWASP'))
    .split('\n')
    .filter((line) => line.startsWith('| '))
  for (const row of rows.slice(1)) {
    const [, happened = '', tried = '', held = ''] = row.split('|').map((cell) => cell.trim())
    expect([happened === '', tried === '', /\]\(|^open/.test(held)], row).toEqual([false, false, true])
  }
})

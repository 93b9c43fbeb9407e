import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Expects the part of a page between its marks to be `rendered`; with UPDATE=1 it is written instead. */
export const expectGenerated = (page: URL, name: string, rendered: string): void => {
  const [opening, closing] = [`<!-- generated: ${name} -->`, `<!-- /generated: ${name} -->`]
  const text = readFileSync(page, 'utf8')
  const [before, rest, ...more] = text.split(opening)
  const [between, after] = (rest ?? '').split(closing)
  expect([more.length, typeof after], `${opening} and ${closing} each stand in the page once`).toEqual([
    0,
    'string',
  ])
  const expected = `\n${rendered}\n`
  if (process.env['UPDATE'] === '1') writeFileSync(page, `${before}${opening}${expected}${closing}${after}`)
  else expect(between, 'the page is old: run this test with UPDATE=1').toBe(expected)
}

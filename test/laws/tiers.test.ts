import { globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tiers } from '../tiers.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const files = globSync('test/**/*.ts', { cwd: root, exclude: ['**/node_modules'] }).toSorted()
const tiersOf = (file: string): readonly string[] =>
  Object.entries(tiers).flatMap(([name, { include }]) =>
    include.some((glob) => matchesGlob(file, glob)) ? [name] : [],
  )

/**
 * What a file of the tests imports from the tests, and what those import in turn. A type is gone before it
 * runs.
 */
const reachedFrom = (file: string, known = new Set<string>()): ReadonlySet<string> => {
  if (known.has(file)) return known
  known.add(file)
  const imports = read(file)
    .replaceAll(/^import type .*$/gm, '')
    .matchAll(/from '(\.{1,2}\/[^']+)'/g)
  for (const [, name = ''] of imports) {
    const reached = join(dirname(file), name)
    if (files.includes(reached)) reachedFrom(reached, known)
  }
  return known
}

test('each tier has a script, and each file whose name says a tier belongs to that tier', () => {
  const { scripts } = JSON.parse(read('package.json')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(tiers)) {
    expect(scripts[name === 'quick' ? 'test' : `test:${name}`], name).toContain(`--project ${name}`)
  }
  for (const file of files) {
    const [, kind = ''] = /\.(test|smoke|integration|e2e|property|attack|fleet|load)\.ts$/.exec(file) ?? []
    const expected = { test: ['quick'], property: ['quick', 'property'] }[kind] ?? (kind === '' ? [] : [kind])
    expect([file, tiersOf(file)]).toEqual([file, expected])
  }
})

test('nothing in the quick tier starts a browser or makes users', () => {
  const heavy = ['test/e2e/browser.ts', 'test/isolation/people.ts']
  for (const file of heavy) expect(files).toContain(file)
  const quick = files.filter((file) => tiersOf(file).includes('quick') && file !== 'test/laws/tiers.test.ts')
  const wrong = quick.filter((file) => {
    const reached = [...reachedFrom(file)]
    return reached.some((one) => heavy.includes(one) || /\bplaywright-core\b|\buseradd\b/.test(read(one)))
  })
  expect(wrong).toEqual([])
})

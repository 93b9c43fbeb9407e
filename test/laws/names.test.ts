import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
/** A type name that means something else in each folder makes the reader look it up each time. */
const maxPlaces = 2

test('no name of a type is declared in more than two places', () => {
  const places = new Map<string, string[]>()
  for (const file of globSync('{src,bots}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })) {
    const source = readFileSync(resolve(root, file), 'utf8')
    for (const [, name = ''] of source.matchAll(/^(?:export )?(?:interface|type) (\w+)/gm))
      places.set(name, [...(places.get(name) ?? []), file])
  }
  expect([...places].filter(([, files]) => files.length > maxPlaces)).toEqual([])
})

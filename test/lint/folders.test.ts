import { globSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** More than these are not seen at one look. */
const maxFiles = 15

test('no folder of src and bots has more than 15 files directly in it', () => {
  const files = globSync('{src,bots}/**/*.*', {
    cwd: resolve(import.meta.dirname, '../..'),
    exclude: ['**/node_modules'],
  })
  const folders = Map.groupBy(files, (file) => dirname(file))
  expect([...folders].filter(([, inside]) => inside.length > maxFiles).map(([folder]) => folder)).toEqual([])
})

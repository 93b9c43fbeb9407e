import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
/** The formatter sets the width of code, and leaves comments as they are. */
const maxColumns = 110

test('no comment is wider than the code', () => {
  const wide: string[] = []
  for (const file of globSync('{src,bots,test}/**/*.{ts,js}', { cwd: root, exclude: ['**/node_modules'] })) {
    if (file.startsWith('test/fixtures/')) continue
    for (const [index, line] of readFileSync(resolve(root, file), 'utf8').split('\n').entries())
      if (line.length > maxColumns && /^\s*(?:\/\/|\/\*\*?|\*) [^@]/.test(line))
        wide.push(`${file}:${index + 1}`)
  }
  expect(wide).toEqual([])
})

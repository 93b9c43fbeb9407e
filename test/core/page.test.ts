import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { closureOf } from './closure.ts'
import { faces } from './edge.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const page = read('src/core/README.md')

const has = (file: string, name: string): boolean =>
  existsSync(join(root, file)) && new RegExp(`\\b${name}\\b`).test(read(file))

test('each function of a drawing is in the file beside it', () => {
  const steps = [...page.matchAll(/^ +(src\/core\/\S+\.ts) +(\w+)/gm)]
  expect(steps.length).toBeGreaterThan(20)
  for (const [step, file = '', name = ''] of steps) expect(has(file, name), step).toBe(true)
})

const quoted = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('each law names functions of the files that it rests on', () => {
  const laws = rows.filter(([, , files = '']) =>
    quoted(files).some((file) => /^(?!bots|src)\w+\//.test(file)),
  )
  expect(laws.length).toBeGreaterThan(9)
  for (const [, law, files = '', functions = ''] of laws) {
    const paths = quoted(files).map((file) => `src/core/${file}`)
    for (const name of quoted(functions))
      expect(
        paths.some((file) => has(file, name)),
        `${law} ${name} in ${files}`,
      ).toBe(true)
    expect(paths.filter((file) => !existsSync(join(root, file)))).toEqual([])
  }
})

test('every file and folder that the page names is there, and what it counts is so', () => {
  const named = [
    ...page.matchAll(
      /`((?:src|bots|test)\/[\w./-]+|(?:model|inbox|hooks|gatekeeper|dispatcher|commands)\/[\w./-]*)`/g,
    ),
  ]
  for (const [, path = ''] of named)
    expect(existsSync(join(root, /^(?:src|bots|test)\//.test(path) ? path : `src/core/${path}`)), path).toBe(
      true,
    )
  expect(page).toContain('functions of the core from thirteen files')
  expect(Object.keys(faces)).toHaveLength(13)
  expect(closureOf().packages).toHaveLength(3)
})

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const readme = readFileSync(resolve(root, 'README.md'), 'utf8')
const map = readme.slice(readme.indexOf('## The map'))
const mapped = new Set(
  [...map.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  ),
)

test('the map names every folder of the house, and nothing that is not there', () => {
  const folders = (parent: string): readonly string[] =>
    readdirSync(resolve(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${parent}${name}/`)
  const expected = [
    ...folders('src/'),
    'bots/',
    'config/',
    'examples/',
    'test/',
    'src/cli.ts',
    'src/main.ts',
    'src/index.ts',
  ]
  expect([...mapped].toSorted()).toEqual(expected.toSorted())
  for (const bot of folders('bots/')) expect(map).toContain(`\`${bot.slice('bots/'.length)}\``)
})

test('every file that the README links or shows is there', () => {
  for (const [, file = ''] of readme.matchAll(/\]\((?!http)([^)#]+)\)/g))
    expect(existsSync(resolve(root, file)), file).toBe(true)
})

test('the hook of the README blocks on a Friday, and has no opinion on another day', () => {
  const hook = /```sh\n(#!\/bin\/sh\n[^]+?)```/.exec(readme)?.[1] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-readme-'))
  const on = (day: number): string => {
    writeFileSync(join(folder, 'date'), `#!/bin/sh\necho ${day}\n`, { mode: 0o755 })
    // Throws for any exit code but 0.
    return execFileSync('sh', ['-c', hook], {
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    })
  }
  expect(JSON.parse(on(5))).toEqual({ decision: 'block', reason: 'no deploys on a Friday' })
  expect(on(7)).toBe('')
  rmSync(folder, { recursive: true })
})

test('the top of the tree holds only what it should', () => {
  const known = [
    'LICENSE',
    'README.md',
    'bots',
    'config',
    'dist',
    'examples',
    'node_modules',
    'package-lock.json',
    'package.json',
    'src',
    'test',
    'tsconfig.json',
  ]
  expect(readdirSync(root).filter((name) => !name.startsWith('.') && !known.includes(name))).toEqual([])
})

test('the two lines of the README are scripts of the package', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(resolve(root, 'package.json'), 'utf8'),
  )
  expect(readme).toContain('npm install && npm start')
  expect(readme).toContain('npm install && npm test')
  for (const [, script = ''] of readme.matchAll(/`(?:npm run )?(lint|typecheck|build|bench)`/g))
    expect(scripts).toHaveProperty(script)
})

test('no file holds a registry address, and the lock file names none', () => {
  expect(readFileSync(resolve(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "http/)
})

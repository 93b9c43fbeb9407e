import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readShellHooks } from '../src/proposals/sources/shell-hooks.ts'
import { ofEach } from './of-each.ts'

const root = resolve(import.meta.dirname, '..')
const readme = readFileSync(resolve(root, 'README.md'), 'utf8')
test('the README has at most 1000 words', () => {
  expect(readme.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(1000)
})

const pages = globSync(
  ['*.md', '.github/*.md', '{bots,config,src}/**/*.md', 'test/*.md', 'test/*/README.md'],
  {
    cwd: root,
    exclude: ['**/node_modules'],
  },
)

/** A heading as a link names it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
const anchorsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

test.each(pages)('every link of %s leads to a file that is there, and to a heading of it', (page) => {
  const links = [
    ...readFileSync(resolve(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g),
  ]
  const wrong = links.flatMap(([link, file = '', anchor]) => {
    const target = file === '' ? resolve(root, page) : resolve(root, dirname(page), file)
    if (!existsSync(target)) return [link]
    return anchor === undefined || anchorsIn(readFileSync(target, 'utf8')).includes(anchor) ? [] : [link]
  })
  expect(wrong).toEqual([])
})

test('every page that the README names is in the package, too', () => {
  const { files }: { files: readonly string[] } = JSON.parse(
    readFileSync(resolve(root, 'package.json'), 'utf8'),
  )
  const packed = globSync(
    files.flatMap((name) => [name, `${name}/**`]),
    { cwd: root },
  )
  const named = [...readme.matchAll(/\]\((?!https?:)([^)#]+\.md)/g)].map(([, page = '']) => page)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((page) => !packed.includes(page))).toEqual([])
})

// npm 11 installs what is optional all the same: https://github.com/npm/cli/issues/8284
test('no page tells to leave out packages in an installation for all, because npm does not do it', () => {
  const lines = pages.flatMap((page) => readFileSync(resolve(root, page), 'utf8').split('\n'))
  expect(lines.some((line) => line.includes('npm install') && line.includes('--omit'))).toBe(true)
  expect(lines.filter((line) => /npm install .*(?:--global|-g )/.test(line) && /--omit/.test(line))).toEqual(
    [],
  )
})

test('a page that is copied into the workspace links only to others that are', () => {
  const leaving = pages
    .filter((page) => page.startsWith('config/context/'))
    .flatMap((page) =>
      [...readFileSync(resolve(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .map(([, file = '']) => resolve(root, dirname(page), file))
        .filter((target) => !target.startsWith(resolve(root, 'config/context/'))),
    )
  expect(leaving).toEqual([])
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

test('the README proposes its hook as the reader takes it: pasted under hooks: of the file that is there', () => {
  const [, where = '', yaml = ''] = /([^\n]+)\n\n```yaml\n([^]+?)```/.exec(readme) ?? []
  expect(where).toContain('under `hooks:` of `~/hookgate/config/shell_hooks.yaml`')
  const before = readFileSync(resolve(root, 'config/shell_hooks.yaml'), 'utf8')
  const read = (text: string) =>
    readShellHooks(text, 'config/shell_hooks.yaml', { dialects: ofEach({ events: [] }) }).proposed
  const [first, ...others] = read(before.replace('\nhooks:\n', `\nhooks:\n${yaml}`))
  expect(first).toMatchObject({
    kind: 'entry',
    entry: { event: 'pre_tool_call', command: './no_friday.sh', onError: 'block' },
  })
  expect(others).toEqual(read(before))
  expect(others.length).toBeGreaterThan(0)
})

test('the top of the tree holds only what it should', () => {
  const known = [
    'AGENTS.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bots',
    'build.ts',
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

test('the lines of the README are scripts of the package, and the first one is to look', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(resolve(root, 'package.json'), 'utf8'),
  )
  const lines = [...readme.matchAll(/```sh\n(npm install && npm (?:run )?(\w+))\n```/g)]
  expect(lines.map(([, line]) => line)).toEqual([
    'npm install && npm run scan',
    'npm install && npm start',
    'npm install && npm test',
  ])
  for (const [, , name = ''] of lines) expect(scripts).toHaveProperty(name)
})

test('no file holds a registry address, and the lock file names none', () => {
  expect(readFileSync(resolve(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "http/)
})

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findRelease, layOut } from './tree.ts'

let [root, tree] = ['', '']
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookgate-tree-'))
  tree = join(root, 'here')
  mkdirSync(tree)
  git('init', '--quiet')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const git = (...args: readonly string[]): string => {
  const who = ['-c', 'user.name=Mia', '-c', 'user.email=mia@example.org']
  return execFileSync('git', [...who, ...args], { cwd: tree, encoding: 'utf8' }).trim()
}
const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(tree, path)), { recursive: true })
  writeFileSync(join(tree, path), content)
}
/** Resolves with the name of the commit. */
const commit = (files: Readonly<Record<string, string>>): string => {
  for (const [path, content] of Object.entries(files)) write(path, content)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'A change')
  return git('rev-parse', 'HEAD')
}

test('the last release is the last tag of a version before this commit, else the last change of the version', async () => {
  const packageAt = (version: string) => ({ 'package.json': `{\n  "version": "${version}"\n}\n` })
  const first = commit(packageAt('0.1.0'))
  await expect(findRelease(tree)).rejects.toThrow('Expected a release before this commit, got none.')
  commit({ 'a.ts': '1' })
  expect(await findRelease(tree)).toBe(first)
  git('tag', 'v0.1.0')
  commit({ 'a.ts': '2' })
  git('tag', 'later')
  expect(await findRelease(tree)).toBe('v0.1.0')
  // The workflow of a release runs at the commit of its tag.
  commit(packageAt('0.2.0'))
  git('tag', 'v0.2.0')
  expect(await findRelease(tree)).toBe('v0.1.0')
})

test('another revision is laid out with the bench of today, and its sources are found by their names of today', async () => {
  const source = 'export const answer = 42\n'
  const old = commit({
    'src/old.ts': source,
    'test/plane.ts': 'theirs',
    'test/bench/row.ts': 'theirs',
    'test/bench/gone.ts': 'theirs',
  })
  rmSync(join(tree, 'src/old.ts'))
  rmSync(join(tree, 'test/bench/gone.ts'))
  commit({
    'build.ts': 'ours',
    'src/model/base/new.ts': source,
    'test/plane.ts': 'ours',
    'test/until.ts': 'ours',
    'test/bench/row.ts': 'ours',
    'test/bench/old-build.ts': 'how it was built',
    'test/laws/node_modules/large.ts': 'ours',
  })
  const folder = join(root, 'there')
  expect(old.startsWith(await layOut(old, folder, tree))).toBe(true)
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  expect(read('src/model/base/new.ts')).toBe("export * from './../../old.ts'\n")
  expect(['test/plane.ts', 'test/until.ts', 'test/bench/row.ts', 'build.ts'].map(read)).toEqual([
    'theirs',
    'ours',
    'ours',
    'how it was built',
  ])
  for (const path of ['test/bench/gone.ts', 'test/laws/node_modules/large.ts'])
    expect(() => read(path)).toThrow('ENOENT')
  await expect(layOut('nothing', join(root, 'no'), tree)).rejects.toThrow('nothing')
})

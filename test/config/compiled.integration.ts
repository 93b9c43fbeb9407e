import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const program = `
import { getCompileCacheDir } from 'node:module'
const { useCompiled } = await import('./src/config/version.ts')
useCompiled(process.argv[1])
await import('./src/config/home.ts')
console.log(getCompileCacheDir())`
/** The thread ends at once, because this is no beginning of its work. */
const withThread = `${program}
const { takeThread } = await import('./src/compose/proposal-reader/spare.ts')
const thread = takeThread()
thread.ref()
thread.on('error', () => undefined).postMessage({ kind: 'begin', data: {} })`

/** Uses the compiled code of a gate's folder in a process of its own, and returns where Node keeps it. */
const use = (home: string, words = program): string =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', words, home], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

test('compiled code is kept where nobody else can write, for this version alone, and never before the folder is there', () => {
  const home = join(mkdtempSync(join(tmpdir(), 'hookgate-compiled-')), 'home')
  onTestFinished(() => rmSync(resolve(home, '..'), { recursive: true, force: true }))
  expect(use(home)).toBe('undefined')
  expect(existsSync(home)).toBe(false)

  mkdirSync(home)
  const kept = use(home)
  expect(kept.startsWith(join(home, 'compiled'))).toBe(true)
  expect(statSync(join(home, 'compiled')).mode & 0o777).toBe(0o700)
  expect(readdirSync(kept).length).toBeGreaterThan(0)

  mkdirSync(join(home, 'compiled', 'of another version'))
  expect(use(home)).toBe(kept)
  expect(readdirSync(join(home, 'compiled'))).toHaveLength(1)
})

test('the thread that reads proposals keeps its compiled code there, too', () => {
  const home = mkdtempSync(join(tmpdir(), 'hookgate-compiled-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const own = readdirSync(use(home)).length
  expect(readdirSync(use(home, withThread)).length).toBeGreaterThan(own + 20)
})

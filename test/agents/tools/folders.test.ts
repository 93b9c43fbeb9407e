import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureFolder } from '../../../src/agents/tools/folders.ts'

let root = ''
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'hookgate-folders-'))))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('a folder is made with those above it, once, with its mode', () => {
  const path = join(root, 'a/b/c')
  ensureFolder(path, 0o700)
  ensureFolder(path)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  symlinkSync(path, join(root, 'link'))
  ensureFolder(join(root, 'link/d'))
  expect(statSync(join(path, 'd')).isDirectory()).toBe(true)
})

test('what is no folder, or stands in a file, is an error', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  expect(() => ensureFolder(file)).toThrow('EEXIST')
  expect(() => ensureFolder(join(file, 'below'))).toThrow('ENOTDIR')
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'))
  expect(() => ensureFolder(join(root, 'dangling'))).toThrow('EEXIST')
})

test.skipIf(!existsSync('/proc/self/cwd'))(
  'a folder that was deleted while somebody uses it ends in an error',
  async () => {
    const gone = mkdtempSync(join(root, 'gone-'))
    chmodSync(gone, 0o755)
    const user = spawn('sleep', ['60'], { cwd: gone, stdio: 'ignore' })
    await once(user, 'spawn')
    rmdirSync(gone)
    expect(() => ensureFolder(`/proc/${user.pid}/cwd/a/b`)).toThrow('Expected')
    user.kill('SIGKILL')
  },
)

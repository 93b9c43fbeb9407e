import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sha256 } from '../../src/gatekeeper/canonical.ts'
import { createHashCache, maxFileBytes, readSource } from '../../src/gatekeeper/source-file.ts'
import { createFixture, type Fixture } from './gate-fixture.ts'

let fixture: Fixture
let file: string
beforeEach(() => {
  fixture = createFixture()
  file = path.join(fixture.workspace, 'hooks/guard.sh')
})
afterEach(() => fixture.remove())

const codeOf = (target: string, read?: typeof fs.readSync): string => {
  const source = readSource(target, 'x', read)
  if (!('problem' in source)) return 'none'
  expect(source.problem.message).toMatch(/^Expected "x" to be a regular file that can be sealed, got .*\.$/)
  return source.problem.code
}

test('a regular file comes with its bytes, their hash and its executable bit', () => {
  const content = fs.readFileSync(file)
  expect(readSource(file, 'x')).toEqual({ content, sha256: sha256(content), bytes: content.length, isExecutable: true })
  fs.chmodSync(file, 0o644)
  expect(readSource(file, 'x')).toMatchObject({ isExecutable: false })
})

test('a link, a FIFO, a directory, nothing and a device are problems, at once', () => {
  const at = (name: string): string => path.join(fixture.workspace, name)
  fs.symlinkSync(file, at('link'))
  execFileSync('mkfifo', [at('fifo')])
  expect(codeOf(at('link'))).toBe('file.symlink')
  expect(codeOf(at('fifo'))).toBe('file.kind')
  expect(codeOf(at('hooks'))).toBe('file.kind')
  expect(codeOf(at('gone'))).toBe('file.missing')
  expect(codeOf(path.join(file, 'below'))).toBe('file.missing')
  expect(codeOf('/dev/null')).toBe('file.kind')
})

test('a file of more than 16 MiB is a problem before it is read', () => {
  fs.truncateSync(file, maxFileBytes + 1)
  const never = (() => {
    throw new Error('read')
  }) as typeof fs.readSync
  expect(codeOf(file, never)).toBe('file.size')
  fs.truncateSync(file, maxFileBytes)
  expect(codeOf(file)).toBe('none')
})

test.each([
  ['grows', () => fs.appendFileSync(file, 'more')],
  ['shrinks', () => fs.truncateSync(file, 1)],
  ['is written over', () => fs.writeFileSync(file, fs.readFileSync(file, 'utf8').toUpperCase())],
])('a file that %s while it is copied is a problem', (_, change) => {
  // An old stamp, so that the write below cannot fall into the same tick.
  fs.utimesSync(file, 1, 1)
  let isFirst = true
  const read = ((...args: Parameters<typeof fs.readSync>) => {
    const count = fs.readSync(...args)
    if (isFirst) change()
    isFirst = false
    return count
  }) as typeof fs.readSync
  expect(codeOf(file, read)).toBe('file.changed')
})

test('the cache sees every change of bytes, even of the same length under a restored mtime, and at once', () => {
  const hashOf = createHashCache()
  const now = (): string => {
    const source = hashOf(file, 'x')
    return 'problem' in source ? source.problem.code : source.sha256
  }
  for (let round = 0; round < 200; round++) {
    fs.writeFileSync(file, `round ${String(round).padStart(4, '0')}`)
    fs.utimesSync(file, 1, 1)
    expect(now()).toBe(sha256(fs.readFileSync(file)))
  }
})

test('the cache trusts no stamp that is still fresh, and opens no file again that has not moved since', async () => {
  const hashOf = createHashCache()
  const open = vi.spyOn(fs, 'openSync')
  const hasOpened = (): boolean => {
    open.mockClear()
    hashOf(file, 'x')
    return open.mock.calls.length > 0
  }
  try {
    await vi.waitFor(() => {
      fs.writeFileSync(file, 'fresh')
      hashOf(file, 'x')
      expect(hasOpened()).toBe(true)
    })
    fs.utimesSync(file, 1, 1)
    await vi.waitFor(() => expect(hasOpened()).toBe(false))
    // The same length and the same mtime: only ctime tells.
    fs.writeFileSync(file, 'FRESH')
    fs.utimesSync(file, 1, 1)
    expect(hashOf(file, 'x')).toMatchObject({ sha256: sha256('FRESH') })
  } finally {
    open.mockRestore()
  }
})

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sha256 } from '../../../../src/core/model/approval/canonical.ts'
import { maxFileBytes, readSource } from '../../../../src/core/model/approval/source-file.ts'
import { createSourceCache } from '../../../../src/shared/gate/source-cache.ts'
import { createFixture, type Fixture } from '../../gatekeeper/gate-fixture.ts'
import { until } from '../../../until.ts'

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
  expect(readSource(file, 'x')).toEqual({
    content,
    sha256: sha256(content),
    bytes: content.length,
    isExecutable: true,
  })
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

test('a link on the way, one that leads nowhere, one that leads to itself and a socket are problems', async () => {
  const at = (name: string): string => path.join(fixture.workspace, name)
  fs.mkdirSync(path.join(fixture.root, 'outside'))
  fs.writeFileSync(path.join(fixture.root, 'outside/secret'), 'secret')
  fs.symlinkSync(path.join(fixture.root, 'outside'), at('way'))
  fs.symlinkSync('nowhere', at('dangling'))
  fs.symlinkSync('loop', at('loop'))
  expect(codeOf(at('dangling'))).toBe('file.symlink')
  expect(codeOf(at('loop'))).toBe('file.symlink')
  expect(codeOf(at('loop/x'))).toBe('file.symlink')
  expect(readSource(at('way/secret'), 'way/secret')).toEqual({
    problem: {
      code: 'file.symlink',
      message: `Expected "way/secret" to be a regular file that can be sealed, got a path that leads through a symbolic link, to "${fixture.root}/outside/secret".`,
      fix: 'Name it by that path.',
    },
  })
  const server = net.createServer().listen(at('socket'))
  await once(server, 'listening')
  expect(codeOf(at('socket'))).toBe('file.kind')
  server.close()
})

test('a device and what the system only shows as a file are never opened: that alone can do harm', () => {
  const open = vi.spyOn(fs, 'openSync')
  try {
    for (const file of ['/dev/null', '/proc/kmsg', '/sys/kernel/profiling'])
      expect(codeOf(file)).toBe('file.kind')
    fs.symlinkSync('/dev', path.join(fixture.workspace, 'devices'))
    expect(codeOf(path.join(fixture.workspace, 'devices/null'))).toBe('file.kind')
    expect(open).not.toHaveBeenCalled()
  } finally {
    open.mockRestore()
  }
})

test('a file of no bytes is one, and one that may not be read is a problem', () => {
  fs.writeFileSync(file, '')
  expect(readSource(file, 'x')).toMatchObject({ bytes: 0, sha256: sha256('') })
  fs.chmodSync(file, 0)
  // Root may read everything.
  const isRoot = process.geteuid?.() === 0
  if (isRoot) {
    for (const folder of [fixture.root, fixture.workspace, path.dirname(file)]) fs.chmodSync(folder, 0o755)
    process.seteuid?.(65_534)
  }
  try {
    expect(codeOf(file)).toBe('file.unreadable')
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
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
  [
    'is replaced by a rename',
    () => {
      fs.writeFileSync(`${file}.new`, fs.readFileSync(file))
      fs.renameSync(`${file}.new`, file)
    },
  ],
  [
    'is written over under its old times',
    () => {
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').toUpperCase())
      fs.utimesSync(file, 1, 1)
    },
  ],
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
  const hashOf = createSourceCache(({ sha256 }) => ({ sha256 }))
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
  const hashOf = createSourceCache(({ sha256 }) => ({ sha256 }))
  const open = vi.spyOn(fs, 'openSync')
  const hasOpened = (): boolean => {
    open.mockClear()
    hashOf(file, 'x')
    return open.mock.calls.length > 0
  }
  try {
    await until('the file to be opened again', () => {
      fs.writeFileSync(file, 'fresh')
      hashOf(file, 'x')
      return hasOpened()
    })
    fs.utimesSync(file, 1, 1)
    await expect.poll(() => hasOpened()).toBe(false)
    // The same length and the same mtime: only ctime tells.
    fs.writeFileSync(file, 'FRESH')
    fs.utimesSync(file, 1, 1)
    expect(hashOf(file, 'x')).toMatchObject({ sha256: sha256('FRESH') })
  } finally {
    open.mockRestore()
  }
})

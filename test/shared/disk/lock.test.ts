import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockHome } from '../../../src/shared/disk/lock.ts'
import { createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
let file: string
beforeEach(() => {
  fixture = createFixture()
  file = path.join(fixture.home, 'run/gate.lock')
})
afterEach(() => fixture.remove())

const lock = () => lockHome(fixture.home)
const isTaken = (): boolean => {
  const taken = lock()
  if ('release' in taken) taken.release()
  return 'release' in taken
}

const put = (content: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content)
}

const module = new URL('../../../src/shared/disk/lock.ts', import.meta.url).href

test("a second hookgate on the same folder is refused with the first one's process id, until that lets go", () => {
  const first = lock()
  expect(lock()).toMatchObject({
    code: 'home.locked',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  if ('release' in first) first.release()
  expect(fs.existsSync(file)).toBe(false)
  expect(isTaken()).toBe(true)
})

test('another live process holds the lock, and its death gives it free', async () => {
  const code = `const { lockHome } = await import(${JSON.stringify(module)}); const l = lockHome(${JSON.stringify(fixture.home)}); console.log('release' in l); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [said] = await once(child.stdout, 'data')
    expect(String(said)).toBe('true\n')
    expect(lock()).toMatchObject({ code: 'home.locked' })
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  expect(isTaken()).toBe(true)
})

test('a lock of a process that is gone is taken over', () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  put(JSON.stringify({ pid, born: '' }))
  expect(isTaken()).toBe(true)
})

test.skipIf(!fs.existsSync('/proc/self/stat'))(
  'a lock whose number another process has now is taken over',
  () => {
    put(JSON.stringify({ pid: process.pid, born: 'another-boot:1' }))
    expect(isTaken()).toBe(true)
  },
)

test('a lock that is being written now is held, and one that was never finished is not, also where the clock was set back since', () => {
  put('{"pid"')
  expect(lock()).toMatchObject({ code: 'home.locked' })
  for (const agoMs of [60_000, -2 * 3_600_000]) {
    put('{"pid"')
    const then = new Date(Date.now() - agoMs)
    fs.utimesSync(file, then, then)
    expect(isTaken()).toBe(true)
  }
})

test('letting go does not remove a lock that somebody else took', () => {
  const first = lock()
  put('somebody else')
  if ('release' in first) first.release()
  expect(fs.readFileSync(file, 'utf8')).toBe('somebody else')
})

test('a folder that cannot be written is a clear problem', () => {
  fs.mkdirSync(fixture.home)
  fs.writeFileSync(path.join(fixture.home, 'run'), '')
  expect(lock()).toMatchObject({
    code: 'home.unwritable',
    message: expect.stringMatching(/^Expected ".*" to be a folder that hookgate can write/),
  })
})

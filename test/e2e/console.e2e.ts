import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClient } from '../fixtures/page-client.ts'
import { cli, until } from './program.ts'

let home: string
let child: ChildProcess
const log = (): string => readFileSync(join(home, 'log'), 'utf8')
const loginFile = (): string => join(home, '.hookgate', 'secrets', 'login')
const kept = (): string => (existsSync(loginFile()) ? readFileSync(loginFile(), 'utf8') : '')
const linkIn = (text: string): string => /^Open (http:\/\/\S+#\S+)$/m.exec(text)?.[1] ?? ''

/** `hookgate start > log`, or `| tee log` */
const start = async (to: 'file' | 'pipe' = 'file'): Promise<void> => {
  writeFileSync(join(home, 'log'), '')
  const out = openSync(join(home, 'log'), 'a')
  child = spawn(process.execPath, [cli, 'start'], {
    cwd: home,
    stdio: ['pipe', to === 'file' ? out : 'pipe', out],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, HOOKGATE_PORT: '0' },
  })
  closeSync(out)
  child.stdout?.on('data', (chunk: Buffer) => appendFileSync(join(home, 'log'), chunk))
  const mine = child
  await until(
    'hookgate to start',
    () => {
      if (mine.exitCode !== null) throw new Error(`hookgate ended with ${mine.exitCode}:\n${log()}`)
      return /Type \/hooks.*in the chat\.\n/.test(log())
    },
    20_000,
  )
}
const end = async (signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hookgate-console-'))
  await start()
})
afterAll(async () => {
  await end('SIGKILL')
  await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

test('a console that goes to a file shows neither login nor code: they are in a file of the gate’s alone', () => {
  expect(log()).toContain(
    '\nOpen the page with the address in ~/.hookgate/secrets/login\n  (valid once, for 5 minutes; Enter prints a new one)\nOr pair a chat: the /pair line is there too\n  The first person who uses one of them owns this gate.',
  )
  expect(log()).not.toMatch(/#[\w-]{20}|\/pair [A-Z0-9]{8}/)
  expect(linkIn(kept())).not.toBe('')
  expect(kept()).toMatch(/^Or pair a chat: \/pair \S{8}$/m)
  expect((statSync(loginFile()).mode & 0o777).toString(8)).toBe('600')
})

test('Enter puts a new login in its place; once used, it is gone', async () => {
  const first = linkIn(kept())
  child.stdin?.write('\n')
  const second = await until('a new login', () => linkIn(kept()) !== first && linkIn(kept()))
  expect((await (await openClient(second)).post('/api/say', { text: '/whoami' })).status).toBe(202)
  await until('word of it', () => log().includes('You opened the page, so you own this gate now.'))
  expect(existsSync(loginFile())).toBe(false)
  child.stdin?.write('\n')
  const third = await until('a new login', () => linkIn(kept()) || false)
  await openClient(third)
  expect(existsSync(loginFile())).toBe(false)
  expect(log()).not.toMatch(/#[\w-]{20}|\/pair [A-Z0-9]{8}/)
})

test('no login outlives its gate: it goes with the end, or at the next start; a pipe is shown the login itself', async () => {
  child.stdin?.write('\n')
  await until('a new login', () => kept() || false)
  await end('SIGINT')
  expect(existsSync(loginFile())).toBe(false)
  await start()
  const first = kept()
  child.stdin?.write('\n')
  const old = await until('a new login', () => kept() !== first && kept())
  await end('SIGKILL')
  expect(kept()).toBe(old)
  await start('pipe')
  expect(linkIn(log())).not.toBe('')
  expect(existsSync(loginFile())).toBe(false)
})

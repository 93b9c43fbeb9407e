import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { askNpm, isNewer, lookForUpdate, type UpdatePorts } from '../../../src/compose/health/updates.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'

const hourMs = 60 * 60_000
const rig = (latest: string | undefined) => {
  const told: string[] = []
  const facts = new Map<string, string>()
  const state = { latest, nowMs: Date.UTC(2026, 0, 1), asked: 0 }
  const ports: UpdatePorts = {
    version: '1.2.3',
    ask: () => {
      state.asked += 1
      return Promise.resolve(state.latest)
    },
    recall: (key) => Promise.resolve(facts.get(key)),
    remember: (key, value) => Promise.resolve(facts.set(key, value)),
    tell: (text) => void told.push(proseText(text)),
    now: () => state.nowMs,
  }
  return { state, told, look: () => lookForUpdate(ports) }
}

test('npm is asked once a day, and each version is told once', async () => {
  const { state, told, look } = rig('1.10.0')
  for (let hour = 0; hour < 72; hour++) {
    await look()
    state.nowMs += hourMs
  }
  expect(state.asked).toBe(3)
  expect(told).toEqual([
    'hookgate 1.10.0 is out, and this is 1.2.3. → Read its changes, then npm install --global hookgate@latest and restart it. (To hear nothing of it: updates: false in gate.yaml.)',
  ])
  state.latest = '2.0.0'
  state.nowMs += 24 * hourMs
  await look()
  expect(told).toHaveLength(2)
  // The clock was set back.
  state.nowMs -= 1000 * hourMs
  await look()
  expect(state.asked).toBe(5)
})

test.each([undefined, '1.2.3', '1.2.2', '0.9.9', '1.3.0-beta.1', '1.3', '1.3.0\u001B[31m'])(
  'nobody is told of %o',
  async (latest) => {
    const { told, look } = rig(latest)
    await look()
    expect(told).toEqual([])
  },
)

test('versions are compared by their numbers', () => {
  expect(isNewer('1.10.0', '1.9.9')).toBe(true)
  expect(isNewer('2.0.0', '10.0.0')).toBe(false)
  expect(isNewer('1.0.0', '1.0.0')).toBe(false)
})

let folder = ''
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('npm asks the registry that it is set to, gets no secret, and what fails is no version', async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-update-'))
  const heard: string[] = []
  const registry = createServer((request, answer) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    const versions = { '3.1.4': { name: 'hookgate', version: '3.1.4' } }
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify({ name: 'hookgate', 'dist-tags': { latest: '3.1.4' }, versions }))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void registry.close())
  await once(registry, 'listening')
  const address = registry.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  writeFileSync(join(folder, '.npmrc'), `registry=${url}\n`)
  expect(await askNpm(path, folder, { TELEGRAM_BOT_TOKEN: '7:secret' })).toBe('3.1.4')
  expect(heard, heard.join('\n')).toHaveLength(1)
  expect(heard[0]).toMatch(/^GET \/hookgate /)
  expect(heard[0]).not.toContain('secret')
  // The environment of npm, as a program of that name sees it.
  const program = join(folder, 'npm')
  writeFileSync(program, `#!/bin/sh\nenv > ${join(folder, 'env')}\necho '"1.0.0"; rm'\n`)
  chmodSync(program, 0o755)
  expect(await askNpm(`${folder}:${path}`, folder, { TELEGRAM_BOT_TOKEN: '7:secret' })).toBeUndefined()
  expect(readFileSync(join(folder, 'env'), 'utf8')).not.toContain('secret')
  expect(await askNpm(join(folder, 'nothing'), folder, {})).toBeUndefined()
}, 60_000)

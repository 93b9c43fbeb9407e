import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cli } from '../e2e/program.ts'
import { unreachable } from '../../src/server/ask.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-no-settings-'))
  // No user can read it, not even root.
  mkdirSync(join(home, 'gate.yaml'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (args: readonly string[], input: string) =>
  spawnSync(process.execPath, [cli, ...args], {
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOOKGATE_HOME: home },
  })

test('the user of an agent, who may not read gate.yaml, asks the gate all the same', () => {
  const { status, stderr } = run(['fire', 'on_stop', '--agent', 'coder'], '')
  expect(stderr).toMatch(/^hookgate cannot be reached \(connect ENOENT .*\/run\/coder\.sock\)\./)
  expect(stderr).toContain('and is "coder" an agent of its gate.yaml?')
  expect(status).toBe(2)
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'client', version: '1' },
  }
  const lines = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    call,
  ]
  const { stdout, stderr: said } = run(['mcp'], lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect(said).toBe('')
  expect(stdout).toContain('"name":"ask_owner"')
})

test('another user is told who may ask', () => {
  const refused = Object.assign(new Error('connect EACCES /g/run/main.sock'), { code: 'EACCES' })
  expect(unreachable(refused, 'main')).toBe(
    'hookgate cannot be reached (connect EACCES /g/run/main.sock). Only the user of the gate and the user of the agent "main" may ask there: run it as one of them.',
  )
})

const nobody = 65534

test.skipIf(process.getuid?.() !== 0)(
  'another user than that of the gate puts a client behind it, and the client starts the bridge',
  () => {
    const [gate, person] = [join(home, 'gate'), join(home, 'person')]
    mkdirSync(gate, { mode: 0o711 })
    writeFileSync(join(gate, 'gate.yaml'), 'bridge: {user: person}\n', { mode: 0o600 })
    mkdirSync(person)
    chownSync(person, nobody, nobody)
    chmodSync(home, 0o755)
    const { stdout, stderr } = spawnSync(process.execPath, [cli, 'bridge', 'install', 'claude-code'], {
      cwd: person,
      uid: nobody,
      gid: nobody,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: person, HOOKGATE_HOME: gate },
    })
    expect(stderr).toBe('')
    expect(stdout).toContain('Claude Code: wrote the hooks of hookgate in ~/.claude/settings.json.')
    expect(stdout).toContain('Not checked yet: hookgate is not running.')
    const settings = readFileSync(join(person, '.claude', 'settings.json'), 'utf8')
    expect(settings).toContain(`--home ${gate}`)
    expect(settings).not.toContain('http://127.0.0.1')
  },
)

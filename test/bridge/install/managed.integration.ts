import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeable } from '../../../src/bridge/install/command.ts'
import { runInstall } from '../../../src/bridge/install/run.ts'
import { switchedOff } from '../../../src/bridge/install/switched-off.ts'
import { bridgeFindings } from '../../../src/doctor/bridge-check.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import { placesIn, refusing } from './places.ts'

let home: string
let said: string[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-managed-'))
  said = []
  writeFileSync(join(home, 'program'), refusing, { mode: 0o755 })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (args: string): Promise<number> =>
  runInstall(args.split(' '), {
    places: placesIn(home),
    program: { words: ['hookgate'], full: [join(home, 'program')], isOnPath: true },
    gateHome: join(home, 'gate'),
    isUsualHome: true,
    http: { port: 1, token: () => 'secret-token' },
    isRunning: () => Promise.resolve(true),
    plugin: () => '',
    say: (lines) => void said.push(lines),
  })

const files: Readonly<Record<string, string>> = {
  'claude-code': 'etc/claude-code/managed-settings.json',
  gemini: 'etc/gemini-cli/settings.json',
  cursor: 'etc/cursor/hooks.json',
}
const fileOf = (client: string): string => join(home, 'machine', files[client] ?? '')
const put = (path: string, value: object): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(value, null, 2))
}

test.each(Object.keys(files))(
  '%s: the administrator’s file starts the program by its full path for one gate, without a secret, and is readable by all',
  async (client) => {
    put(fileOf(client), { theirs: true })
    expect(await run(`install ${client} --managed`), said.join('\n')).toBe(0)
    const text = readFileSync(fileOf(client), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ theirs: true })
    expect(text).toContain(`${join(home, 'program')} bridge ${client} `)
    expect(text).toContain(` --home ${join(home, 'gate')}`)
    expect(text).not.toContain('secret-token')
    expect(statSync(fileOf(client)).mode & 0o777).toBe(0o644)
    expect(said).toContain('✓ Checked: a call that the gate must refuse was refused.')
    expect(await run(`uninstall ${client} --managed`)).toBe(0)
    expect(JSON.parse(readFileSync(fileOf(client), 'utf8'))).toMatchObject({ theirs: true })
    expect(readFileSync(fileOf(client), 'utf8')).not.toContain('bridge')
  },
)

test('A client without such a file is refused in words, as are two places at once', async () => {
  expect(await run('install codex --managed')).toBe(1)
  expect(said).toEqual([
    'Expected --user for Codex, got --managed: hookgate knows no administrator’s file of Codex.',
  ])
  expect(await run('install claude-code --managed --project')).toBe(1)
})

test('A program that somebody besides root can change is named', async () => {
  expect(await run('install claude-code --managed')).toBe(0)
  // The folder for temporary files is open to everybody.
  expect(said.join('\n')).toMatch(/⚠ Somebody besides root can change \/\S+, and so what these hooks start\./)
  expect(changeable(['/bin/sh'])).toBeUndefined()
})

test.skipIf(process.getuid?.() !== 0)('Who is not root is told to be', () => {
  // Another user than the one of the file, in a process of its own.
  mkdirSync(join(home, 'machine'))
  chmodSync(home, 0o755)
  const source = new URL('../../../src/bridge/install/run.ts', import.meta.url)
  const program = `import { runInstall } from ${JSON.stringify(source.href)}
    await runInstall(['install', 'cursor', '--managed'], {
      places: { home: '/nowhere', project: '/nowhere', env: {}, machine: { root: ${JSON.stringify(join(home, 'machine'))}, platform: 'linux' } },
      program: { words: ['hookgate'], full: ['/bin/sh'], isOnPath: true }, gateHome: '/g', isUsualHome: true,
      isRunning: () => Promise.resolve(false), plugin: () => '', say: console.log })`
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    uid: 65534,
    gid: 65534,
    encoding: 'utf8',
  })
  expect(`${ran.stdout}${ran.stderr}`).toContain('sudo hookgate bridge install cursor --managed')
})

const findings = (): readonly string[] =>
  bridgeFindings({ strangers: [], takenPort: undefined, switchedOff: switchedOff(placesIn(home)) }).map(
    ({ text }) => proseText(text),
  )

test('doctor says which setting makes a client skip the hooks of hookgate', async () => {
  const own = join(home, '.claude', 'settings.json')
  put(own, { disableAllHooks: true })
  // It is not behind the gate.
  expect(findings()).toEqual([])
  await run('install claude-code')
  expect(findings()).toEqual([
    `Claude Code skips all hooks, because ${own} has disableAllHooks: true. → Remove the setting.`,
  ])
  writeFileSync(own, readFileSync(own, 'utf8').replace('"disableAllHooks": true', '"x": true'))
  expect(findings()).toEqual([])
  put(fileOf('claude-code'), { allowManagedHooksOnly: true })
  expect(findings()).toEqual([
    `Claude Code skips the hooks of hookgate, because ${fileOf('claude-code')} has allowManagedHooksOnly: true. → Run sudo hookgate bridge install claude-code --managed, or remove the setting.`,
  ])
  await run('install claude-code --managed')
  expect(findings()).toEqual([])
  // What a user sets turns off no hook of the administrator.
  writeFileSync(own, JSON.stringify({ ...JSON.parse(readFileSync(own, 'utf8')), disableAllHooks: true }))
  expect(findings()).toEqual([])
  const managed = JSON.parse(readFileSync(fileOf('claude-code'), 'utf8'))
  put(fileOf('claude-code'), { ...managed, disableAllHooks: true })
  expect(findings()).toEqual([
    `Claude Code skips all hooks, because ${fileOf('claude-code')} has disableAllHooks: true. → Remove the setting.`,
  ])
})

test('install says so when the administrator’s file makes the client skip what it wrote', async () => {
  const path = fileOf('claude-code')
  put(path, { allowManagedHooksOnly: true })
  expect(await run('install claude-code')).toBe(1)
  expect(said.at(-1)).toBe(
    `✗ Claude Code skips these hooks, because ${path} has allowManagedHooksOnly: true. Run sudo hookgate bridge install claude-code --managed, or remove the setting.`,
  )
  put(path, { disableAllHooks: true })
  expect(await run('install claude-code')).toBe(1)
  expect(said.at(-1)).toBe(
    `✗ Claude Code runs no hooks at all, because ${path} has disableAllHooks: true. Remove the setting, then run this command again.`,
  )
  put(path, { allowManagedHooksOnly: true })
  expect(await run('install claude-code --managed'), said.join('\n')).toBe(0)
  said = []
  // Those of the administrator's file run now.
  await run('install claude-code')
  expect(said.join('\n')).not.toContain('allowManagedHooksOnly')
})

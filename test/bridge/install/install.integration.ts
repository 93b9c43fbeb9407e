import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { INSTALLATIONS, installationOf } from '../../../src/bridge/install/clients.ts'
import type { InstallPorts } from '../../../src/bridge/install/install.ts'
import { runInstall } from '../../../src/bridge/install/run.ts'
import { placesIn, refusing } from './places.ts'
import { CLIENT_NAMES } from '../../../src/shared/gate/client.ts'
import { parse as parseYaml } from 'yaml'

const plugin = readFileSync(resolve(import.meta.dirname, '../../../config/bridge/opencode.js'), 'utf8')
let home: string
let said: string[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-install-'))
  said = []
  writeFileSync(join(home, 'program'), refusing, { mode: 0o755 })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (args: string, more: Partial<InstallPorts> = {}): Promise<number> =>
  runInstall(args.split(' '), {
    places: placesIn(home),
    gateHome: join(home, '.hookgate'),
    isUsualHome: true,
    program: { words: [join(home, 'program')], full: [join(home, 'program')], isOnPath: false },
    isRunning: () => Promise.resolve(true),
    plugin: () => plugin,
    say: (lines) => void said.push(lines),
    ...more,
  })

const fileOf = (client: string, scope: 'user' | 'project' = 'user'): string => {
  const named = installationOf(client)?.file(scope, placesIn(home))
  return named !== undefined && 'path' in named ? named.path : ''
}
const put = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}
const read = (path: string): string => readFileSync(path, 'utf8')
const clients = Object.keys(INSTALLATIONS)

describe.each(clients)('%s', (client) => {
  test('From nothing its file has an entry for each event, the canary is refused, and a second time the same bytes stand', async () => {
    expect(await run(`install ${client}`), said.join('\n')).toBe(0)
    const first = read(fileOf(client))
    for (const { event } of installationOf(client)?.events ?? [])
      expect(first).toContain(` bridge ${client} ${event} --deadline `)
    expect(said.at(-1)).toBe('✓ Checked: a call that the gate must refuse was refused.')
    expect(await run(`install ${client}`)).toBe(0)
    expect(read(fileOf(client))).toBe(first)
    expect(readdirSync(dirname(fileOf(client)))).toHaveLength(1)
  })

  test('A dry run shows what would change and changes nothing', async () => {
    expect(await run(`install ${client} --dry-run`)).toBe(0)
    const [summary = '', warning] = said
    const events = installationOf(client)?.events.map(({ event }) => event) ?? []
    expect(summary.split('\n').slice(1)).toEqual([
      `They report ${events.length} events: ${events.join(', ')}.`,
      expect.stringMatching(
        /^Lines: [1-9]\d* added, 0 removed\. --verbose shows each of them, and --json is for programs\.$/,
      ),
      'Nothing was changed.',
    ])
    expect(summary).toMatch(/^.+: would write the hooks of hookgate into .+, a new file\.\n/)
    expect(warning).toMatch(/^⚠ "hookgate" is not on the PATH of this machine\. /)
    said = []
    await run(`install ${client} --dry-run --verbose`)
    expect(said[0]).toMatch(/^\+.* bridge /m)
    said = []
    await run(`install ${client} --dry-run --json`)
    expect(said).toHaveLength(1)
    expect(JSON.parse(said[0] ?? '')).toMatchObject({ client, changes: 'creates', removed: 0, events })
    expect(existsSync(fileOf(client))).toBe(false)
  })

  test('Taken away again, nothing of hookgate is left', async () => {
    await run(`install ${client}`)
    expect(await run(`uninstall ${client}`)).toBe(0)
    expect(existsSync(fileOf(client))).toBe(false)
    expect(await run(`uninstall ${client}`)).toBe(0)
    expect(said.at(-1)).toContain('there were no hooks of hookgate in')
    expect(existsSync(fileOf(client))).toBe(false)
  })
})

const geminiSettings = `{
    // what I like
    "theme": "dark", /* not light */
    "hooks": {
        "BeforeTool": [
            // mine
            { "matcher": "write_file", "hooks": [ { "type": "command", "command": "./mine.sh" } ] } // and it stays
        ],
        "Mine": [],
    },
    "security": {"auth": {"selectedType": "oauth"}},
}
`

test('Comments, other hooks, foreign keys and the indent of a file stay as they are', async () => {
  put(fileOf('gemini'), geminiSettings, 0o640)
  expect(await run('install gemini')).toBe(0)
  const text = read(fileOf('gemini'))
  for (const kept of [
    '// what I like',
    '"theme": "dark", /* not light */',
    '// mine',
    '{ "matcher": "write_file", "hooks": [ { "type": "command", "command": "./mine.sh" } ] }, // and it stays',
    '"Mine": []',
    '"security": {"auth": {"selectedType": "oauth"}},\n}\n',
  ])
    expect(text).toContain(kept)
  expect(text).toContain('            {\n                "hooks": [')
  expect(statSync(fileOf('gemini')).mode & 0o777).toBe(0o640)
  await run('install gemini')
  expect(read(fileOf('gemini'))).toBe(text)
  expect(text).not.toContain('PreCompress')
  // Gemini counts in milliseconds.
  expect(text).toMatch(/bridge gemini BeforeTool --deadline 620",\s+"timeout": 630000/)
  await run('uninstall gemini')
  expect(
    JSON.parse(
      read(fileOf('gemini'))
        .replaceAll(/\/\/.*|\/\*.*?\*\//g, '')
        .replaceAll(/,(\s*[}\]])/g, '$1'),
    ),
  ).toEqual(JSON.parse(geminiSettings.replaceAll(/\/\/.*|\/\*.*?\*\//g, '').replaceAll(/,(\s*[}\]])/g, '$1')))
})

test('What an older hookgate wrote is brought up to date in its place, doubles and events that are no more included', async () => {
  const old = (event: string): string =>
    `{"hooks":[{"type":"command","command":"/old/node /old/cli.js bridge codex ${event}","timeout":5}]}`
  put(
    fileOf('codex'),
    `{"hooks": {"PreToolUse": [${old('PreToolUse')}, {"hooks":[{"type":"command","command":"./mine"}]}, ${old('PreToolUse')}], "Gone": [${old('Gone')}]}}`,
  )
  expect(await run('install codex')).toBe(0)
  const { hooks } = JSON.parse(read(fileOf('codex'))) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>
  }
  expect(hooks['Gone']).toBeUndefined()
  expect(hooks['PreToolUse']?.map((group) => group.hooks[0]?.command)).toEqual([
    `${home}/program bridge codex PreToolUse --deadline 620`,
    './mine',
  ])
})

test('A handler of somebody else beside ours in one group is not touched', async () => {
  const mixed =
    '{"hooks":[{"type":"command","command":"hookgate bridge codex PreToolUse"},{"type":"command","command":"./mine"}]}'
  put(fileOf('codex'), `{"hooks": {"PreToolUse": [${mixed}]}}`)
  await run('install codex')
  await run('uninstall codex')
  expect(read(fileOf('codex'))).toContain(mixed)
})

test('Codex entries hold nothing that could change: no address, no token', async () => {
  await run('install codex', {
    program: { words: ['hookgate'], full: ['hookgate'], isOnPath: true },
    http: { port: 1, token: () => 'secret' },
  })
  expect(read(fileOf('codex'))).toContain('"hookgate bridge codex PreToolUse --deadline 620"')
  expect(read(fileOf('codex'))).not.toMatch(/127\.0\.0\.1|secret/)
})

describe('A file that cannot be edited is left alone, and the reason is said', () => {
  test.each([
    ['gemini', '{"a": 1,, }', 'property name expected at line 1, column 9'],
    ['gemini', '{"hooks": []}', 'its "hooks" is not an object'],
    ['gemini', '{"hooks": {"BeforeTool": {}}}', 'its "hooks.BeforeTool" is not a list'],
    ['gemini', '[1]', 'it is not a JSON object'],
    ['gemini', '{"a": "\\x"}', 'invalid escape character at line 1, column 7'],
    ['gemini', `{"a": ${'['.repeat(70)}${']'.repeat(70)}}`, 'at most 64 levels'],
    ['kimi', 'hooks = [{event = "Stop"}]\n', 'it has its hooks as one list'],
    ['kimi', 'text = """\nnever ends', 'does not end'],
    ['kimi', '# hookgate: begin\n', 'one of the two markers'],
    ['opencode', 'export const Mine = 1\n', 'somebody else wrote it'],
    ['docker-agent', 'pre_tool_use: []\n', 'somebody else wrote it'],
  ])('%s: %s', async (client, text, why) => {
    put(fileOf(client), text)
    expect(await run(`install ${client}`)).toBe(1)
    expect(said.join('\n')).toContain('was left as it is')
    expect(said.join('\n')).toContain(why)
    expect(read(fileOf(client))).toBe(text)
  })

  test('too large, no file, a link that leads nowhere, no text', async () => {
    const path = fileOf('gemini')
    put(path, ' '.repeat(1_000_001))
    expect(await run('install gemini')).toBe(1)
    writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]))
    expect(await run('install gemini')).toBe(1)
    rmSync(path)
    mkdirSync(path)
    expect(await run('install gemini')).toBe(1)
    rmSync(path, { recursive: true })
    symlinkSync('nowhere', path)
    expect(await run('install gemini')).toBe(1)
    expect(said.map((line) => /it (?:has \d|is ).*$/.exec(line)?.[0])).toEqual([
      'it has 1000001 bytes, more than 1000000.',
      'it is not UTF-8.',
      'it is not a regular file.',
      'it is a link that leads nowhere.',
    ])
  })
})

test('A link to settings elsewhere stays a link, and what it leads to is written', async () => {
  put(join(home, 'dotfiles/settings.json'), '{}\n', 0o600)
  mkdirSync(dirname(fileOf('gemini')))
  symlinkSync(join(home, 'dotfiles/settings.json'), fileOf('gemini'))
  expect(await run('install gemini')).toBe(0)
  expect(lstatSync(fileOf('gemini')).isSymbolicLink()).toBe(true)
  expect(read(join(home, 'dotfiles/settings.json'))).toContain('bridge gemini BeforeTool')
})

test('Kimi: other tables, comments and line ends stay; strict keys; the block keeps its place', async () => {
  const text = '# mine\r\nmodel = "x"\r\n\r\n[[hooks]]\r\nevent = "Stop"\r\ncommand = "./mine"\r\n'
  put(fileOf('kimi'), text)
  expect(await run('install kimi')).toBe(0)
  const once = read(fileOf('kimi'))
  expect(once).toContain('# mine\r\nmodel = "x"\r\n\r\n[[hooks]]\r\nevent = "Stop"\r\ncommand = "./mine"\n')
  expect(once).toContain(
    `[[hooks]]\nevent = "PreToolUse"\ncommand = "${home}/program bridge kimi PreToolUse --deadline 590"\ntimeout = 600\n`,
  )
  // What its login makes of the file.
  const mine = '[[hooks]]\nevent = "Stop"\ncommand = "mine bridge kimi Stop now"\n'
  writeFileSync(fileOf('kimi'), `${mine}\n${once.replaceAll(/^#.*\n/gm, '')}`)
  await run('install kimi')
  expect(read(fileOf('kimi')).match(/bridge kimi PreToolUse/g)).toHaveLength(1)
  writeFileSync(fileOf('kimi'), `${mine}\n${once.replaceAll(/^#.*\n/gm, '')}`)
  await run('uninstall kimi')
  expect(read(fileOf('kimi')).trim()).toBe(`${mine}\n${text}`.trim())
  writeFileSync(fileOf('kimi'), `${once}\n[later]\nkey = 1\n`)
  await run('install kimi')
  expect(read(fileOf('kimi'))).toBe(`${once}\n[later]\nkey = 1\n`)
})

test('docker-agent: the file is YAML with a group for each tool event', async () => {
  await run('install docker-agent')
  const hooks = parseYaml(read(fileOf('docker-agent'))) as Record<string, readonly Record<string, unknown>[]>
  expect(hooks['tool_input_transform']?.[0]).toMatchObject({
    matcher: '*',
    hooks: [{ type: 'command', timeout: 630, on_error: 'block' }],
  })
  expect(hooks['before_llm_call']?.[0]).toMatchObject({ type: 'command', on_error: 'block' })
})

test('Claude Code asks by a command; over HTTP on request, and only where its owner alone reads the file', async () => {
  const http = { port: 1, token: () => 'secret' }
  put(fileOf('claude-code'), '{"model": "opus"}\n', 0o644)
  expect(await run('install claude-code --http --dry-run --verbose', { http })).toBe(0)
  expect(said.join('\n')).toContain('"Authorization": "Bearer …"')
  expect(said.join('\n')).not.toContain('secret')
  expect(await run('install claude-code --http', { http })).toBe(1)
  expect(said.join('\n')).toContain('the gate did not answer')
  const settings = JSON.parse(read(fileOf('claude-code'))) as {
    model: string
    hooks: Record<string, { hooks: Record<string, unknown>[] }[]>
  }
  expect(settings.model).toBe('opus')
  expect(settings.hooks['PreToolUse']?.[0]?.hooks[0]).toEqual({
    type: 'http',
    url: 'http://127.0.0.1:1/bridge/claude-code/PreToolUse',
    timeout: 630,
    onFailure: 'block',
    headers: {
      Authorization: 'Bearer secret',
      'X-Hookgate-Deadline-Ms': '620000',
      'X-Hookgate-Ask-Ms': '620000',
    },
  })
  for (const event of ['SessionStart', 'Stop', 'SubagentStop']) {
    expect(settings.hooks[event]?.[0]?.hooks[0], event).toMatchObject({ type: 'command' })
  }
  for (const event of ['UserPromptSubmit', 'PermissionRequest', 'PostToolUse']) {
    expect(settings.hooks[event]?.[0]?.hooks[0], event).toMatchObject({ type: 'http', onFailure: 'block' })
  }
  expect(statSync(fileOf('claude-code')).mode & 0o777).toBe(0o600)
  expect(
    await run('install claude-code --http --project', {
      http,
      program: { words: ['hookgate'], full: ['hookgate'], isOnPath: true },
    }),
  ).toBe(1)
  expect(read(fileOf('claude-code', 'project'))).toContain(
    'hookgate bridge claude-code PreToolUse --deadline 620',
  )
  expect(read(fileOf('claude-code', 'project'))).not.toContain('secret')
  await run('install claude-code', { http })
  expect(read(fileOf('claude-code'))).not.toContain('secret')
  expect(
    Object.values((JSON.parse(read(fileOf('claude-code'))) as typeof settings).hooks).every(
      (groups) => groups.length === 1,
    ),
  ).toBe(true)
  said = []
  expect(
    await run('install claude-code --http', {
      http: { port: 1, token: () => readFileSync(join(home, 'no-token'), 'utf8') },
    }),
  ).toBe(1)
  expect(said).toEqual([
    'Expected a gate that has run once, because its first start makes the token for HTTP hooks. Start it (hookgate start, in a clone npm start), or leave out --http.',
  ])
})

test('What a project shares names no folder of this machine; where there is no such file it says so', async () => {
  for (const client of ['gemini', 'codex', 'copilot', 'cursor', 'opencode']) {
    await run(`install ${client} --project`, { gateHome: join(home, 'elsewhere'), isUsualHome: false })
    expect(read(fileOf(client, 'project'))).not.toContain(home)
    expect(read(fileOf(client, 'project'))).toContain(`hookgate bridge ${client} `)
  }
  said = []
  expect(await run('install kimi --project')).toBe(1)
  expect(said).toEqual([
    'Expected --user for Kimi Code, got --project: Kimi Code reads hooks from your own settings alone.',
  ])
})

test('What npx keeps for a while is no program to write into settings', async () => {
  expect(
    await run('install codex', {
      program: {
        words: ['/n', '/home/x/.npm/_npx/1/node_modules/hookgate/dist/src/cli.js'],
        full: ['/n', '/home/x/.npm/_npx/1/node_modules/hookgate/dist/src/cli.js'],
        isOnPath: false,
      },
    }),
  ).toBe(1)
  expect(said).toEqual([
    'Expected an installed hookgate, got one in the cache of npx. Install it (in a clone: npm install --global .), then run this again.',
  ])
  expect(existsSync(fileOf('codex'))).toBe(false)
})

test.each([
  ['gemini', '{"hooksConfig": {"enabled": false}}', 'hooksConfig.enabled is false'],
  ['claude-code', '{"disableAllHooks": true}', 'disableAllHooks is true'],
])('Where %s has all hooks turned off, that is said, and it is no success', async (client, text, words) => {
  put(fileOf(client), text)
  expect(await run(`install ${client}`)).toBe(1)
  expect(said.at(-1)).toContain(`✗ ${words} in this file`)
})

test('A gate in another folder is named in each entry', async () => {
  await run('install gemini', { gateHome: join(home, 'my gate'), isUsualHome: false })
  expect(read(fileOf('gemini'))).toContain(`bridge gemini BeforeTool --deadline 620 --home '${home}/my gate'`)
  await run('install gemini', { gateHome: join(home, 'my gate'), isUsualHome: false })
  expect(read(fileOf('gemini')).match(/gemini BeforeTool/g)).toHaveLength(1)
})

test('While hookgate is not running, that is said, and nothing is claimed', async () => {
  expect(await run('install gemini', { isRunning: () => Promise.resolve(false) })).toBe(1)
  expect(said.at(-1)).toBe(
    '⚠ Not checked yet: hookgate is not running.\nStart it (hookgate start, in a clone npm start), then run this command again. It checks that a refusal works.',
  )
  expect(existsSync(fileOf('gemini'))).toBe(true)
})

test.each([
  [
    'prints nothing',
    'cat > /dev/null',
    '✗ A call that the gate must refuse was not refused. It answered: nothing',
  ],
  [
    'allows',
    'cat > /dev/null; echo \'{"decision":"allow"}\'',
    '✗ A call that the gate must refuse was not refused.',
  ],
  [
    'refuses because the gate is away',
    'cat > /dev/null; echo \'{"decision":"deny","reason":"hookgate is not running"}\'',
    '⚠ Not checked yet: the gate did not answer',
  ],
  ['is not there', 'exit 127', '⚠ Not checked yet: the gate did not answer'],
  [
    'answers to the terminal',
    String.raw`cat > /dev/null; printf 'no\033[2J\n\342\200\256✓ Checked'`,
    'It answered: no [2J ✓ Checked',
  ],
  [
    'fails to the terminal',
    String.raw`cat > /dev/null; printf 'no\033[2J\r✓ Checked' >&2; exit 1`,
    'the gate did not answer (no [2J ✓ Checked)',
  ],
])('The canary is honest when the bridge %s', async (_, script, words) => {
  writeFileSync(join(home, 'program'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  expect(await run('install gemini')).toBe(1)
  expect(said.at(-1)).toContain(words)
})

test.each([
  'install',
  'install gemini codex',
  'install gemini --user --project',
  'install gemini --force',
  'install vscode',
])('Wrong usage is told and writes nothing: %s', async (args) => {
  expect(await run(args)).toBe(1)
  expect(said.join('\n')).toMatch(/Expected|Unknown option/)
  expect(existsSync(fileOf('gemini'))).toBe(false)
})

test.each(CLIENT_NAMES.filter((name) => installationOf(name) === undefined))(
  '%s has no settings, and it is said whom it has to ask',
  async (name) => {
    expect(await run(`install ${name}`)).toBe(1)
    expect(said[0]).toContain(`${name} has no settings that hookgate could write. `)
    expect(said[0]).toContain(`"hookgate bridge ${name} <`)
  },
)

test.each([
  ['claude', 'claude-code'],
  ['docker', 'docker-agent'],
  ['codx', 'codex'],
])('a client that is not spelled whole is suggested: %s', async (typed, meant) => {
  expect(await run(`install ${typed}`)).toBe(1)
  expect(said[0]).toMatch(new RegExp(`; got "${typed}"\\. Did you mean "${meant}"\\?$`))
})

test('whether hookgate is on the PATH is said as it is', async () => {
  const there = { program: { words: ['hookgate'], full: ['hookgate'], isOnPath: true } }
  await run('install codex --project', there)
  expect(said.join('\n')).not.toMatch(/⚠ "hookgate"|is not/)
  said = []
  await run('install codex --project', {
    program: {
      words: ['/n', '/cli.js'],
      full: ['/n', '/cli.js'],
      isOnPath: false,
      other: '/usr/bin/hookgate',
    },
  })
  expect(said).toContain('⚠ "hookgate" on the PATH of this machine is another one, /usr/bin/hookgate.')
  said = []
  await run('install codex')
  expect(
    said.filter((line) => line.startsWith('⚠ "hookgate" is not on the PATH of this machine.')),
  ).toHaveLength(1)
})

test('a dry run needs no gate that ran before, and shows no token', async () => {
  const http = { port: 1, token: () => readFileSync(join(home, 'no-token'), 'utf8') }
  expect(await run('install claude-code --http --dry-run', { http })).toBe(0)
  expect(said[0]).toMatch(/^Claude Code: would write /)
  expect(said[0]).toContain(' events over HTTP: ')
})

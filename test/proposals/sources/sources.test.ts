import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFiles } from '../../../src/proposals/sources/foreign/files.ts'
import { createSources, shellHooksFile } from '../../../src/proposals/sources/sources.ts'
import { entriesOf, knowledge, shownRows } from './ports.ts'

let root: string
let workspace: string
let stats = 0

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sources-'))
  workspace = join(root, 'workspace')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (place: string, text: string): void => {
  const file = join(workspace, place)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const remove = (place: string): void => rmSync(join(workspace, place), { recursive: true })

const open = () => {
  mkdirSync(workspace, { recursive: true })
  const files = createFiles(workspace, (path) => {
    try {
      return { text: readFileSync(path, 'utf8') }
    } catch (error) {
      return {
        why: error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'missing' : 'unreadable',
      }
    }
  })
  stats = 0
  const stamp = (place: string): string => {
    stats += 1
    return files.stamp(place)
  }
  return createSources({
    ...files,
    stamp,
    ...knowledge,
    userHooks: join(root, 'config/agents/hooks'),
    person: join(root, 'person'),
    // A slow machine puts no reading off.
    clock: () => 0,
  })
}
const rows = (sources: ReturnType<typeof open>): readonly string[] => shownRows(sources.get())

const one = 'hooks:\n  - {event: on_stop, command: ./a.sh}\n'
const docker = (...commands: readonly string[]): string =>
  `agents:\n  root:\n    hooks:\n      stop:\n${commands.map((command) => `        - {type: command, command: ${command}}\n`).join('')}`
const claude = (command: string): string =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } })

test('files that take long to read and change all the time are read for a small part of the time', () => {
  write(shellHooksFile, one)
  let nowMs = 0
  let reads = 0
  const files = createFiles(workspace, () => {
    reads += 1
    nowMs += 800
    return { text: one }
  })
  const sources = createSources({
    ...files,
    stamp: () => String(nowMs),
    ...knowledge,
    userHooks: join(root, 'none'),
    person: join(root, 'none'),
    clock: () => nowMs,
  })
  for (let second = 0; second < 80; second++) {
    nowMs += 1000
    sources.reload()
    sources.reloadIfMoved()
  }
  expect(reads).toBeGreaterThan(5)
  expect(reads).toBeLessThan(15)
})

test('what changed while it was too early to read it again is read after that', () => {
  write(shellHooksFile, one)
  let [nowMs, costMs] = [0, 800]
  const files = createFiles(workspace, (path) => {
    nowMs += costMs
    return { text: readFileSync(path, 'utf8') }
  })
  const sources = createSources({
    ...files,
    ...knowledge,
    userHooks: join(root, 'none'),
    person: join(root, 'none'),
    clock: () => nowMs,
  })
  write(shellHooksFile, one.replace('a.sh', 'b.sh'))
  sources.reload()
  expect(sources.reloadIfMoved()).toBe(false)
  expect(sources.isCurrent()).toBe(false)
  expect(shownRows(sources.get())).toEqual(['on_stop ./a.sh'])
  ;[nowMs, costMs] = [nowMs + 10_000, 1]
  expect(sources.reloadIfMoved()).toBe(true)
  expect(shownRows(sources.get())).toEqual(['on_stop ./b.sh'])
  expect(sources.isCurrent()).toBe(true)
})

describe('the proposals of the workspace itself', () => {
  test('what cannot be read keeps what was read last, and says so', () => {
    write(shellHooksFile, one)
    const sources = open()
    expect(sources.get()).toMatchObject({
      proposed: [{ kind: 'entry', entry: { command: './a.sh', origin: 'config/shell_hooks.yaml' } }],
    })
    expect(sources.get().problem).toBeUndefined()
    for (const [change, message] of [
      [() => write(shellHooksFile, 'hooks: ['), 'Expected YAML'],
      [
        () => {
          remove(shellHooksFile)
          mkdirSync(join(workspace, shellHooksFile))
        },
        'but it is unreadable',
      ],
    ] as const) {
      change()
      expect(rows(sources)).toEqual(['on_stop ./a.sh'])
      sources.reload()
      expect(sources.get()).toMatchObject({
        proposed: [{ entry: { command: './a.sh' } }],
        problem: { message: expect.stringContaining(message) },
      })
    }
    remove(shellHooksFile)
    write(shellHooksFile, one)
    sources.reload()
    expect(sources.get().problem).toBeUndefined()
  })

  test('a file that is not there proposes nothing, and that is no problem', () => {
    write(shellHooksFile, one)
    const sources = open()
    remove(shellHooksFile)
    sources.reload()
    expect(sources.get()).toEqual({ proposed: [] })
  })
})

describe("other systems' files", () => {
  test('stand behind our own, in the order in which they are named, each with its own place', () => {
    write(
      shellHooksFile,
      `sources:\n  - claude-code: ./.claude/settings.json\n  - docker-agent: ${join(root, 'agent.yaml')}\n${one}`,
    )
    write('.claude/settings.json', claude('./c.sh'))
    write('../agent.yaml', docker('./d.sh'))
    const { proposed } = open().get()
    expect(proposed).toMatchObject([
      { entry: { command: './a.sh', origin: 'config/shell_hooks.yaml' } },
      {
        entry: {
          command: './c.sh',
          origin: '.claude/settings.json',
          dialect: { name: 'claude-code', event: 'Stop' },
        },
      },
      {
        entry: {
          command: './d.sh',
          origin: join(root, 'agent.yaml'),
          dialect: { name: 'docker-agent', event: 'stop' },
        },
      },
    ])
  })

  test('that are folders are told as folders', () => {
    write(shellHooksFile, 'sources:\n  - agent-hooks: ./.agents/hooks\n  - copilot: ./.github/hooks\n')
    const missing =
      'Expected a readable folder, but it is missing. Make it readable. Approved hooks stay in force.'
    expect(rows(open())).toEqual([
      `✗ agent-hooks ./.agents/hooks .agents/hooks: ${missing}`,
      `✗ copilot ./.github/hooks .github/hooks: ${missing}`,
    ])
  })

  test('that cannot be read are one row each and keep what was read of them last', () => {
    write(shellHooksFile, 'sources:\n  - docker-agent: ./agent.yaml\n  - docker-agent: ./none.yaml\n')
    write('agent.yaml', docker('./d.sh'))
    const sources = open()
    const missing =
      '✗ docker-agent ./none.yaml none.yaml: Expected a readable file, but it is missing. Make it readable. Approved hooks stay in force.'
    expect(rows(sources)).toEqual(['on_stop ./d.sh', missing])
    write('agent.yaml', 'agents: [')
    sources.reload()
    expect(rows(sources)).toEqual([
      expect.stringContaining('✗ docker-agent ./agent.yaml agent.yaml:'),
      'on_stop ./d.sh',
      missing,
    ])
    remove('agent.yaml')
    sources.reload()
    expect(rows(sources)).toEqual([
      expect.stringContaining(
        '✗ docker-agent ./agent.yaml agent.yaml: Expected a readable file, but it is missing.',
      ),
      'on_stop ./d.sh',
      missing,
    ])
    write('agent.yaml', docker('./e.sh'))
    sources.reload()
    expect(rows(sources)).toEqual(['on_stop ./e.sh', missing])
  })

  test('keep being read while our own file is broken, and are forgotten when it no longer names them', () => {
    write(shellHooksFile, 'sources:\n  - docker-agent: agent.yaml\n')
    write('agent.yaml', docker('./d.sh'))
    const sources = open()
    write(shellHooksFile, 'sources: [')
    write('agent.yaml', docker('./e.sh'))
    sources.reload()
    expect(rows(sources)).toEqual(['on_stop ./e.sh'])
    expect(sources.get().problem).toBeDefined()
    write(shellHooksFile, 'hooks: []\n')
    sources.reload()
    expect(sources.get()).toEqual({ proposed: [] })
  })

  test('that propose one entry twice, or are named twice, have it listed once', () => {
    write(
      shellHooksFile,
      'hooks:\n  - {event: on_stop, command: ./a.sh, env: {A: "1", B: "2"}, name: one}\n  - {event: on_stop, command: ./a.sh, env: {B: "2", A: "1"}, name: two}\n  - {event: on_stop, command: ./a.sh}\nsources:\n  - docker-agent: agent.yaml\n  - docker-agent: ./sub/../agent.yaml\n',
    )
    write('agent.yaml', docker('./d.sh', './d.sh'))
    expect(entriesOf(open().get()).map(({ name, command }) => name ?? command)).toEqual([
      'one',
      './a.sh',
      './d.sh',
    ])
  })

  test('propose at most 1000 hooks together, and the rest is told in one row', () => {
    const many = (letter: string): string =>
      docker(...Array.from({ length: 700 }, (_, index) => `./${letter}${index}.sh`))
    write(shellHooksFile, `${one}sources:\n  - docker-agent: a.yaml\n  - docker-agent: b.yaml\n`)
    write('a.yaml', many('a'))
    write('b.yaml', many('b'))
    const listed = rows(open())
    expect(listed).toHaveLength(1001)
    expect(listed.slice(-2)).toEqual([
      'on_stop ./b298.sh',
      '✗ sources (401 more) Expected at most 1000 hooks from all files together, got 1401. The last 401 are not listed. Propose fewer hooks. Approved hooks stay in force.',
    ])
  })
})

test('sources are read in bounded size together; what no longer fits is told, and read when it fits', () => {
  const large = (command: string): string => claude(command) + ' '.repeat(1_000_000)
  write(
    shellHooksFile,
    'sources:\n  - claude-code: a.json\n  - claude-code: b.json\n  - claude-code: c.json\n  - docker-agent: d.yaml\n',
  )
  for (const name of ['a', 'b', 'c']) write(`${name}.json`, large(`./${name}.sh`))
  write('d.yaml', docker('./d.sh'))
  const sources = open()
  expect(rows(sources)).toEqual([
    'on_stop ./a.sh',
    'on_stop ./b.sh',
    expect.stringContaining(
      '✗ claude-code c.json c.json: Expected a readable file, but it is too large: all sources together may have 2097152 characters.',
    ),
    'on_stop ./d.sh',
  ])
  write('a.json', claude('./a.sh'))
  expect(sources.reloadIfMoved()).toBe(true)
  expect(rows(sources)).toEqual(['on_stop ./a.sh', 'on_stop ./b.sh', 'on_stop ./c.sh', 'on_stop ./d.sh'])
  write('a.json', large('./a.sh'))
  sources.reloadIfMoved()
  expect(rows(sources)[2]).toContain('✗ claude-code c.json')
})

describe("the user's own Agent Hooks", () => {
  const hook = (place: string, name: string): void => {
    write(
      `${place}/${name}/HOOK.md`,
      `---\nname: ${name}\ndescription: It guards.\ntrigger: pre-tool-call\n---\n`,
    )
    write(`${place}/${name}/scripts/run.sh`, '#!/bin/sh\n')
    chmodSync(join(workspace, place, name, 'scripts/run.sh'), 0o755)
  }
  const mine = '../config/agents/hooks'
  const told = (sources: ReturnType<typeof open>) =>
    sources
      .get()
      .proposed.map((place) =>
        place.kind === 'entry'
          ? [
              place.entry.name,
              place.entry.origin.replace(root, ''),
              (place.remarks ?? [])
                .filter((remark) => remark.includes('same name'))
                .map((remark) => remark.replace(root, '')),
            ]
          : [place.problem.message],
      )

  test("come first, and a workspace's hook of the same name runs beside them", () => {
    write(shellHooksFile, 'sources:\n  - agent-hooks: .agents/hooks\n  - agent-hooks: ./more\n')
    hook(mine, 'guard')
    hook('.agents/hooks', 'guard')
    hook('.agents/hooks', 'other')
    hook('more', 'other')
    expect(told(open())).toEqual([
      ['guard', '/config/agents/hooks/guard/HOOK.md', []],
      [
        'guard',
        '.agents/hooks/guard/HOOK.md',
        ['/config/agents/hooks/guard/HOOK.md has a hook of the same name. Both run.'],
      ],
      ['other', '.agents/hooks/other/HOOK.md', []],
      ['other', 'more/other/HOOK.md', ['.agents/hooks/other/HOOK.md has a hook of the same name. Both run.']],
    ])
  })

  test('are read only where a workspace has a source of that kind, and once', () => {
    hook(mine, 'guard')
    write(shellHooksFile, one)
    expect(rows(open())).toEqual(['on_stop ./a.sh'])
    write(shellHooksFile, `sources:\n  - agent-hooks: ${join(root, 'config/agents/hooks/')}\n`)
    expect(told(open())).toEqual([['guard', '/config/agents/hooks/guard/HOOK.md', []]])
  })

  test('need not be there, and are seen when they come', () => {
    write(shellHooksFile, 'sources:\n  - agent-hooks: .agents/hooks\n')
    hook('.agents/hooks', 'guard')
    const sources = open()
    expect(told(sources)).toHaveLength(1)
    hook(mine, 'mine')
    expect(sources.reloadIfMoved()).toBe(true)
    expect(told(sources).map(([name]) => name)).toEqual(['mine', 'guard'])
    hook(mine, 'another')
    expect(sources.reloadIfMoved()).toBe(true)
    expect(told(sources).map(([name]) => name)).toEqual(['another', 'mine', 'guard'])
    chmodSync(join(workspace, '.agents/hooks/guard/scripts/run.sh'), 0o644)
    expect(sources.reloadIfMoved()).toBe(true)
    expect(told(sources)[2]).toEqual([expect.stringContaining('to be executable')])
  })
})

describe('what moved is seen by stat', () => {
  const longAgo = new Date(1_000_000_000_000)

  test('and what did not move is not read again', () => {
    write(
      shellHooksFile,
      'sources:\n  - docker-agent: agent.yaml\n  - claude-code: settings.json\n  - copilot: later\n',
    )
    write('agent.yaml', docker('./d.sh'))
    write('settings.json', claude('./c.sh'))
    const sources = open()
    const before = sources.get()
    expect(sources.reloadIfMoved()).toBe(false)
    expect(sources.get()).toBe(before)
    write('agent.yaml', docker('./longer.sh'))
    expect(sources.reloadIfMoved()).toBe(true)
    expect(entriesOf(sources.get()).map(({ command }) => command)).toEqual(['./longer.sh', './c.sh'])
    expect(
      sources.get().proposed.find((place) => place.kind === 'entry' && place.entry.command === './c.sh'),
    ).toBe(before.proposed[1])
    expect(sources.reloadIfMoved()).toBe(false)
  })

  test.each<[string, () => void]>([
    ['the same length written in place', () => write('agent.yaml', docker('./e.sh'))],
    [
      'another file renamed over it, of the same size and time',
      () => {
        write('other.yaml', docker('./e.sh'))
        utimesSync(join(workspace, 'other.yaml'), longAgo, longAgo)
        renameSync(join(workspace, 'other.yaml'), join(workspace, 'agent.yaml'))
      },
    ],
    ['its removal', () => remove('agent.yaml')],
    ['its mode', () => chmodSync(join(workspace, 'agent.yaml'), 0o755)],
    ['our own file', () => write(shellHooksFile, 'hooks: []\n')],
    ['one that was missing', () => write('none.yaml', docker('./n.sh'))],
    [
      "the user's own folder, which was not there",
      () => mkdirSync(join(root, 'config/agents/hooks'), { recursive: true }),
    ],
  ])('%s', (_, change) => {
    write(
      shellHooksFile,
      'sources:\n  - docker-agent: agent.yaml\n  - docker-agent: none.yaml\n  - agent-hooks: hooks\n',
    )
    write('agent.yaml', docker('./d.sh'))
    utimesSync(join(workspace, 'agent.yaml'), longAgo, longAgo)
    const sources = open()
    expect(sources.reloadIfMoved()).toBe(false)
    change()
    expect(sources.reloadIfMoved()).toBe(true)
    expect(sources.reloadIfMoved()).toBe(false)
  })

  test('at the cost of one stat for each place', () => {
    write(
      shellHooksFile,
      `sources:\n${Array.from({ length: 20 }, (_, index) => `  - docker-agent: a${index}.yaml\n`).join('')}`,
    )
    for (let index = 0; index < 20; index++) write(`a${index}.yaml`, docker('./d.sh'))
    const sources = open()
    stats = 0
    sources.reloadIfMoved()
    expect(stats).toBe(21)
  })
})

describe('the file system as sources see it', () => {
  test('lists a folder sorted and bounded, and says what is none', () => {
    const files = createFiles(workspace, () => ({ why: 'missing' }))
    write('folder/b', '')
    write('folder/a/x', '')
    expect(files.list('folder')).toEqual({ names: ['a/', 'b'] })
    expect([files.list('none'), files.list('folder/b')]).toEqual([
      { why: 'missing' },
      { why: 'not a folder' },
    ])
    for (let index = 0; index < 1001; index++) write(`many/${index}`, '')
    expect(files.list('many')).toEqual({ why: 'too large: it has more than 1000 names' })
  })

  test('knows what can be executed', () => {
    const files = createFiles(workspace, () => ({ why: 'missing' }))
    write('a.sh', '')
    expect(files.isExecutable('a.sh')).toBe(false)
    chmodSync(join(workspace, 'a.sh'), 0o755)
    expect([files.isExecutable('a.sh'), files.isExecutable('.'), files.isExecutable('none')]).toEqual([
      true,
      false,
      false,
    ])
  })
})

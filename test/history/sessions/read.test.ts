import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readCalls, type PastCall } from '../../../src/history/sessions/read.ts'
import { openSessions } from '../../../src/history/sessions/sessions.ts'
import { sessionClients, sessionRoots, type SessionClient } from '../../../src/history/sessions/table.ts'
import { openCodeTables, putSession, writeSession } from '../../fixtures/sessions.ts'

const nowMs = Date.parse('2026-11-28T12:00:00Z')
const dayMs = 24 * 60 * 60_000
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-sessions-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const made = [
  { command: 'ls -la', cwd: '/data/shop', atMs: nowMs - 2000 },
  { command: 'rm -rf build', cwd: '/data/shop', atMs: nowMs - 1000 },
]

interface Read {
  readonly calls: readonly PastCall[]
  /** What was not read, with paths below the home. */
  readonly problems: readonly string[]
}
const read = (
  clients: readonly SessionClient[] = sessionClients,
  env: Readonly<Record<string, string>> = {},
): Read => {
  const { calls, progress } = readCalls({
    roots: sessionRoots(clients, { home, env }),
    sinceMs: nowMs - 30 * dayMs,
  })
  const found = [...calls].filter((call) => call !== undefined)
  return {
    calls: found,
    problems: progress().problems.map(
      ({ client, why, count, example }) => `${client}: ${relative(home, example)} ${why} ×${count}`,
    ),
  }
}
const commands = ({ calls }: Read): readonly unknown[] => calls.map(({ input }) => input['command'])

describe.each(sessionClients)('%s', (client) => {
  test('its calls are read with their time, their folder and their session, each once', () => {
    writeSession[client](home, made)
    const { calls, problems } = read()
    expect(problems).toEqual([])
    const sorted = calls.toSorted((a, b) => a.atMs - b.atMs)
    expect(sorted.map(({ client, cwd, atMs, input }) => [client, input['command'], cwd, atMs])).toEqual(
      made.map(({ command, cwd, atMs }) => [client, command, cwd, atMs]),
    )
    expect(new Set(calls.map(({ session }) => session)).size).toBe(1)
    expect(new Set(calls.map(({ tool }) => tool)).size).toBe(1)
  })

  test('what is older than asked for is not read', () => {
    writeSession[client](home, [{ command: 'ls', cwd: '/work', atMs: nowMs - 31 * dayMs }, ...made])
    expect(read().calls).toHaveLength(2)
  })

  test('its files are as they were, and no file is beside them', () => {
    const path = writeSession[client](home, made)
    const before = [readdirSync(dirname(path)), readFileSync(path)]
    read()
    expect([readdirSync(dirname(path)), readFileSync(path)]).toEqual(before)
  })
})

test('a folder that a variable names is read instead of the usual one', () => {
  const variables = {
    'claude-code': ['CLAUDE_CONFIG_DIR', '.claude'],
    codex: ['CODEX_HOME', '.codex'],
    copilot: ['COPILOT_HOME', '.copilot'],
    gemini: ['GEMINI_CLI_HOME', ''],
    kimi: ['KIMI_CODE_HOME', '.kimi-code'],
    opencode: ['XDG_DATA_HOME', '.local/share'],
  } as const
  const other = join(home, 'other')
  for (const client of sessionClients) {
    writeSession[client](other, made)
    const [name, folder] = variables[client]
    expect([client, read([client]).calls.length]).toEqual([client, 0])
    expect([client, read([client], { [name]: join(other, folder) }).calls.length]).toEqual([client, 2])
  }
  const db = join(other, '.local/share/opencode/opencode.db')
  expect(read(['opencode'], { OPENCODE_DB: db }).calls).toHaveLength(2)
})

test('the newest sessions come first, whichever client wrote them', () => {
  for (const [index, client] of sessionClients.entries())
    writeSession[client](home, [{ command: client, cwd: '/work', atMs: nowMs - index * 1000 }])
  expect(commands(read())).toEqual(sessionClients)
})

test('Codex: each way in which it kept a line of shell is read as that line, and a patch as a patch', () => {
  const items = [
    {
      type: 'function_call',
      name: 'shell',
      arguments: '{"command": ["bash", "-lc", "a | b"], "workdir": "/w"}',
    },
    { type: 'function_call', name: 'shell', arguments: '{"command": ["rm", "-rf", "a b"]}' },
    { type: 'function_call', name: 'shell_command', arguments: '{"command": "c"}' },
    { type: 'local_shell_call', action: { type: 'exec', command: ['ls', '-l'] } },
    { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'function_call', name: 'tell', namespace: 'mcp__desk', arguments: 'no object' },
  ]
  const file = join(home, '.codex/archived_sessions/rollout-1.jsonl')
  const text = items
    .map((payload, index) =>
      JSON.stringify({ type: 'response_item', payload: { ...payload, call_id: `c${index}` } }),
    )
    .join('\n')
  // The first form of 2025 had no frame around the items.
  putSession(file, `${text}\n${JSON.stringify({ ...items[2], call_id: 'old' })}\n`, nowMs)
  const { calls } = read()
  expect(calls.map(({ tool, input, cwd }) => [tool, input, cwd])).toEqual([
    ['Bash', { command: 'a | b' }, '/w'],
    ['Bash', { command: "rm -rf 'a b'" }, ''],
    ['Bash', { command: 'c' }, ''],
    ['Bash', { command: 'ls -l' }, ''],
    ['apply_patch', { command: '*** Begin Patch' }, ''],
    ['mcp__desk__tell', { input: 'no object' }, ''],
    ['Bash', { command: 'c' }, ''],
  ])
})

test('Codex: a session that it packed is read', () => {
  const path = writeSession.codex(home, made)
  putSession(`${path}.zst`, zstdCompressSync(readFileSync(path)), nowMs)
  rmSync(path)
  expect(commands(read())).toEqual(['ls -la', 'rm -rf build'])
})

test('a session that goes on from another one does not count its calls again', () => {
  const path = writeSession['claude-code'](home, made)
  putSession(join(dirname(path), 'forked.jsonl'), readFileSync(path), nowMs)
  expect(read().calls).toHaveLength(2)
})

test('Claude Code: a subagent belongs to the session that started it', () => {
  const path = writeSession['claude-code'](home, made)
  const text = readFileSync(path, 'utf8').replaceAll('toolu_', 'toolu_sub')
  putSession(join(dirname(path), '7d1f0a52/subagents/agent-a5.jsonl'), text, nowMs)
  const { calls } = read()
  expect(calls).toHaveLength(4)
  expect(new Set(calls.map(({ session }) => session))).toEqual(new Set(['7d1f0a52']))
})

test('Gemini: a session of 2025 is one object, and a subagent finds the project of its session', () => {
  const message = { toolCalls: [{ id: 'a', name: 'run_shell_command', args: { command: 'old' } }] }
  const folder = join(home, '.gemini/tmp/shop')
  putSession(join(folder, '.project_root'), '/data/shop', nowMs)
  putSession(join(folder, 'chats/session-old.json'), JSON.stringify({ messages: [message] }), nowMs - 1)
  putSession(join(folder, 'chats/58d0/sub.jsonl'), JSON.stringify(message).replace('old', 'sub'), nowMs)
  expect(read().calls.map(({ input, cwd }) => [input['command'], cwd])).toEqual([
    ['sub', '/data/shop'],
    ['old', '/data/shop'],
  ])
})

test('OpenCode: a part of 2025 is a file, and its message has the folder', () => {
  const storage = join(home, '.local/share/opencode/storage')
  const part = {
    type: 'tool',
    tool: 'bash',
    callID: 'c',
    sessionID: 'ses_1',
    messageID: 'msg_1',
    state: { status: 'completed', input: { command: 'ls' }, time: { start: nowMs - 5 } },
  }
  putSession(
    join(storage, 'message/ses_1/msg_1.json'),
    JSON.stringify({ path: { cwd: '/data/shop' } }),
    nowMs,
  )
  putSession(join(storage, 'part/msg_1/prt_1.json'), JSON.stringify(part), nowMs)
  putSession(
    join(storage, 'part/msg_1/prt_2.json'),
    JSON.stringify({ ...part, callID: 'd', sessionID: '../../../../../secret' }),
    nowMs - 1,
  )
  expect(read().calls.map(({ input, cwd, atMs }) => [input['command'], cwd, atMs])).toEqual([
    ['ls', '/data/shop', nowMs - 5],
    ['ls', '', nowMs - 5],
  ])
  // What lies beside a session is read as carefully as the session.
  renameSync(join(storage, 'message'), join(home, 'elsewhere'))
  symlinkSync(join(home, 'elsewhere'), join(storage, 'message'))
  expect(read().calls.map(({ cwd }) => cwd)).toEqual(['', ''])
})

test('OpenCode: what is in the log of an open database is read, and no file is made for one that has none', () => {
  const path = writeSession.opencode(home, made)
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL')
  db.exec(`INSERT INTO part SELECT 'new', message_id, session_id, time_created, 0,
    replace(replace(data, 'rm -rf', 'newest'), 'call_1', 'call_2') FROM part WHERE id = 'prt_1'`)
  expect(new Set(commands(read()))).toEqual(new Set(['ls -la', 'newest build', 'rm -rf build']))
  const other = join(home, 'other')
  for (const end of ['', '-wal'])
    putSession(join(other, `opencode/opencode.db${end}`), readFileSync(`${path}${end}`), nowMs)
  db.close()
  const { calls, problems } = read(['opencode'], { XDG_DATA_HOME: other })
  expect(calls).toHaveLength(2)
  expect(problems).toEqual([
    'opencode: other/opencode/opencode.db was not closed, so its newest calls were not read ×1',
  ])
  expect(readdirSync(join(other, 'opencode'))).toEqual(['opencode.db', 'opencode.db-wal'])
})

test('sessions without any call that is known are named with the version that is known', () => {
  putSession(join(home, '.kimi-code/sessions/a/wire.jsonl'), '{"type": "tool.used"}\n', nowMs)
  putSession(join(home, '.kimi-code/sessions/b/wire.jsonl'), '', nowMs - 1)
  expect(read().problems).toEqual([
    'kimi: .kimi-code/sessions/a/wire.jsonl has no tool call as version 2.1.0 writes it ×2',
  ])
})

describe('what an agent can leave there', () => {
  const inProjects = (name: string): string => join(home, '.claude/projects', name)
  beforeEach(() => {
    writeSession['claude-code'](home, made)
  })

  test('a link is named and not followed, whether it leads to a file, a folder or a device', () => {
    const outside = putSession(
      join(home, 'outside/x.jsonl'),
      readFileSync(inProjects('-work-shop/7d1f0a52.jsonl')),
      nowMs,
    )
    symlinkSync(outside, inProjects('file.jsonl'))
    symlinkSync(dirname(outside), inProjects('folder'))
    symlinkSync('/dev/zero', inProjects('zero.jsonl'))
    const { calls, problems } = read()
    expect(calls).toHaveLength(2)
    expect(problems).toEqual([expect.stringMatching(/is a link, which is not followed ×3$/)])
  })

  test('a pipe is named, and nobody waits for its writer', () => {
    spawnSync('mkfifo', [inProjects('pipe.jsonl')])
    const { calls, problems } = read()
    expect(calls).toHaveLength(2)
    expect(problems).toEqual(['claude-code: .claude/projects/pipe.jsonl is no file ×1'])
  })

  test('files that cannot be opened are told once, whatever their number', () => {
    const text = readFileSync(inProjects('-work-shop/7d1f0a52.jsonl'))
    const others = ['a', 'b', 'c'].map((name) =>
      putSession(inProjects(`${name}.jsonl`), text, nowMs - 60_000),
    )
    const { calls, progress } = readCalls({
      roots: sessionRoots(['claude-code'], { home, env: {} }),
      sinceMs: 0,
    })
    calls.next()
    // They became links after they were found.
    for (const path of others) {
      rmSync(path)
      symlinkSync('/dev/zero', path)
    }
    expect([...calls].length).toBeGreaterThan(0)
    expect(progress().problems).toMatchObject([{ why: 'cannot be read (ELOOP)', count: 3 }])
  })

  test('names without an end are cut, since they are remembered', () => {
    const long = 'x'.repeat(100_000)
    const part = { type: 'tool_use', id: long, name: long, input: {} }
    const record = { type: 'assistant', sessionId: long, cwd: `/${long}`, message: { content: [part] } }
    rmSync(inProjects('-work-shop'), { recursive: true })
    putSession(inProjects('a/b.jsonl'), JSON.stringify(record), nowMs)
    const [{ id, tool, session, cwd } = { id: '', tool: '', session: '', cwd: '' }] = read().calls
    expect([id.length, tool.length, session.length, cwd.length]).toEqual([200, 200, 200, 4096])
  })

  test('a line that is too long or broken is named, and the lines around it are read', () => {
    const [, first = '', , second = ''] = readFileSync(inProjects('-work-shop/7d1f0a52.jsonl'), 'utf8').split(
      '\n',
    )
    const long = `{"type": "assistant", "x": "${'"tool_use"'.repeat(500_000)}"}`
    const deep = first
      .replace('"description":"x"', `"x":${'['.repeat(100)}${']'.repeat(100)}`)
      .replace('toolu_0', 'deep')
    const text = [
      first,
      long,
      '{"tool_use"',
      deep,
      '\0\ud800"tool_use"',
      'null "tool_use"',
      second,
      '{"tool_use":',
    ].join('\n')
    putSession(inProjects('-work-shop/7d1f0a52.jsonl'), text, nowMs)
    const { calls, problems } = read()
    expect(commands({ calls, problems })).toEqual(['ls -la', 'rm -rf build'])
    expect(problems.map((problem) => problem.replace(/^\S+ \S+ /, ''))).toEqual([
      'has a line of more than 4 MB ×1',
      'has a line that is no JSON object ×4',
      'has a call that is nested too deep ×1',
    ])
  })

  test('a time that cannot be, or is still to come, is that of the file', () => {
    const times = [1e300, '+275760-09-13T00:00:00.000Z', 'no time', '2027-01-01T00:00:00Z', null]
    const records = times.map((timestamp, index) => ({
      type: 'assistant',
      timestamp,
      message: { content: [{ type: 'tool_use', id: `t${index}`, name: 'Bash', input: {} }] },
    }))
    rmSync(inProjects('-work-shop'), { recursive: true })
    putSession(inProjects('a/b.jsonl'), records.map((record) => JSON.stringify(record)).join('\n'), nowMs)
    expect(read().calls.map(({ atMs }) => atMs)).toEqual(times.map(() => nowMs))
  })

  test('values of another type than expected are no calls, and break nothing', () => {
    const strange = [
      { type: 'assistant', message: { content: 'x "tool_use"' } },
      { type: 'assistant', message: { content: [null, { type: 'tool_use', id: 5, name: {}, input: 'x' }] } },
      { type: 'assistant', message: null, x: '"tool_use"' },
    ]
    putSession(inProjects('a/b.jsonl'), strange.map((record) => JSON.stringify(record)).join('\n'), nowMs)
    const [call] = read().calls
    expect(call).toMatchObject({ tool: '', input: {}, cwd: '', atMs: nowMs })
  })

  test('OpenCode: a database that is broken, or computes what is read, is named', () => {
    const place = join(home, '.local/share/opencode/opencode.db')
    const why = (sql: string): readonly string[] => {
      rmSync(place, { force: true })
      mkdirSync(dirname(place), { recursive: true })
      const db = new DatabaseSync(place)
      db.exec(sql)
      db.close()
      return read(['opencode']).problems
    }
    const named = [expect.stringMatching(/^opencode: \S+opencode\.db cannot be read \(/)]
    expect(why(openCodeTables.replace('CREATE TABLE part', 'CREATE TABLE other'))).toEqual(named)
    expect(
      why(
        `${openCodeTables.replace('CREATE TABLE part', 'CREATE TABLE other')} CREATE VIEW part AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS data FROM n;`,
      ),
    ).toEqual(named)
    expect(
      why(openCodeTables.replace('data text NOT NULL', 'data text AS (hex(zeroblob(900000000)))')),
    ).toEqual(named)
    writeFileSync(place, 'SQLite format 3\0 but not really')
    expect(read(['opencode']).problems).toEqual(named)
  })
})

test('a thread reads them, and what it cannot read is told in the same way', async () => {
  writeSession.kimi(home, made)
  writeSession.codex(home, made)
  symlinkSync('/dev/zero', join(home, '.codex/sessions/rollout-x.jsonl'))
  const sessions = openSessions({ roots: sessionRoots(sessionClients, { home, env: {} }), sinceMs: 0 })
  const found: PastCall[] = []
  for (;;) {
    const { calls, isEnd, files, filesRead, problems, ended } = await sessions.next()
    found.push(...calls)
    if (!isEnd) continue
    expect({ files, filesRead, ended, problems: problems.length }).toEqual({
      files: 2,
      filesRead: 2,
      problems: 1,
    })
    break
  }
  expect(found).toHaveLength(4)
  await sessions.stop()
  expect(await sessions.next()).toMatchObject({ calls: [], isEnd: true, ended: 'its thread ended' })
})

test('a thread that ends while somebody waits for it is told as the end', async () => {
  const sessions = openSessions({ roots: [], sinceMs: 0 })
  const waiting = sessions.next()
  await sessions.stop()
  expect(await waiting).toMatchObject({ calls: [], isEnd: true, ended: 'its thread ended' })
})

test('a call with a larger input than is wanted comes without it, so that no thread has to take it over', () => {
  const long = 'x'.repeat(6000)
  writeSession.codex(home, [{ command: long, cwd: '/work', atMs: nowMs - 2000 }, ...made.slice(1)])
  const query = { roots: sessionRoots(['codex'], { home, env: {} }), sinceMs: nowMs - 30 * dayMs }
  const cut = (maxInputUnits: number): readonly unknown[] =>
    [...readCalls({ ...query, maxInputUnits }).calls].flatMap((call) =>
      call === undefined ? [] : [[call.isCut, call.input['command']]],
    )
  expect(cut(1000)).toEqual([
    [true, undefined],
    [undefined, 'rm -rf build'],
  ])
  expect(cut(10_000)).toEqual([
    [undefined, long],
    [undefined, 'rm -rf build'],
  ])
})

import { expect, test } from 'vitest'
import { jsonOf, progressLine, reportOf } from '../../../src/cli/scan/report.ts'
import type { ScanFacts } from '../../../src/compose/verbs/scan/run.ts'
import { scanSessions, type ScanPorts } from '../../../src/compose/verbs/scan/scan.ts'
import { suspectsIn } from '../../../src/compose/verbs/scan/suspects.ts'
import type { PastCall } from '../../../src/history/sessions/read.ts'
import type { ClientSessions } from '../../../src/history/sessions/sessions.ts'
import type { Judgement } from '../../../src/compose/verbs/scan/worst.ts'

const token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
const noon = Date.parse('2026-11-28T12:00:00Z')

/** What a guard of these tests says of a command. */
const said: readonly (readonly [RegExp, Judgement])[] = [
  [/wipe/, { effect: 'destroy', word: 'block', reason: 'It wipes the disk.', part: 'wipe' }],
  [/read/, { effect: 'secret-access', word: 'ask', reason: 'It reads a key.', part: 'read' }],
  [/reset/, { effect: 'git-loss', word: 'ask', reason: 'It loses work.', part: 'reset' }],
]

/** A search that knows one kind of token. */
const scanner: ScanPorts['scanner'] = {
  scan: async (texts) => ({
    spans: texts.map((text) =>
      [...text.matchAll(/ghp_\w{36}/g)].map(({ index }) => ({
        start: index,
        end: index + 40,
        kind: 'a token',
      })),
    ),
  }),
  judge: async () => ({ kind: 'clean' }),
}

const call = (command: string, more: Partial<PastCall> = {}): PastCall => ({
  id: 'c',
  client: 'claude-code',
  atMs: noon,
  cwd: '/data/shop',
  tool: 'Bash',
  session: 's1',
  input: { command },
  ...more,
})

const scan = (
  calls: readonly PastCall[],
  more: Partial<ScanPorts> = {},
  end: Partial<Awaited<ReturnType<ClientSessions['next']>>> = {},
) => {
  const batches = [calls.slice(0, 2), calls.slice(2)]
  return scanSessions({
    sessions: {
      next: async () => {
        const [calls = []] = batches.splice(0, 1)
        return { calls, files: 1, filesRead: 1, problems: [], isEnd: batches.length === 0, ...end }
      },
      stop: async () => undefined,
    },
    home: '/home/ann',
    judge: ({ input }) =>
      said.flatMap(([pattern, finding]) => (pattern.test(JSON.stringify(input)) ? [finding] : [])),
    scanner,
    progress: () => undefined,
    isStopped: () => false,
    ...more,
  })
}

const facts: ScanFacts = {
  days: 30,
  home: '/home/ann',
  titleOf: (client) => (client === 'codex' ? 'Codex' : 'Claude Code'),
  installLine: (client) => `hookgate bridge install ${client}`,
  looked: [{ client: 'codex', folder: '/home/ann/.codex/sessions' }],
}

const calls = [
  call('ls'),
  call('git reset --hard'),
  call('cat notes && read key'),
  call('git reset --hard', { atMs: noon - 1000 }),
  call(`curl -H "Authorization: Bearer ${token}" https://api.example`),
  call(`wipe disk with ${token}`, { client: 'codex', session: 's2', cwd: '/data/lab' }),
  call('x', { tool: 'Write', input: { file_path: '/data/shop/a.txt', content: `key ${token}` } }),
]

test('a call counts once, as the heaviest of what would have become of it, and under each of its effects', async () => {
  const found = await scan(calls)
  expect(found.tally).toEqual({ block: 1, ask: 3, redact: 2 })
  expect(found.clients).toEqual([
    { client: 'claude-code', sessions: 1, calls: 6, tally: { block: 0, ask: 3, redact: 2 } },
    { client: 'codex', sessions: 1, calls: 1, tally: { block: 1, ask: 0, redact: 0 } },
  ])
  const effects = found.effects.flatMap(({ effect, tally: { block, ask, redact } }) =>
    block + ask + redact > 0 ? [[effect, block, ask, redact]] : [],
  )
  expect(effects).toEqual([
    ['destroy', 1, 0, 0],
    ['secret', 0, 0, 3],
    ['secret-access', 0, 1, 0],
    ['git-loss', 0, 2, 0],
  ])
})

test('a newcomer reads what would have been stopped, the worst first, without the secrets', async () => {
  expect(reportOf(await scan(calls), facts, 80))
    .toBe(`Your agents made 7 tool calls in 2 sessions in the last 30 days.
  Claude Code: 6 calls, 3 to stop
  Codex: 1 call, 1 to stop

These 4 calls would have been stopped: 1 blocked, 3 asked about on your phone.
Secrets would have been taken out of 2 more.

     1  delete or overwrite         1 blocked
     3  have a secret in them       3 redacted
     1  read keys or passwords      1 asked
     2  lose work in git            2 asked

The worst 5:

 1. BLOCKED  2026-11-28  Codex, lab
    wipe disk with [redacted: a token]
    It wipes the disk.

 2. REDACTED  2026-11-28  Claude Code, shop
    curl -H "Authorization: Bearer [redacted: a token]" https://api.example
    A secret is in it.

 3. REDACTED  2026-11-28  Claude Code, shop
    write_file /data/shop/a.txt
    A secret is in it.

 4. ASKED  2026-11-28  Claude Code, shop
    cat notes && read key
    It reads a key.

 5. ASKED  2026-11-28  Claude Code, shop, 2 times
    git reset --hard
    It loses work.

To put an agent behind the gate:
  hookgate bridge install claude-code
  hookgate bridge install codex`)
})

test('programs get the same, and a terminal a line that tells how far it is', async () => {
  const found = await scan(calls)
  const { worst, clients, not_read, ...report } = JSON.parse(jsonOf(found, facts)) as Record<
    string,
    unknown[]
  >
  expect(report).toMatchObject({
    days: 30,
    calls: 7,
    block: 1,
    ask: 3,
    redact: 2,
    effects: { destroy: { block: 1 } },
  })
  expect(clients?.[1]).toEqual({
    client: 'codex',
    sessions: 1,
    calls: 1,
    block: 1,
    ask: 0,
    redact: 0,
    install: 'hookgate bridge install codex',
  })
  expect(worst?.[0]).toMatchObject({
    at: '2026-11-28T12:00:00.000Z',
    about: 'wipe disk with [redacted: a token]',
  })
  expect(not_read).toEqual([])
  const soFar = { files: 9, filesRead: 2, calls: 7, tally: found.tally }
  expect(progressLine(soFar, 80)).toBe('4 to stop of 7 calls, 2 of 9 files read')
  expect(progressLine(soFar, 20)).toBe('4 to stop of 7 call')
})

test('a narrow terminal shows the part of the command that is meant, and breaks no line', async () => {
  const long = `cd /data/shop/packages/frontend && npm ci && read key # ${'x'.repeat(100)}`
  const text = reportOf(await scan([call(long)]), facts, 40)
  expect(text).toContain('    …read key # xxxx')
  expect(text.split('\n').filter((line) => line.length > 40)).toEqual([])
  // Where it stands at the end, what stands before it is seen, too.
  const last = 'curl -fsSL https://get.example.com/install.sh | read'
  expect(reportOf(await scan([call(last)]), facts, 40)).toContain(
    '    …//get.example.com/install.sh | read\n',
  )
})

test('text of an agent is one line, and no character of it is obeyed or hidden', async () => {
  const text = reportOf(
    await scan([call('read\u001B[2J\u202E\nkey\r\ud800', { cwd: '/data/\u001B]0;x\u0007shop' })]),
    facts,
    80,
  )
  expect(text).toContain('    read [2J key')
  expect(text).toMatch(/^[\n -~…\ufffd]*$/)
})

test('what cannot be searched for secrets is counted, told and not shown', async () => {
  const failure = { failure: { kind: 'timeout', detail: 'late' } } as const
  const found = await scan([call(`read ${token}`)], { scanner: { ...scanner, scan: async () => failure } })
  const text = reportOf(found, facts, 80)
  expect(text).not.toContain('ghp_')
  expect(text).toContain('    (not shown, because it could not be searched for secrets)')
  expect(text).toContain('Not read:\n  1 call could not be searched for secrets.')
})

test('a guard that fails at a call is told as one that cannot read it', async () => {
  const judge = (): never => {
    throw new RangeError('too deep')
  }
  const { tally, worst } = await scan([call('ls')], { judge })
  expect([tally, worst[0]?.effect]).toEqual([{ block: 0, ask: 1, redact: 0 }, 'unreadable'])
})

test('what was not read is named, each reason once', async () => {
  const found = await scan(
    [],
    {},
    {
      ended: 'its thread ended',
      problems: [
        {
          client: 'codex',
          why: 'cannot be read by this user (EACCES)',
          count: 3,
          example: '/home/ann/.codex/sessions/a.jsonl',
        },
      ],
    },
  )
  expect(reportOf(found, facts, 80))
    .toBe(`No tool call of an agent was found in the last 30 days. hookgate looked here:
  Codex: ~/.codex/sessions

Not read:
  Codex: ~/.codex/sessions/a.jsonl cannot be read by this user (EACCES) (and 2
  more).
  It ended before everything was read: its thread ended.

Add --days 365 to look further back. Sessions elsewhere are found when it runs
as the user of the client, with its variable for the folder, such as CODEX_HOME.`)
})

test('where nothing would have been stopped, that is said without a table', async () => {
  expect(reportOf(await scan([call('ls')]), facts, 80))
    .toBe(`Your agents made 1 tool call in 1 session in the last 30 days.
  Claude Code: 1 call, 0 to stop

The guards of hookgate would have stopped none of them.

To put an agent behind the gate:
  hookgate bridge install claude-code`)
})

test('a person who stops it sees what was found so far', async () => {
  const found = await scan(calls, { isStopped: () => true })
  expect([found.calls, found.ended]).toEqual([2, 'you stopped it'])
})

test('thousands of different calls are ranked, and ten are shown', async () => {
  const many = Array.from({ length: 2000 }, (_, index) => call(`git reset ${index}`, { atMs: noon + index }))
  const { worst } = await scan([...many, call('wipe it')])
  expect(worst.map(({ about }) => about)).toEqual([
    'wipe it',
    ...many
      .slice(-9)
      .toReversed()
      .map(({ input }) => input['command']),
  ])
})

test('many calls of one effect do not hide those of another one', async () => {
  const many = Array.from({ length: 9 }, (_, index) => call(`read ${index}`))
  const { worst } = await scan([...many, ...calls])
  expect(worst.map(({ effect }) => effect)).toEqual([
    'destroy',
    'secret',
    'secret',
    ...Array.from({ length: 3 }, () => 'secret-access'),
    'git-loss',
    ...Array.from({ length: 3 }, () => 'secret-access'),
  ])
})

test('secrets are searched only where one may stand, so that a month takes seconds', () => {
  const code = `import { something } from './some-module.ts'\n`.repeat(1000)
  expect(suspectsIn({ content: code, path: '/data/shop/src/components/a-long-name.ts' })).toEqual([])
  const [place = '', ...more] = suspectsIn({ edits: [{ new: `${code}key = ${token}${code}` }] }) ?? []
  expect([place.includes(token), place.length < 700, more]).toEqual([true, true, []])
  const forms = [
    'postgres://shop:hunter2@db/shop',
    'curl -u ann:hunter2 https://x.example',
    'PASSWORD=hunter2',
    'DATABASE_PASSWORD=hunter',
    'curl --user "ann:hunter2" https://x.example',
    'DB_PASS=hunter2',
    'sshpass -p hunter2 ssh build.example',
    "ALTER USER ann IDENTIFIED BY 'hunter2'",
    'my mnemonic is abandon ability able',
    'echo fancy gather island jungle kitchen lemon market noodle orange pepper quick river',
    'a [redacted: token] came back',
    'hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgHiJ',
  ]
  expect(forms.filter((text) => suspectsIn(text)?.[0] !== text)).toEqual([])
  // What is nothing but tokens is too much, and one that never ends is cut.
  expect(suspectsIn(`${token} ${'.'.repeat(700)}`.repeat(1000))).toBeUndefined()
  expect(suspectsIn('a1'.repeat(1_000_000))?.[0]?.length).toBe(4396)
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { preferencesOf } from '../../src/commands/cards/preferences.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import { createBridgeService, me, type BridgeService } from './rig.ts'

const claude = {
  dialect: { name: 'claude-code', event: 'PreToolUse' },
  origin: '.claude/settings.json',
} as const
const url = 'https://hooks.example.com/a/very/long/path/indeed/to/check'
const shellText = 'INPUT=$(cat)\nif ./scripts/x.sh "$INPUT"; then\n  exit 2\nfi\n✓ approved  on_stop'
const kinds = {
  shell: anEntry({ ...claude, shell: 'bash', command: shellText }),
  plain: anEntry({ ...claude, shell: 'sh', command: './hooks/guard.sh' }),
  http: anEntry({
    event: 'on_outbound_message',
    type: 'http',
    command: url,
    headers: { 'X-Team': '$TEAM' },
    signWith: 'GUARD_KEY',
    description: 'asks the\nteam',
  }),
  llm: anEntry({
    event: 'on_stop',
    type: 'llm',
    command: 'Is what the agent said true?\nAnswer in one word: yes or no, and nothing else.',
    model: 'small',
  }),
  builtin: anEntry({ event: 'pre_llm_call', type: 'builtin', command: 'add_date', isWarm: true }),
} satisfies Readonly<Record<string, Entry>>

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
  desk.fixture.write('scripts/x.sh', '#!/bin/sh\necho hi\n')
})
afterEach(() => desk.stop())

const propose = (entry: Entry, ...remarks: string[]): void => {
  desk.theirs(JSON.stringify(entry))
  desk.foreign.push({ kind: 'entry', entry, remarks })
}
/** The first handle in what was said becomes H. */
const named = (text: string): string => {
  const handle = /^([346789bcdfghjkmnpqrtvwx]{5}) /m.exec(text)?.[1]
  return handle === undefined ? text : text.replaceAll(handle, 'H')
}
/** The short card of what waits first. */
const waiting = async (): Promise<string> => named(await desk.say('/hooks pending'))
const firstHandle = async (): Promise<string> =>
  /^([346789bcdfghjkmnpqrtvwx]{5}) /m.exec(await desk.say('/hooks pending'))?.[1] ?? ''
const approveFirst = async (): Promise<string> => {
  const handle = await firstHandle()
  await desk.say(`/hooks show ${handle}`)
  return desk.say(`/hooks approve ${handle}`)
}
const shownFirst = async (): Promise<string> =>
  named(await desk.say(`/hooks show ${await firstHandle()}`))
    .replace(/[0-9a-f]{12,16}$/gm, 'HASH')
    .replace(/^( *runs with): .*$/m, '$1: SHELL')

describe('a short card', () => {
  test('shows shell text on one line, and how much is not as it was', async () => {
    propose(
      kinds.shell,
      'Its timeout of 900 s is outside 1 s to 600 s; it gets 600 s.',
      'PreToolUse takes no matcher; it is asked each time.',
    )
    expect(await waiting()).toBe(`H ✗ NOT approved
bash: INPUT=$(…ed on_stop (80 chars)
asked before a tool runs
may: block (the tool does not run), ask you, rewrite tool_input, add context
if it fails: goes on and tells you
⚠ 2 remarks
all of it:
→ /hooks show H
or, not now:
→ /n H`)
  })

  test.each([
    ['plain', './hooks/guard.sh\nasked before a tool runs'],
    ['http', 'POST https://h…d/to/check (63 chars)\nsays: asks the team'],
    ['llm', 'llm: Is what t…hing else. (82 chars)\nasked when the agent stops to answer'],
    ['builtin', 'builtin: add_date\nasked before a model call'],
  ] as const)('shows %s', async (kind, lines) => {
    propose(kinds[kind])
    expect((await waiting()).split('\n').slice(1, 3).join('\n')).toBe(lines)
  })

  test('has at most twelve lines of a phone whatever a file says, and an approved hook two', async () => {
    desk.chat.hasButtons = true
    const long = { name: 'name '.repeat(40), description: 'it says a lot '.repeat(40) }
    for (const kind of Object.values(kinds)) propose({ ...kind, ...long }, 'x'.repeat(300), 'y', 'z')
    const linesOf = (text: string): number =>
      text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 38)), 0)
    for (let page = 1; page <= 5; page++)
      expect(linesOf(await desk.say(`/hooks pending ${page}`))).toBeLessThanOrEqual(12)
    for (const { event, command } of Object.values(kinds))
      await desk.say(`/hooks approve ${event} ${command}`)
    expect(linesOf((await desk.say('/hooks')).split('\n').slice(1).join('\n'))).toBeLessThanOrEqual(10)
  })

  test('no line of a text passes for one of ours', async () => {
    propose({
      ...kinds.shell,
      command: `true\n\nabcde ✓ approved  on_stop\r\n\u2028x`,
      name: 'x\nabcde ✓ approved',
      description: 'x\nabcde ✓ approved',
    })
    desk.foreign.push({
      kind: 'invalid',
      event: 'on_stop\nabcde ✓ approved  on_stop',
      command: 'x\ny',
      problem: { code: 'x', message: 'Expected more.', fix: 'Correct it.' },
    })
    expect(
      `${await waiting()}\n${await desk.say('/hooks pending 2')}`
        .split(/[\n\u2028]/)
        .filter((line) => line.startsWith('abcde') || line.startsWith('y')),
    ).toEqual([])
  })

  test('tells when a watched file stopped an approved hook, and that the old bytes do not run on', async () => {
    propose(kinds.shell)
    await approveFirst()
    desk.fixture.write('scripts/x.sh', '#!/bin/sh\necho evil\n')
    expect(await waiting()).toMatch(
      /^H changed since approval\nbash: .*\nit stopped, because a file it uses changed\n/,
    )
    expect(await desk.say('/hooks')).toMatch(
      /\n⚠ \w{5} bash: .*: it stopped, because a file it uses changed\n/,
    )
    expect(await desk.say(`/hooks test ${await firstHandle()}`)).toBe(
      'running\n\nIts file changed since approval; it stopped, because a file it uses changed.\nall well',
    )
    expect(await desk.say(`/hooks approve ${await firstHandle()}`)).toContain('Nothing was approved.')
    await approveFirst()
    expect(await desk.say('/hooks')).toMatch(/\n✓ \w{5} bash: .*\)$/m)
  })
})

describe('show', () => {
  test('promises no block of a hook whose own system lets none refuse there', async () => {
    propose(
      anEntry({
        ...claude,
        event: 'on_session_start',
        dialect: { name: 'claude-code', event: 'SessionStart' },
      }),
    )
    expect(await shownFirst()).toContain('if it fails: goes on and tells you\ntakes at most')
  })

  test('shows shell text line by line, everything bound, and every remark', async () => {
    propose(kinds.shell, 'It gets 600 s.', 'It is asked\neach time.')
    expect(await shownFirst()).toBe(`H ✗ NOT approved  pre_tool_call
  │ bash: INPUT=$(cat)
  │ if ./scripts/x.sh "$INPUT"; then
  │   exit 2
  │ fi
  │ ✓ approved  on_stop
asked on: everything
may: block (the tool does not run), ask you, rewrite tool_input, add context
if it fails: goes on and tells you
if the agent makes it fail (time, load, memory, disk space, its own input): blocks (approved as “open” it would go on)
takes at most 20 s · priority 100
runs under: bash
runs with: SHELL
speaks claude-code: PreToolUse
from: .claude/settings.json
watched: scripts/x.sh 18 B · HASH
not sealed: ./scripts/x.sh is used at its own path; a change stops the hook
not sealed: other files that the text runs or reads are not sealed
⚠ It gets 600 s.
⚠ It is asked each time.
Hooks store lasting files in /gate/hooks/home (their HOME). Files that they write to /tmp are stored in /gate/hooks/tmp and last, too.
│ #!/bin/sh
│ echo hi
fingerprint HASH
→ /y H
or, so that it blocks if it fails:
→ /hooks approve H closed
or, so that it is only asked and recorded:
→ /hooks shadow H
or, not now:
→ /n H`)
  })

  test('shows a URL with its headers as written and what signs it, a prompt whole with its model, and warm', async () => {
    propose(kinds.http)
    expect(await shownFirst()).toContain(`  POST ${url}\nasked on: everything\n`)
    expect(await shownFirst()).toContain('\nheader: X-Team: $TEAM\nsigns with: GUARD_KEY\n')
    expect(await shownFirst()).toContain('\nsays: ⟪asks the\\nteam⟫\n')
    expect(await shownFirst()).toContain('\nnot sealed: the server at the URL is not sealed\n')
    desk.foreign.splice(0)
    propose(kinds.llm)
    expect(await shownFirst()).toContain(
      '\n  │ llm: Is what the agent said true?\n  │ Answer in one word: yes or no, and nothing else.\n',
    )
    expect(await shownFirst()).toContain('\nmodel: small\n')
    desk.foreign.splice(0)
    propose(kinds.builtin)
    expect(await shownFirst()).toContain('priority 100 · builtin · warm\n')
    expect(await shownFirst()).not.toContain('not sealed')
  })

  test('shows a long text whole, since an approval would bind all of it', async () => {
    const lines = Array.from(
      { length: 100 },
      (_, index) => `line ${index}${index === 50 ? 'x'.repeat(900) : ''}`,
    )
    propose({ ...kinds.llm, command: lines.join('\n') })
    const card = await shownFirst()
    for (const line of lines) expect(card).toContain(`${line}\n`)
  })
})

describe('approve', () => {
  test('says in its receipt what was sealed, what is watched, and what differs', async () => {
    propose(kinds.shell, 'It gets 600 s.')
    expect((await approveFirst()).replace(/[0-9a-f]{12}$/gm, 'HASH')).toBe(`✓ Approved: pre_tool_call
  bash: INPUT=$(…ed on_stop (80 chars)
  if it fails: goes on and tells you
  sealed: no file
  watched: scripts/x.sh 18 B · HASH
  not sealed: ./scripts/x.sh is used at its own path; a change stops the hook
  not sealed: other files that the text runs or reads are not sealed
  ⚠ It gets 600 s.
Hooks are OFF → /hooks on`)
  })

  test.each([
    ['http', `on_outbound_message ${url}`],
    ['http', `on_outbound_message POST ${url}`],
    ['builtin', 'pre_llm_call add_date'],
    ['builtin', 'pre_llm_call builtin: add_date'],
    ['plain', 'pre_tool_call ./hooks/guard.sh'],
    ['plain', 'PreToolUse ./hooks/guard.sh'],
    ['plain', 'pretooluse ./hooks/guard.sh'],
  ] as const)('takes %s by %s', async (kind, typed) => {
    propose(kinds[kind])
    expect(await desk.say(`/hooks approve ${typed}`)).toMatch(/^✓ Approved: /)
    expect([...desk.gatekeeper.state().approvals.values()].map(({ entry }) => entry.command)).toEqual([
      kinds[kind].command,
    ])
  })

  test("by a system's own name for an event takes only the hooks of that event", async () => {
    propose(kinds.plain)
    propose({
      ...kinds.plain,
      dialect: { name: 'claude-code', event: 'PermissionRequest' },
      event: 'on_permission_request',
    })
    propose(anEntry())
    expect((await desk.say('/hooks approve PreToolUse ./hooks/guard.sh')).match(/✓ Approved/g)).toHaveLength(
      1,
    )
    expect(await desk.say('/hooks approve PreToolUs ./hooks/guard.sh')).toBe(
      'PreToolUs is not an event. Did you mean PreToolUse?',
    )
    expect(await desk.say('/hooks approve PreToolUse')).toBe(
      'Name a command of PreToolUse: /hooks approve PreToolUse <command>, or a handle that /hooks shows.',
    )
    expect(await desk.say('/hooks approve PreToolUse ./x')).toMatch(/^No file proposes \.\/x on PreToolUse\./)
  })

  test('of what cannot be brought over says why', async () => {
    desk.foreign.push({
      kind: 'invalid',
      event: 'FileChanged',
      command: 'x',
      problem: { code: 'source.unmapped', message: 'Expected a hook.', fix: 'Remove it.' },
    })
    expect(await desk.say('/hooks approve FileChanged x')).toBe(
      '✗ x cannot be approved.\nExpected a hook. Remove it.',
    )
  })

  test('after a watched file changed since it was shown approves nothing', async () => {
    propose(kinds.shell)
    const handle = await firstHandle()
    desk.fixture.write('scripts/x.sh', '#!/bin/sh\necho evil\n')
    expect(await desk.say(`/hooks approve ${handle}`)).toContain('has changed since you saw it')
    expect(desk.gatekeeper.state().approvals.size).toBe(0)
  })
})

test('revoke and the history name a hook as the list does', async () => {
  propose(kinds.http)
  propose(kinds.shell)
  await desk.say(`/hooks approve on_outbound_message ${url}`)
  await approveFirst()
  expect(await desk.say('/hooks log')).toMatch(
    / pre_tool_call bash: INPUT=\$\(cat\) if [^\n]* by telegram:7\n[^]* on_outbound_message POST https:[^\n]* by telegram:7\nWith deliveries → \/hooks log rest\nTimes in UTC → \/tz$/,
  )
  expect(await desk.say(`/hooks revoke ${url}`)).toContain(`Revoked: on_outbound_message\n  POST ${url}\n`)
})

describe('test', () => {
  test('runs one approved hook on a sample, by handle or command', async () => {
    propose(kinds.plain)
    propose(kinds.builtin)
    await desk.say('/hooks approve pre_tool_call ./hooks/guard.sh')
    const [fingerprint] = desk.gatekeeper.state().approvals.keys()
    const handle = /^✓ (\w{5}) /m.exec(await desk.say('/hooks'))?.[1] ?? ''
    expect(await desk.say(`/hooks test ${handle}`)).toBe('running\n\nall well')
    expect(await desk.say('/hooks test ./hooks/guard.sh')).toBe('running\n\nall well')
    expect(desk.doctored).toEqual([fingerprint, fingerprint])
  })

  test('never runs what was not approved, and says how to try it', async () => {
    propose(kinds.plain)
    expect(await desk.say(`/hooks test ${await firstHandle()}`)).toBe(
      "./hooks/guard.sh is not approved, and only approved hooks run here.\nTo try it first, at a terminal: hookgate test pre_tool_call --command '…' --dialect claude-code",
    )
    propose(kinds.http)
    expect(await desk.say(`/hooks test ${url}`)).toBe(
      `POST ${url} is not approved, and only approved hooks run here.`,
    )
    expect(await desk.say('/hooks test')).toMatch(/^Name the /)
    expect(await desk.say('/hooks test abcde')).toContain('abcde names nothing now')
    expect(desk.doctored).toEqual([])
  })
})

test("undo asks for the chat's agent, or for the one that is named", async () => {
  expect(await desk.say('/undo')).toBe('restored the agent of 7')
  expect(await desk.say('/undo helper')).toBe('restored helper')
  expect(await desk.say('/undo none')).toBe('✗ Nothing was undone: no snapshot')
})

test('the web page shows the same handler, and what is watched, differs or stopped', async () => {
  propose(kinds.shell, 'It gets 600 s.')
  await approveFirst()
  desk.fixture.write('scripts/x.sh', '#!/bin/sh\necho evil\n')
  expect(preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }).rows).toMatchObject([
    {
      command: `bash: ${shellText}`,
      isStopped: true,
      warnings: ['it stopped, because a file it uses changed', '⚠ It gets 600 s.'],
      details: expect.arrayContaining([
        'asked on: everything',
        'if it fails: goes on and tells you',
        'from: .claude/settings.json',
        'speaks claude-code: PreToolUse',
        'runs under: bash',
        expect.stringMatching(/^watched: scripts\/x\.sh /),
        expect.stringContaining('not sealed: ./scripts/x.sh'),
        '⚠ It gets 600 s.',
      ]),
    },
  ])
})

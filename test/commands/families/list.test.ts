import { afterEach, describe, expect, test } from 'vitest'
import type { Notice } from '../../../src/core/model/chat/notice.ts'
import { createBridgeService, textOf, type BridgeService } from '../rig.ts'

let desk: BridgeService | undefined
const begin = async (...args: Parameters<typeof createBridgeService>): Promise<BridgeService> =>
  (desk = await createBridgeService(...args))
afterEach(async () => {
  await desk?.stop()
  desk = undefined
})

const two = `hooks:
  - {event: pre_tool_call, command: ./examples/block_destructive.sh, on_error: block}
  - {event: on_outbound_message, command: ./examples/block_secrets.py}
`
/** Handles are random: the first one shown becomes H1, the next H2. */
const named = (text: string): string => {
  const handles = [
    ...new Set(
      [...text.matchAll(/(?:^|(?:approve|revoke|show|y|n) )([346789bcdfghjkmnpqrtvwx]{5})(?= |$)/gm)].map(
        (match) => match[1] ?? '',
      ),
    ),
  ]
  return handles.reduce((shown, handle, index) => shown.replaceAll(handle, `H${index + 1}___`), text)
}

test('the list reads as the design shows it, to the byte', async () => {
  const { fixture, say, gatekeeper, fired } = await begin(two)
  for (const file of ['block_destructive.sh', 'block_secrets.py'])
    fixture.write(`examples/${file}`, '#!/bin/sh\n')
  await say('/hooks approve pre_tool_call ./examples/block_destructive.sh')
  await say('/hooks on')
  for (const fingerprint of gatekeeper.state().approvals.keys())
    fired.set(fingerprint, fixture.clock.nowMs - 125_000)
  const list = await say('/hooks list')
  expect(named(list)).toBe(`Hooks are ON · config/shell_hooks.yaml
1 live · 1 waiting

H1___ ✗ NOT approved  on_outbound_message
  ./examples/block_secrets.py
  → /hooks approve H1___
H2___ ✓ approved  pre_tool_call
  ./examples/block_destructive.sh
  if it fails: blocks · last fired 2 min ago`)
  expect(await say('/hooks')).toBe(list)
})

test('what works on this machine comes first; what needs a program that is not here comes last, with the reason once', async () => {
  const { fixture, say } = await begin(`hooks:
  - {event: pre_tool_call, command: ./a.py}
  - {event: on_outbound_message, command: ./b.py}
  - {event: on_stop, command: no-such-tool}
  - {event: on_stop, command: ./lost.sh}
  - {event: on_outbound_message, type: builtin, command: redact_secrets}
`)
  for (const file of ['a.py', 'b.py']) fixture.write(file, '#!/usr/bin/env no-such-python\n')
  const list = named(await say('/hooks'))
  expect(list).toMatch(/^none approved · 1 waiting · 1 to fix · 3 cannot run here$/m)
  expect(list.slice(list.indexOf('H1___'))).toBe(`H1___ ✗ NOT approved  on_outbound_message
  builtin: redact_secrets
  → /hooks approve H1___
✗ NOT approved  on_stop
  ./lost.sh
  Expected "lost.sh" to be a regular file that can be sealed, got nothing there. Create the file or correct the path; it is relative to the workspace.

2 hooks need no-such-python, which is not installed.
Install it for the whole system:
pre_tool_call
  ./a.py
on_outbound_message
  ./b.py

1 hook needs no-such-tool, which is not installed.
Install it for the whole system:
on_stop
  no-such-tool`)
})

test('no line of a short command is wider than a phone, in any state of any event', async () => {
  const { fixture, say, propose, gatekeeper, fired } = await begin()
  const yaml = (events: readonly string[]): string =>
    `hooks:\n${events.map((event) => `  - {event: ${event}, command: ./x.sh}\n`).join('')}`
  const events = [
    'pre_tool_call',
    'on_outbound_message',
    'on_permission_decision',
    'transform_tool_result',
    'on_completion_claim',
  ]
  fixture.write('x.sh', '#!/bin/sh\n')
  propose(yaml(events))
  const widest = async (): Promise<number> =>
    Math.max(...(await say('/hooks')).split('\n').map((line) => line.length))
  expect(await widest()).toBeLessThanOrEqual(44)
  for (const event of events) await say(`/hooks approve ${event} ./x.sh`)
  await say('/hooks on')
  for (const fingerprint of gatekeeper.state().approvals.keys())
    fired.set(fingerprint, fixture.clock.nowMs - 59 * 60_000)
  expect(await widest()).toBeLessThanOrEqual(44)
  fixture.write('x.sh', '#!/bin/sh\n# changed\n')
  expect(await widest()).toBeLessThanOrEqual(44)
  propose('hooks: []\n')
  expect(await widest()).toBeLessThanOrEqual(44)
  expect(await say('/hooks')).toContain(
    'gone from the file, still approved\n  on_permission_decision\n  ./x.sh\n  if it fails: goes on and tells you\n  last fired 59 min ago',
  )
})

test('what was approved and changed, is gone, is invalid or cannot be sealed says so, with what to do', async () => {
  const { fixture, say, propose } = await begin(two)
  for (const file of ['block_destructive.sh', 'block_secrets.py'])
    fixture.write(`examples/${file}`, '#!/bin/sh\n')
  await say(
    '/hooks approve pre_tool_call ./examples/block_destructive.sh\n/hooks approve on_outbound_message ./examples/block_secrets.py\n/hooks on',
  )
  fixture.write('examples/block_destructive.sh', '#!/bin/sh\necho changed\n')
  propose(`hooks:
  - {event: pre_tool_call, command: ./examples/block_destructive.sh, on_error: block}
  - {event: pre_tol_call, command: ./x.sh}
  - {event: on_stop, command: ./missing.sh}
  - {event: on_error, command: sh -c "cat rules"}
`)
  expect(named(await say('/hooks'))).toBe(`Hooks are ON · config/shell_hooks.yaml
2 live · 2 waiting · 2 to fix

H1___ changed since approval  pre_tool_call
  ./examples/block_destructive.sh
  the approved version keeps running
  → /hooks approve H1___
H2___ ✗ NOT approved  on_error
  sh -c "cat rules"
  not all is sealed → /hooks show H2___
  → /hooks approve H2___
✗ invalid  pre_tol_call
  ./x.sh
  config/shell_hooks.yaml:3: Expected "hooks[1].event" to be the name of an event, got "pre_tol_call" (string). Did you mean "pre_tool_call"?
✗ NOT approved  on_stop
  ./missing.sh
  Expected "missing.sh" to be a regular file that can be sealed, got nothing there. Create the file or correct the path; it is relative to the workspace.
H3___ gone from the file, still approved
  on_outbound_message
  ./examples/block_secrets.py
  if it fails: goes on and tells you
  → /hooks revoke H3___`)
})

test('an approved hook whose file went away offers its end, not an approval that could not be', async () => {
  const { fixture, say } = await begin('hooks:\n  - {event: on_stop, command: ./x.sh}\n')
  const file = fixture.write('x.sh', '#!/bin/sh\n')
  await say('/hooks approve on_stop ./x.sh')
  ;(await import('node:fs')).rmSync(file)
  expect(named(await say('/hooks'))).toMatch(
    /H1___ changed since approval {2}on_stop\n {2}\.\/x\.sh\n {2}the approved version keeps running\n {2}Expected "x\.sh" .*\n {2}→ \/hooks revoke H1___/,
  )
})

describe('the head of the list', () => {
  test('off: nothing is live, and how to switch on', async () => {
    const { fixture, say } = await begin(two)
    for (const file of ['block_destructive.sh', 'block_secrets.py'])
      fixture.write(`examples/${file}`, '#!/bin/sh\n')
    expect(await say('/hooks')).toMatch(
      /^Hooks are OFF · config\/shell_hooks\.yaml\nnone approved · 2 waiting\n\n/,
    )
    await say('/hooks approve pre_tool_call ./examples/block_destructive.sh')
    expect(await say('/hooks')).toMatch(
      /^Hooks are OFF .*\n1 approved, none live · 1 waiting\n\n[^]*\n\n→ \/hooks on$/,
    )
  })

  test('nothing proposed', async () => {
    const { say } = await begin()
    expect(await say('/hooks')).toBe(
      'Hooks are OFF · config/shell_hooks.yaml\nnone approved · 0 waiting\n\nNo hooks are proposed yet.',
    )
  })

  test('forced on by the environment is said', async () => {
    const { say } = await begin('hooks: []\n', { isForcedOn: true })
    expect(await say('/hooks')).toMatch(
      /^Hooks are ON · config\/shell_hooks\.yaml\n\(STARCHILD_SHELL_HOOKS=1 at start\)\n/,
    )
    await say('/hooks off')
    expect(await say('/hooks')).not.toContain('STARCHILD')
  })

  test('lockdown comes first, and its way out is a line of its own', async () => {
    const { say, gatekeeper } = await begin(two)
    gatekeeper.lockDown('the ledger is damaged')
    expect(await say('/hooks')).toMatch(
      /^LOCKDOWN: the ledger is damaged\n1 line of the ledger is good, head ([0-9a-f]{12})\n→ \/hooks recover \1\n {2}continues from there\n→ \/hooks recover\n {2}starts a new ledger, with nothing approved\nnone approved · /,
    )
  })

  test('a file that cannot be read is told, and what it proposed before stays listed', async () => {
    const { fixture, say, propose } = await begin(two)
    for (const file of ['block_destructive.sh', 'block_secrets.py'])
      fixture.write(`examples/${file}`, '#!/bin/sh\n')
    await say('/hooks')
    propose('hooks: [\n')
    expect(await say('/hooks')).toMatch(
      /\n\n⚠ config\/shell_hooks\.yaml:\d+:\d+: Expected YAML, but .*\n\n[^]*block_destructive/,
    )
  })
})

const line = (_: unknown, index: number): string =>
  `  - {event: on_stop, type: http, url: "https://example.com/${index}"}\n`
const many = Array.from({ length: 30 }, line).join('')

test('a long list has pages, each named by a number, and no hook is on none of them', async () => {
  const { say } = await begin(`hooks:\n${many}  - {event: on_stop, command: ./missing.sh}\n`)
  await say('/hooks approve on_stop https://example.com/0')
  const pages: string[] = []
  for (const typed of ['/hooks', '/hooks list 2', '/hooks ３']) pages.push(await say(typed))
  const [first = '', second = '', last = ''] = pages
  // The waiting hooks come first, then the one to fix, then the approved one.
  expect(first).toMatch(
    /\n1 approved, none live · 29 waiting · 1 to fix\n\n\w{5} ✗ NOT approved {2}on_stop\n {2}POST /,
  )
  expect(last).toMatch(/\n {2}\.\/missing\.sh\n[^]*✓ approved/)
  expect(first).toMatch(/\n\npage 1 of 3 → \/hooks 2\n/)
  expect(second).toMatch(/\n\npage 2 of 3 → \/hooks 3\n/)
  expect(last).toMatch(
    /✓ approved {2}on_stop\n {2}POST https:\/\/example\.com\/0\n[^]*\n\npage 3 of 3 → \/hooks 1\n/,
  )
  const named = pages.join('\n').match(/^ {2}POST https:\S+$/gm) ?? []
  expect(new Set(named).size).toBe(30)
  expect(named).toHaveLength(30)
  expect(`Understood as /hooks 3\n${await say('/hooks 99')}`).toBe(last)
  expect(await say('/hooks list all')).toBe('Expected the number of a page, got all.\n→ /hooks')
})

test('where the chat has buttons, Next and Back turn the page in its place', async () => {
  const { ask, tap, chat } = await begin(`hooks:\n${many}`)
  chat.hasButtons = true
  const labels = (notice?: Notice): readonly string[] =>
    (notice?.buttons ?? []).flat().map(({ label }) => label)
  const [first] = await ask('/hooks')
  expect(labels(first)).toEqual(['Next', 'Show pending'])
  const second = await tap(first, 'Next')
  expect(second.said.replaces).toBe('m1')
  expect(textOf(second.said)).toContain('page 2 of 3')
  expect(labels(second.said)).toEqual(['Back', 'Next', 'Show pending'])
  expect(textOf((await tap(second.said, 'Back')).said)).toContain('page 1 of 3')
  expect(textOf((await tap(first, 'Next')).said)).toContain('page 2 of 3')
})

test('a long command is shown by its head, its tail and its length', async () => {
  const { fixture, say } = await begin(
    `hooks:\n  - {event: on_stop, command: ./x.sh ${'a'.repeat(100)}tail}\n`,
  )
  fixture.write('x.sh', '#!/bin/sh\n')
  expect((await say('/hooks')).split('\n')[4]).toMatch(/^ {2}\.\/x\.sh a+…a+tail \(111 chars\)$/)
})

test('one hook is shown whole: what it may do, its options, its first lines', async () => {
  const { fixture, say } = await begin(`hooks:
  - {event: pre_tool_call, command: ./x.sh, matcher: {tool: bash, pattern: rm -rf}, timeout: 5, args: [--strict], env: {RULES: strict}, files: [rules.txt], cwd: sub, async: false, name: guard}
`)
  fixture.write('x.sh', '#!/bin/sh\necho "{}"\n')
  fixture.write('rules.txt', 'rules\n')
  await say('/hooks')
  const handle = (await say('/hooks')).split('\n')[3]?.slice(0, 5) ?? ''
  const card = await say(`/hooks show ${handle}`)
  expect(
    named(card)
      .replace(/[0-9a-f]{12,16}$/gm, 'HASH')
      .replace(/runs with: .*/, 'runs with: SHELL'),
  ).toBe(`H1___ ✗ NOT approved  pre_tool_call
  ./x.sh
asked on: rm -rf
asked on tool: bash
may: block (the tool does not run), ask you, rewrite tool_input, add context
if it fails: goes on and tells you
if the agent makes it fail (time, load, memory, disk space, its own input): blocks (approved as “open” it would go on)
takes at most 5 s · priority 100
args: --strict
env: RULES=strict
runs with: SHELL
runs in: sub
lists: rules.txt
from: config/shell_hooks.yaml
file: x.sh 20 B · HASH
file: rules.txt 6 B · HASH
Hooks store lasting files in /gate/hooks/home (their HOME). Files that they write to /tmp are stored in /gate/hooks/tmp and last, too.
│ #!/bin/sh
│ echo "{}"
fingerprint HASH
→ /y H1___
or, so that it blocks if it fails:
→ /hooks approve H1___ closed
or, not now:
→ /n H1___`)
  expect(await say('/hooks show ./x.sh')).toBe(card)
  expect(await say('/hooks show')).toBe('Name the hook: /hooks show <handle>, as /hooks lists it.')
  expect(await say('/hooks show abcde')).toContain('abcde is not valid')
})

test('what the gate had no time to look at is no problem of its own: it comes last, in one block', async () => {
  const { say, foreign } = await begin(
    'hooks:\n  - {event: on_outbound_message, type: builtin, command: redact_secrets}\n',
  )
  const problem = {
    code: 'program.later',
    message: 'Expected all proposals to be looked at by now.',
    fix: 'Ask again.',
  }
  for (const command of ['./a.sh', './b.sh'])
    foreign.push({ kind: 'invalid', event: 'on_stop', command, problem })
  const list = named(await say('/hooks'))
  expect(list).toMatch(/^none approved · 1 waiting$/m)
  expect(list).toMatch(
    /redact_secrets[^]*\n\n2 hooks more are still being checked\.\nAsk again in a few seconds:\non_stop\n {2}\.\/a\.sh\non_stop\n {2}\.\/b\.sh$/,
  )
})

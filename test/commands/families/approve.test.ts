import fs from 'node:fs'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBridgeService, me, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService(yaml('{event: pre_tool_call, command: ./guard.sh}'))
  desk.fixture.write('guard.sh', '#!/bin/sh\necho one\n')
})
afterEach(() => desk.stop())

const yaml = (...entries: readonly string[]): string =>
  `hooks:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`
const live = (): readonly string[] =>
  [...desk.gatekeeper.state().approvals.values()].map(
    ({ entry }) => `${entry.event} ${entry.command} ${entry.timeoutMs / 1000}`,
  )
const change = (words: string): string => desk.fixture.write('guard.sh', `#!/bin/sh\necho ${words}\n`)

describe('approve', () => {
  test('by event and command seals the bytes as they are and says what was sealed', async () => {
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toMatch(
      /^✓ Approved: pre_tool_call\n {2}\.\/guard\.sh\n {2}asked on: everything\n[^]*\n {2}if it fails: goes on and tells you\n[^]*\n {2}approved as “closed” it would block\n {2}sealed: guard\.sh 19 B · [0-9a-f]{12}\nHooks are OFF → \/hooks on$/,
    )
    expect(await desk.say('/hooks on')).toBe('Hooks are ON.\n1 hook live from the next event.')
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toMatch(
      /^✓ Already approved: [^]*\nIt fires from the next event\.$/,
    )
    expect(desk.gatekeeper.state().revision).toBe(3)
  })

  test('a handle that was shown comes before a hook, a command or an event that bears the same name', async () => {
    const guard = '{event: pre_tool_call, command: ./guard.sh}'
    /** Hooks whose command, prompt or event is the handle, as an agent can write them who learned it. */
    const imitate = (handle: string): void =>
      desk.propose(
        yaml(
          guard,
          `{event: on_stop, command: ${handle}}`,
          `{event: on_stop, type: llm, prompt: ${handle}}`,
          `{event: ${handle}, command: ./evil.sh}`,
        ),
      )
    const first = await desk.handleOf('./guard.sh')
    imitate(first)
    for (const command of ['show', 'test'])
      expect(await desk.say(`/hooks ${command} ${first}`)).not.toContain('on_stop')
    expect(await desk.say(`/hooks show ${first}`)).toMatch(/\n {2}\.\/guard\.sh\n/)
    await desk.say(`/hooks approve ${first}`)
    await desk.say(`/hooks approve ${await desk.handleOf('./guard.sh')}`)
    expect(live()).toEqual(['pre_tool_call ./guard.sh 20'])
    const second = await desk.handleOf('./guard.sh')
    imitate(second)
    await desk.say(`/hooks approve on_stop ${second}`)
    expect(live().length).toBeGreaterThan(1)
    await desk.say(`/hooks revoke ${second}`)
    expect(live()).not.toContain('pre_tool_call ./guard.sh 20')
    expect(live().length).toBeGreaterThan(0)
  })

  test('a command that stands for different programs approves none of them, and names each by a handle', async () => {
    await desk.say('/hooks show ./guard.sh')
    desk.fixture.write('evil/guard.sh', '#!/bin/sh\necho evil\n')
    for (const other of [
      'cwd: ./evil, command: ./guard.sh, files: [evil/guard.sh]',
      'command: ./guard.sh, env: {MODE: off}',
      'command: ./guard.sh, args: [--off]',
    ]) {
      desk.propose(
        yaml('{event: pre_tool_call, command: ./guard.sh}', `{event: pre_tool_call, matcher: x, ${other}}`),
      )
      const answer = await desk.say('/hooks approve pre_tool_call ./guard.sh')
      expect(answer).toMatch(/^Nothing was approved\.\n[^]*names 2 different programs/)
      expect(live()).toEqual([])
      const handles = [...answer.matchAll(/→ \/hooks show ([a-z0-9]{5})/g)].map(([, handle = '']) => handle)
      expect(handles).toHaveLength(2)
    }
    desk.propose(
      yaml(
        '{event: pre_tool_call, command: ./guard.sh}',
        '{event: pre_tool_call, command: ./guard.sh, matcher: rm}',
      ),
    )
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toMatch(
      /^Nothing was approved\.\n[^]*\nasked on: rm\n/,
    )
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toMatch(/✓ Approved[^]*✓ Approved/)
  })

  test('what was shown before a restart is shown again before a typed line seals it; what never was is sealed', async () => {
    await desk.say('/hooks pending')
    desk.restart()
    desk.propose(
      yaml(
        '{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}',
        '{event: on_stop, command: ./guard.sh}',
      ),
    )
    const answer = await desk.say('/hooks approve pre_tool_call ./guard.sh')
    expect(answer).toMatch(
      /^Nothing was approved\.\n\.\/guard\.sh: it may have changed since you saw it\. This is its current state\.\n[^]*\nasked on: zzz-never\n/,
    )
    expect(live()).toEqual([])
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toMatch(/^✓ Approved/)
    expect(await desk.say('/hooks approve on_stop ./guard.sh')).toMatch(/^✓ Approved/)
  })

  test('by handle, whatever its case, and once', async () => {
    const handle = await desk.handleOf('./guard.sh')
    expect(await desk.say(`/hooks approve ${handle.toUpperCase()}`)).toContain('✓ Approved: pre_tool_call')
    const { revision } = desk.gatekeeper.state()
    expect(await desk.say(`/hooks approve ${handle}`)).toContain('✓ Already approved')
    expect(desk.gatekeeper.state().revision).toBe(revision)
  })

  test('takes no handle of another owner or another chat, nor an old one', async () => {
    const handle = await desk.handleOf('./guard.sh')
    expect(await desk.say(`/hooks approve ${handle}`, { owner: 'telegram:8' })).toContain(
      'it was shown to another owner or in another chat',
    )
    expect(await desk.say(`/hooks approve ${handle}`, { chat: '9' })).toContain(
      'it was shown to another owner or in another chat',
    )
    desk.fixture.clock.nowMs += 25 * 3_600_000
    expect(await desk.say(`/hooks approve ${handle}`)).toContain('it is more than a day old')
    expect(live()).toEqual([])
  })

  test('a handle names the bytes that it was shown for: after a change it approves nothing', async () => {
    const handle = await desk.handleOf('./guard.sh')
    change('evil')
    expect(await desk.say(`/hooks approve ${handle}`)).toBe(
      `The hook of handle ${handle} has changed since you saw it.\n→ /hooks`,
    )
    expect(live()).toEqual([])
  })

  test('a handle that was shown for what is approved does not approve what the file became', async () => {
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    const handle = await desk.handleOf('./guard.sh')
    const [before] = desk.gatekeeper.state().approvals.keys()
    change('evil')
    expect(await desk.say(`/hooks approve ${handle}`)).toContain('has changed since you saw it')
    expect([...desk.gatekeeper.state().approvals.keys()]).toEqual([before])
  })

  test('what this owner was shown with other bytes is not approved, but shown again', async () => {
    await desk.say('/hooks pending')
    change('two')
    const answer = await desk.say('/hooks approve pre_tool_call ./guard.sh')
    expect(answer).toMatch(
      /^Nothing was approved\.\n\.\/guard\.sh is not what you saw\.\n[^]*\n│ -echo one\n│ \+echo two\n\n[^]*\n→ \/y [a-z0-9]{5}\n[^]*\n→ \/n [a-z0-9]{5}$/,
    )
    expect(live()).toEqual([])
    expect(await desk.say(/\/y \w+/.exec(answer)?.[0] ?? '')).toContain('✓ Approved')
  })

  test('typed once more after that, it is what was shown last', async () => {
    await desk.say('/hooks pending')
    change('two')
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toContain('✓ Approved')
    change('three')
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toContain('Nothing was approved.')
  })

  test('another owner, who was shown nothing, means the bytes as they are', async () => {
    await desk.gatekeeper.addOwner({ id: 'telegram:8' }, me)
    await desk.say('/hooks pending')
    change('two')
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh', { owner: 'telegram:8' })).toContain(
      '✓ Approved',
    )
  })

  test('every entry with that event and that exact command at once, and no other', async () => {
    desk.propose(
      yaml(
        '{event: pre_tool_call, command: ./guard.sh, matcher: a}',
        '{event: pre_tool_call, command: ./guard.sh, matcher: b}',
        '{event: pre_tool_call, command: ./guard.sh --x}',
        '{event: on_stop, command: ./guard.sh}',
      ),
    )
    expect((await desk.say('/hooks approve pre_tool_call ./guard.sh')).match(/✓ Approved/g)).toHaveLength(2)
    expect(live()).toEqual(['pre_tool_call ./guard.sh 20', 'pre_tool_call ./guard.sh 20'])
    expect(await desk.say('/hooks')).toContain('\n2 wait for you\n')
  })

  test('entries at one place that differ in other options are no drift of each other', async () => {
    desk.propose(
      yaml(
        '{event: pre_tool_call, command: ./guard.sh, args: [a]}',
        '{event: pre_tool_call, command: ./guard.sh, args: [b]}',
      ),
    )
    const handle = (await desk.say('/hooks pending')).slice(0, 5)
    await desk.say('/hooks pending 2')
    await desk.say(`/hooks show ${handle}`)
    // Of the other they saw a short card: the whole one comes first.
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toMatch(/^Nothing was approved\./)
    await desk.say('/hooks show ./guard.sh')
    expect((await desk.say('/hooks approve pre_tool_call ./guard.sh')).match(/✓ Approved/g)).toHaveLength(2)
  })

  test('the new options of an entry take the place of the old ones, and nothing is refused on the way', async () => {
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    desk.propose(yaml('{event: pre_tool_call, command: ./guard.sh, timeout: 5}'))
    expect(await desk.say('/hooks pending')).toContain('changed since approval')
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toMatch(
      /^Nothing was approved\.\n[^]*-takes at most 20 s\n│ \+takes at most 5 s\n/,
    )
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    expect(live()).toEqual(['pre_tool_call ./guard.sh 5'])
    change('two')
    await desk.say('/hooks show ./guard.sh')
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    expect(live()).toEqual(['pre_tool_call ./guard.sh 5'])
    expect(
      (await desk.store.records({ limit: 20, kinds: ['gate'] })).map(({ outcome }) => outcome),
    ).not.toContain('refused')
  })

  test("a phone's quotes and dashes are folded back only when nothing fits as typed", async () => {
    desk.propose(
      yaml(
        `{event: on_stop, command: './guard.sh --say "hi"'}`,
        `{event: on_stop, command: './guard.sh —say “hi”'}`,
      ),
    )
    expect(await desk.say('/hooks approve on_stop ./guard.sh —say “hi”')).not.toContain('Understood')
    expect(live()).toEqual(['on_stop ./guard.sh —say “hi” 20'])
    expect(await desk.say('/hooks approve on_stop ./guard.sh —say “hi"')).toMatch(/^Nothing was approved\./)
    expect(await desk.say('/hooks approve on_stop ./guard.sh —say “hi"')).toMatch(
      /^Understood as \.\/guard\.sh --say "hi"\n✓ Approved/,
    )
  })

  test.each([
    ['/hooks approve', /^Name the /],
    ['/hooks approve pre_tool_call', /^Name a command of pre_tool_call: /],
    [
      '/hooks approve pre_tool_cal ./guard.sh',
      /^pre_tool_cal is not an event\. Did you mean pre_tool_call\?$/,
    ],
    ['/hooks approve PRE_TOOL_CALL ./guard.sh', /^✓ Approved/],
    ['/hooks approve nothing ./guard.sh', /^nothing is not an event\. → \/hooks help$/],
    [
      '/hooks approve pre_tool_call ./gaurd.sh',
      /^No file proposes \.\/gaurd\.sh on pre_tool_call\.\nDid you mean \.\/guard\.sh\?$/,
    ],
    [
      '/hooks approve pre_tool_call ./extensions/shell_hooks/examples/guard.sh',
      /^No file proposes \.\/extensions\S+ on pre_tool_call\.\nDid you mean \.\/guard\.sh\?$/,
    ],
    [
      '/hooks approve on_stop ./guard.sh',
      /^No file proposes \.\/guard\.sh on on_stop\.\nSee what is proposed → \/hooks$/,
    ],
    ['/hooks approve ./guard.sh', /^\.\/guard\.sh is neither a handle nor an event with a command\./],
    ['/hooks approve zzzzz', /^zzzzz names nothing now: /],
  ])('%s', async (typed, expected) => {
    expect(await desk.say(typed)).toMatch(expected)
  })

  test('a hook that is invalid or cannot be sealed is told with what is wrong, and nothing is said to fire', async () => {
    desk.propose(
      yaml(
        '{event: pre_tool_call, command: ./guard.sh, timeout: 5s}',
        '{event: on_stop, command: ./missing.sh}',
      ),
    )
    await desk.say('/hooks on')
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toBe(
      '✗ ./guard.sh cannot be approved.\nconfig/shell_hooks.yaml:2: Expected "hooks[0].timeout" to be a number from 1 to 120 (seconds), got "5s" (string). Correct or remove "timeout".',
    )
    expect(await desk.say('/hooks approve on_stop ./missing.sh')).toMatch(
      /^✗ \.\/missing\.sh cannot be approved\.\nExpected "missing\.sh" to be a regular file that can be sealed, got nothing there\. [^\n]*$/,
    )
  })

  test('what is gone from the files is approved already', async () => {
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    desk.propose('hooks: []\n')
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toContain(
      './guard.sh is already approved, and no file proposes it any longer.',
    )
  })

  test('that an event cannot fail closed is not offered, and what is not sealed is said', async () => {
    desk.propose(yaml('{event: on_error, command: sh -c "cat rules"}'))
    expect(await desk.say('/hooks approve on_error sh -c "cat rules"')).toMatch(
      /\n {2}if it fails: goes on and tells you\n {2}takes at most [^]*\n {2}sealed: no file\n {2}not sealed: files named inside shell text are not sealed\n/,
    )
  })

  test('in lockdown nothing is approved and the way out is told', async () => {
    desk.gatekeeper.lockDown('a test')
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toMatch(
      /^✗ \.\/guard\.sh was not approved\.\n[^]*LOCKDOWN: a test\n[^]*→ \/hooks recover\n/,
    )
    expect(live()).toEqual([])
  })
})

describe('revoke', () => {
  const both = yaml('{event: pre_tool_call, command: ./guard.sh}', '{event: on_stop, command: ./guard.sh}')

  test('by command ends it on all events', async () => {
    desk.propose(both)
    await desk.say('/hooks approve pre_tool_call ./guard.sh\n/hooks approve on_stop ./guard.sh')
    expect(await desk.say('/hooks revoke ./guard.sh')).toBe(
      'Revoked: pre_tool_call\n  ./guard.sh\nRevoked: on_stop\n  ./guard.sh\nThey do not fire any longer. Programs that still ran were stopped.',
    )
    expect(live()).toEqual([])
  })

  test('ends at once what is approved, and what earlier commands still approve as soon as they are done', async () => {
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    change('two')
    await desk.say('/hooks show ./guard.sh')
    let isApproved = false
    const approving = desk.say('/hooks approve pre_tool_call ./guard.sh').then(() => (isApproved = true))
    const revoking = desk.say('/hooks revoke ./guard.sh')
    await turn()
    expect(live()).toEqual([])
    expect(isApproved).toBe(false)
    await approving
    expect(await revoking).toMatch(/^Revoked: pre_tool_call\n {2}\.\/guard\.sh\n/)
    expect(live()).toEqual([])
  })

  test.each(['by command', 'by handle'])(
    'right after a first approval, %s, ends that approval',
    async (how) => {
      const name = how === 'by handle' ? await desk.handleOf('./guard.sh') : './guard.sh'
      const approving = desk.say(`/hooks approve ${how === 'by handle' ? name : `pre_tool_call ${name}`}`)
      const revoking = desk.say(`/hooks revoke ${name}`)
      const later = desk.say('/hooks approve pre_tool_call ./guard.sh')
      expect(await approving).toContain('✓ Approved')
      expect(await revoking).toBe(
        'Revoked: pre_tool_call\n  ./guard.sh\nIt does not fire any longer. Programs that still ran were stopped.',
      )
      expect(await later).toContain('✓ Approved')
      expect(live()).toHaveLength(1)
    },
  )

  test('by handle ends one, also one that has changed or is gone', async () => {
    desk.propose(both)
    await desk.say('/hooks approve pre_tool_call ./guard.sh\n/hooks approve on_stop ./guard.sh')
    expect(await desk.say(`/hooks revoke ${await desk.handleOf('./guard.sh')}`)).toContain(
      'Revoked: pre_tool_call',
    )
    change('two')
    const changed = (await desk.say('/hooks pending')).slice(0, 5)
    expect(await desk.say(`/hooks revoke ${changed}`)).toContain('Revoked: on_stop')
    await desk.say('/hooks approve on_stop ./guard.sh\n/hooks show ./guard.sh')
    await desk.say('/hooks approve on_stop ./guard.sh')
    desk.propose('hooks: []\n')
    expect(await desk.say(`/hooks revoke ${await desk.handleOf('./guard.sh')}`)).toContain('Revoked: on_stop')
    expect(live()).toEqual([])
  })

  test('runs no second time, and names what it did not find', async () => {
    expect(await desk.say('/hooks revoke ./guard.sh')).toBe(
      'No approved hook runs ./guard.sh.\nSee what is proposed → /hooks',
    )
    expect(await desk.say('/hooks revoke ./gaurd.sh')).toBe(
      'No approved hook runs ./gaurd.sh.\nDid you mean ./guard.sh?',
    )
    expect(await desk.say('/hooks revoke')).toMatch(/^Name the /)
    expect(await desk.say(`/hooks revoke ${await desk.handleOf('./guard.sh')}`)).toBe(
      './guard.sh was not approved on pre_tool_call.',
    )
  })

  test('that could not be written says that the hook stays approved', async () => {
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    desk.gatekeeper.lockDown('a test')
    expect(await desk.say('/hooks revoke ./guard.sh')).toMatch(
      /^✗ \.\/guard\.sh could not be revoked on pre_tool_call: it stays approved\.\n[^\n]*lockdown: a test[^\n]*\nLOCKDOWN: a test\n[^]*→ \/hooks recover\n/,
    )
    expect(live()).toHaveLength(1)
  })
})

test('what an owner did and what was refused is kept, by whom', async () => {
  await desk.say('/hooks approve pre_tool_call ./guard.sh')
  fs.rmSync(path.join(desk.fixture.workspace, 'guard.sh'))
  await desk.say('/hooks revoke ./guard.sh')
  const records = await desk.store.records({ limit: 9, kinds: ['gate'] })
  expect(records.map(({ subject, outcome, reason }) => `${subject} ${outcome} ${reason}`)).toEqual([
    `/hooks revoke done pre_tool_call ./guard.sh by ${me}`,
    `/hooks approve done pre_tool_call ./guard.sh by ${me}`,
  ])
})

describe('a typed approval seals what its owner was last shown, and nothing else', () => {
  const typed = '/hooks approve pre_tool_call ./guard.sh'
  const seen = '{event: pre_tool_call, command: ./guard.sh, matcher: rm}'
  const sealed = (): readonly (string | undefined)[] =>
    [...desk.gatekeeper.state().approvals.values()].map(({ entry }) => entry.matcher?.pattern)
  const seals = async (entry: string): Promise<void> => {
    desk.propose(yaml(entry))
    const answer = await desk.say(typed)
    expect(answer).toMatch(/^Nothing was approved\.\n[^]*\n→ \/y \w{5}\n/)
    expect(sealed()).toEqual([])
    expect(await desk.say(typed)).toMatch(/^✓ Approved/)
  }
  beforeEach(() => desk.propose(yaml(seen)))

  test.each([
    ['its matcher', '{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}'],
    ['its environment', '{event: pre_tool_call, command: ./guard.sh, matcher: rm, env: {MODE: off}}'],
    ['its arguments', '{event: pre_tool_call, command: ./guard.sh, matcher: rm, args: [--off]}'],
    ['its time', '{event: pre_tool_call, command: ./guard.sh, matcher: rm, timeout: 1}'],
    ['what a failure means', '{event: pre_tool_call, command: ./guard.sh, matcher: rm, on_error: ignore}'],
    ['its place in the order', '{event: pre_tool_call, command: ./guard.sh, matcher: rm, priority: 1}'],
    ['its further files', '{event: pre_tool_call, command: ./guard.sh, matcher: rm, files: [guard.sh]}'],
    [
      'its text for the agent',
      '{event: pre_tool_call, command: ./guard.sh, matcher: rm, description: It is off.}',
    ],
  ])('not another version of %s, after the card', async (_, changed) => {
    await desk.say('/hooks pending')
    await seals(changed)
  })

  test('not a version that differs in its source, or its bytes together with its matcher', async () => {
    await desk.say('/hooks pending')
    desk.propose('hooks: []\n')
    const entry = {
      event: 'pre_tool_call',
      type: 'command',
      command: './guard.sh',
      args: [],
      timeoutMs: 20_000,
      onError: 'warn',
      priority: 100,
      isAsync: false,
      env: {},
      files: [],
      matcher: { pattern: 'rm' },
      origin: 'elsewhere.yaml',
    } as const
    desk.foreign.push({ kind: 'entry', entry })
    expect(await desk.say(typed)).toMatch(
      /^Nothing was approved\.\n[^]*│ -from: config\/shell_hooks\.yaml\n│ \+from: elsewhere\.yaml\n/,
    )
    desk.foreign.splice(0)
    change('evil')
    await seals('{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}')
  })

  test('nor an entry that came beside the one that they saw', async () => {
    await desk.say('/hooks pending')
    desk.propose(yaml(seen, '{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}'))
    expect(await desk.say(typed)).toMatch(/^Nothing was approved\.\n[^]*asked on: zzz-never/)
    expect(sealed()).toEqual([])
  })

  test('nor what a short card named in passing after they had seen all of something else', async () => {
    await desk.say('/hooks show ./guard.sh')
    desk.propose(yaml('{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}'))
    const handle = (await desk.say('/hooks pending')).slice(0, 5)
    expect(await desk.say(`/hooks approve ${handle}`)).toMatch(
      /^Nothing was approved\.\n[^]*│ -asked on: rm\n│ \+asked on: zzz-never\n/,
    )
    expect(sealed()).toEqual([])
  })

  test('nor a change that the list only mentions', async () => {
    await desk.say(typed)
    desk.propose(yaml('{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}'))
    expect(await desk.say('/hooks')).toContain('./guard.sh')
    expect(await desk.say(typed)).toMatch(/^Nothing was approved\./)
    expect(sealed()).toEqual(['rm'])
  })

  test('nor the first version, when a second was announced and went away again', async () => {
    const row = () => desk.ports.rows()[0]
    const news = (): void => {
      const [rows, first] = [desk.ports.rows(), row()]
      if (first !== undefined)
        desk.table.cardButtons.news(first, rows, {
          owner: me,
          address: { channel: 'telegram', chat_id: '7' },
          canTap: false,
        })
    }
    news()
    desk.propose(yaml('{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}'))
    news()
    desk.propose(yaml(seen))
    expect(await desk.say(typed)).toMatch(/^Nothing was approved\./)
    expect(sealed()).toEqual([])
  })

  test('nor a change of what is approved, though they were shown nothing since', async () => {
    await desk.say(typed)
    desk.propose(yaml('{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}'))
    expect(await desk.say(typed, { owner: 'telegram:8' })).toMatch(
      /^Nothing was approved\.\n[^]*│ \+asked on: zzz-never/,
    )
    expect(sealed()).toEqual(['rm'])
  })

  test('nor an entry of another type that is called the same', async () => {
    desk.propose(yaml('{event: pre_tool_call, type: http, url: "https://hooks.example.com/x"}'))
    await desk.say('/hooks pending')
    desk.propose(
      yaml(
        '{event: pre_tool_call, command: "sh guard.sh https://hooks.example.com/x"}',
        '{event: pre_tool_call, command: "https://hooks.example.com/x"}',
      ),
    )
    expect(await desk.say('/hooks approve pre_tool_call https://hooks.example.com/x')).not.toContain('✓')
    expect(sealed()).toEqual([])
  })

  test('a first one, with nothing shown before, says in its receipt all that it sealed, the matcher first', async () => {
    desk.propose(
      yaml(
        `{event: pre_tool_call, command: ./guard.sh, matcher: {tool: bash, pattern: "${'x'.repeat(500)}|rm"}, env: {RULES_PATH: ./rules, A: b}, args: [--on, "a b"]}`,
      ),
    )
    expect(await desk.say(typed)).toMatch(
      /^✓ Approved: pre_tool_call\n {2}\.\/guard\.sh\n {2}asked on: x{500}\|rm\n {2}asked on tool: bash\n[^]*\n {2}args: --on "a b"\n {2}⚠ env: RULES_PATH=\.\/rules\n {4}such a variable can make a program load other code\n {2}env: A=b\n[^]*\n {2}from: config\/shell_hooks\.yaml\n/,
    )
  })

  test('what says more than an owner can read in a chat cannot be approved at all', async () => {
    const words = Array.from({ length: 8 }, () => 'x'.repeat(3500))
    desk.propose(yaml(`{event: pre_tool_call, command: ./guard.sh, args: [${words.join(', ')}]}`))
    expect(await desk.say(typed)).toMatch(
      /cannot be approved\.\nExpected the entry to have at most 24000 characters/,
    )
    expect(sealed()).toEqual([])
  })

  test("typed again for what fails closed by its owner's choice keeps that choice", async () => {
    await desk.say(`/hooks approve ${await desk.handleOf('./guard.sh')} closed`)
    await desk.say(typed)
    expect([...desk.gatekeeper.state().approvals.values()].map(({ failsClosed }) => failsClosed)).toEqual([
      true,
    ])
  })
})

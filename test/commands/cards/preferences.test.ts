import { afterEach, beforeEach, expect, test } from 'vitest'
import { banner } from '../../../src/commands/cards/banner.ts'
import { createViewers, preferencesOf } from '../../../src/commands/cards/preferences.ts'
import { agoWords, kilobytes, plural, shorten } from '../../../src/commands/words.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import { createBridgeService, me, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService(
    'hooks:\n  - {event: on_stop, command: ./x.sh}\n  - {event: on_stop, command: ./missing.sh}\n  - {event: nothing, command: ./y.sh}\n',
  )
  desk.fixture.write('x.sh', '#!/bin/sh\n')
})
afterEach(() => desk.stop())

test('the web page shows the same rows and words as the list, with what can be done', async () => {
  expect(preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' })).toMatchObject({
    isOn: false,
    rows: [
      {
        event: 'on_stop',
        command: './x.sh',
        status: '✗ NOT approved',
        isApproved: false,
        isLive: false,
        canApprove: true,
      },
      {
        command: './missing.sh',
        status: '✗ NOT approved',
        handle: '',
        canApprove: false,
        details: expect.arrayContaining([
          'asked on: everything',
          'if it fails: goes on and tells you',
          expect.stringContaining('got nothing there'),
        ]),
      },
      { event: 'nothing', status: '✗ invalid', handle: '', canApprove: false },
    ],
  })
  const handle = preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }).rows[0]?.handle ?? ''
  await desk.say(`/hooks approve ${handle}\n/hooks on`)
  expect(preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }).rows[0]).toMatchObject({
    status: '✓ approved',
    isApproved: true,
    isLive: true,
    canApprove: false,
  })
  desk.gatekeeper.lockDown('a test')
  expect(preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' })).toMatchObject({
    lockdown: 'a test. → /hooks recover',
    rows: [{ isLive: false }, {}, {}],
  })
})

test('the web page shows each guard of hookgate with its state and the word that switches it', async () => {
  const shown = () => preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' })
  expect(shown().guards.map(({ name, isApproved }) => [name, isApproved])).toEqual([
    ['secrets', false],
    ['commands', false],
    ['claims', false],
  ])
  await desk.say('/hooks protect secrets on\n/lang zh')
  expect(shown().guards[0]).toEqual({
    name: 'secrets',
    title: '机密不外泄',
    effect: expect.stringContaining('助记词'),
    isApproved: true,
  })
})

test('the web page knows what hookgate ships by its options, and then takes no name of a file', async () => {
  const entry = (more: object): string =>
    JSON.stringify({
      event: 'pre_tool_call',
      type: 'builtin',
      command: 'guard_commands',
      on_error: 'block',
      name: 'Tap here, it is safe',
      description: 'It does nothing.',
      ...more,
    })
  const sudo = ['runs=sudo,doas,pkexec,su', 'It takes the rights of another user.']
  const program = {
    type: 'command',
    command: './.hookgate-examples/audit_tools.sh',
    on_error: 'warn',
    env: { AUDIT_COMMANDS: '1' },
  }
  desk.propose(
    `hooks: [${[
      entry({ description: undefined }),
      entry({ matcher: 'never' }),
      entry({ command: 'ask_owner', args: sudo, description: undefined }),
      // The gallery has it, and what its file says can change.
      entry({ event: 'post_tool_call', ...program }),
    ].join(', ')}]`,
  )
  await desk.ports.refresh()
  const shown = () =>
    preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }).rows.map(
      ({ isShipped, name, description, when, fails }) => [isShipped, name, description, when, fails],
    )
  const [mine, before] = ['Tap here, it is safe', 'before a tool runs']
  expect(shown()).toEqual([
    [
      true,
      'Guard commands',
      expect.stringContaining('asks you before a command that destroys'),
      before,
      'blocks',
    ],
    [false, mine, 'It does nothing.', `${before}, where its pattern fits`, 'blocks'],
    [true, 'Ask before sudo', expect.stringContaining('takes the rights'), before, 'blocks'],
    [false, mine, 'It does nothing.', 'after a tool ran, success or failure', 'goes on and tells you'],
  ])
  await desk.say('/lang zh')
  expect(shown()[2]).toEqual([true, '使用 sudo 前先问', expect.anything(), '工具运行之前', '拦截'])
  expect(shown()[1]?.[3]).toBe('工具运行之前，且符合它的匹配规则')
})

test('the web page says first what is wrong with a hook, and its details have all that an approval binds', () => {
  const [good, missing, invalid] = preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }).rows
  expect(good).toMatchObject({
    warnings: [],
    description: expect.stringMatching(/^may: block/),
    details: expect.arrayContaining(['asked on: everything', 'from: config/shell_hooks.yaml']),
  })
  for (const row of [missing, invalid]) {
    expect(row?.warnings).toHaveLength(1)
    expect(row?.details).toContain(row?.warnings[0])
  }
  expect(invalid).toMatchObject({
    isShipped: false,
    when: undefined,
    fails: undefined,
    description: undefined,
  })
})

test('the web page says what the tap that protects lets fire, as the card does, until it has done so', async () => {
  const said = () => preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }).tapEffect
  expect(said()).toBe('The tap turns hooks on, too, so these fire from the next event.')
  await desk.say('/hooks approve on_stop ./x.sh')
  expect(said()).toBe('The tap turns hooks on, too. 1 other hook that you approved fires then, as well.')
  await desk.say('/hooks on')
  expect(said()).toBe('They fire from the next event.')
  await desk.say('/hooks protect on')
  expect(said()).toBeUndefined()
})

test('the web page shows a shadow as one that is not live, with what it would have done, and its button promotes it', async () => {
  const shown = () => preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }).rows[0]
  await desk.say(`/hooks shadow ${shown()?.handle}\n/hooks on`)
  const [fingerprint = ''] = desk.gatekeeper.state().approvals.keys()
  const counts = { asked: 5, blocked: 2, rewritten: 0, questions: 0, failed: 0, missed: 0 }
  desk.shadowCounts.set(fingerprint, counts)
  expect(shown()).toMatchObject({
    status: '✓ shadow: asked, never decides',
    isApproved: true,
    isLive: false,
    canPromote: true,
    details: expect.arrayContaining(['since the start: asked 5 · would have blocked 2']),
  })
  await desk.say(`/hooks promote ${shown()?.handle}`)
  expect(shown()).toMatchObject({ status: '✓ approved', isLive: true, canPromote: false })
})

test('the web page shows the words of the gate in the language that the chat reads', async () => {
  await desk.say('/lang zh')
  expect(preferencesOf(desk.ports, me, { channel: 'web', chat_id: 'main' })).toMatchObject({
    lang: 'zh',
    rows: [{ status: '✗ 未批准', details: expect.arrayContaining(['每次都询问']) }, {}, { status: '✗ 无效' }],
  })
})

test('a code to log in with is shown until it is used or over, and whoever looks hears of both', () => {
  const viewers = createViewers()
  let looks = 0
  viewers.add(() => looks++)
  const code = { text: 'https://a.example/q', expiresAtMs: desk.ports.now() + 60_000, rows: ['10', '01'] }
  viewers.showWechatLogin(code)
  expect(
    preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }, viewers.wechatLogin()),
  ).toMatchObject({ wechatLogin: code })
  viewers.showWechatLogin(undefined)
  viewers.showWechatLogin(undefined)
  expect(
    preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }, viewers.wechatLogin()),
  ).toMatchObject({ wechatLogin: undefined })
  expect(looks).toBe(2)
  expect(
    preferencesOf(
      desk.ports,
      me,
      { channel: 'telegram', chat_id: '7' },
      { ...code, expiresAtMs: desk.ports.now() },
    ),
  ).toMatchObject({ wechatLogin: undefined })
})

test('the console says how to get in, what is on and what waits', () => {
  const start = {
    version: '1.2.3',
    workspace: '/w',
    telegram: false,
    isOn: true,
    lockdown: undefined,
    rows: desk.ports.rows(),
    invitation: { login: 'http://127.0.0.1:8787/#abc', pairing: 'ABCD-EFGH' },
    separation: desk.ports.separation,
  }
  expect(banner(start)).toMatch(/^hookgate 1\.2\.3\nOpen http:\/\/127\.0\.0\.1:8787\/#abc\n/)
  expect(banner(start)).toContain(
    'Hooks are ON: 0 approved, 1 waiting for you, 1 entry invalid. Type /hooks in the chat.',
  )
  expect(banner(start)).toMatch(
    /\nThe agent runs in a sandbox \(bwrap\), hooks in another one: neither can see your home, the gate’s keys or its processes\.$/,
  )
  expect(banner({ ...start, separation: { kind: 'none', why: 'it is a test', fix: 'Do this.' } })).toMatch(
    /\n⚠ Nothing keeps an agent with a shell out of the gate: it is a test\. Do this\.$/,
  )
  expect(banner({ ...start, lockdown: 'a test' })).toContain(
    'LOCKDOWN: a test. Type /hooks recover in the chat.',
  )
})

test('times, sizes, counts and long names as a person reads them', () => {
  const now = 1_000_000_000
  expect(
    [0, 59_000, 60_000, 3_599_000, 3_600_000, 86_400_000, -5000].map((ms) =>
      proseText(agoWords(now - ms, now)),
    ),
  ).toEqual(['just now', 'just now', '1 min ago', '59 min ago', '1 h ago', '1 d ago', 'just now'])
  expect([0, 999, 1000, 1_550_000].map(kilobytes)).toEqual(['0 B', '999 B', '1 kB', '1550 kB'])
  expect([plural(0, 'hook'), plural(1, 'hook'), plural(2, 'hook')]).toEqual(['0 hooks', '1 hook', '2 hooks'])
  expect(shorten('a'.repeat(36))).toBe('a'.repeat(36))
  expect(shorten(`head${'-'.repeat(100)}tail`)).toMatch(/^head-+…-+tail$/)
  expect(shorten('x'.repeat(500)).length).toBeLessThanOrEqual(36)
})

import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { plain } from '../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { call, nextCard, sentMessages, replaced, send, tap, type Answered } from './caller.ts'

let plane: Plane
let from = 0
let [asked, card]: [Promise<Answered>, OutgoingMessage | undefined] = [
  Promise.resolve({ status: 0, body: {} }),
  undefined,
]
let count = 0

beforeAll(async () => {
  const ask = `#!/bin/sh\nprintf '%s' '{"decision": "ask", "reason": "it deploys"}'\n`
  plane = await startPlane(
    'hooks:\n  - {event: pre_tool_call, matcher: deploy, command: ./ask.sh}\n',
    { 'ask.sh': ask },
    { HOOKGATE_OWNERS: 'memory:owner,memory:second' },
  )
  await plane.ask('/hooks approve pre_tool_call ./ask.sh', (text) => text.includes('✓ Approved'))
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
})
afterAll(() => plane.stop())
beforeEach(async () => {
  from = sentMessages(plane).length
  asked = send(plane, 'pre_tool_call', call('bash', { command: `deploy ${++count}` }), { askMs: 60_000 })
  card = await nextCard(plane, from, `deploy ${count}`)
})

const here = (): OutgoingMessage => {
  if (card === undefined) throw new Error('There is no card.')
  return card
}
const handleOf = (text: string): string => /🛡 ([a-z0-9]{5}) /.exec(text)?.[1] ?? ''
/** It waits still, and only the owner's own answer ends it. */
const stillWaits = async (): Promise<void> => {
  await plane.ask('/whoami', (text) => text.includes('an owner'))
  expect(await Promise.race([asked, Promise.resolve('waits')])).toBe('waits')
  tap(plane, here(), 'Deny')
  expect((await asked).body.verdict).toBe('block')
}

describe('nobody but an owner answers', () => {
  test.each<[string, () => void]>([
    ['a stranger’s tap', () => tap(plane, here(), 'Allow once', { who: 'mallory' })],
    [
      'another owner’s tap on this owner’s button',
      () => tap(plane, here(), 'Allow once', { who: 'second', chat: 'second' }),
    ],
    ['a tap in another chat', () => tap(plane, here(), 'Allow once', { chat: 'group' })],
    ['a stranger’s words', () => plane.say(`/y ${handleOf(here().text)}`, { sender_id: 'mallory' })],
    [
      'another owner with this owner’s handle',
      () => plane.say(`/y ${handleOf(here().text)}`, { sender_id: 'second', chat_id: 'second' }),
    ],
    ...(
      [
        'edited',
        'forwarded',
        'quoted',
        'via_bot',
        'self',
        'from_bot',
        'automatic',
        'captioned',
        'offline',
      ] as const
    ).map((origin): [string, () => void] => [
      `an owner’s command that is ${origin}`,
      () => plane.say(`/y ${handleOf(here().text)}`, { origin }),
    ]),
    ['an owner’s command in a group', () => plane.say(`/y ${handleOf(here().text)}`, { isPrivate: false })],
    [
      'an owner’s command of an hour ago',
      () => plane.say(`/y ${handleOf(here().text)}`, { sentAtMs: Date.now() - 3_600_000 }),
    ],
    [
      'a handle that is not quite it',
      () => plane.say(`/y ${handleOf(here().text).replace(/^./, (first) => (first === 'b' ? 'c' : 'b'))}`),
    ],
    ['more than a yes', () => plane.say(`/y ${handleOf(here().text)} please`)],
    ['an approval of a hook', () => plane.say(`/hooks approve ${handleOf(here().text)}`)],
    ['the release of a message', () => plane.say(`/hooks release ${handleOf(here().text)}`)],
    ['a made-up button', () => plane.memory.press('ask', here().outgoing_id, { chat_id: 'owner' })],
  ])('%s changes nothing', async (_, attempt) => {
    attempt()
    await stillWaits()
  })
})

describe('an agent cannot answer itself', () => {
  test('what it says in a chat is no command, and no button of its own is one of ours', async () => {
    const handle = handleOf(here().text)
    const press = here().buttons?.flat()[0]?.press ?? ''
    const said = await plane.gate.dispatcher.push({
      channel: 'memory',
      chat_id: 'owner',
      push_id: `p${count}`,
      agent_id: 'main',
      session_id: 's',
      cwd: plane.workspace,
      ...plain('text', `🛡 ${handle} May main use bash?\n/y ${handle}`),
      parts: [
        { field: 'button.0.label', text: 'Allow once' },
        { field: 'button.0.url', text: `https://t.me/gate?start=${press}` },
      ],
    })
    const left = await until('what it said', () =>
      sentMessages(plane)
        .slice(from)
        .find(({ kind }) => kind === 'push'),
    )
    expect(said).toMatchObject({ outcome: 'delivered' })
    expect(left.text).not.toContain('🛡')
    expect(left.code.map(({ offset, length }) => left.text.slice(offset, offset + length))).toContain(
      `/y ${handle}`,
    )
    expect(left.buttons).toBeUndefined()
    await stillWaits()
  })

  test('no path of its socket takes an answer', async () => {
    for (const path of [
      '/v1/permissions',
      '/v1/asks',
      '/v1/answer',
      `/v1/asks/${handleOf(here().text)}`,
      '/v1/events/on_permission_decision',
      '/v1/builtins/ask',
    ]) {
      const status = await new Promise<number>((resolve, reject) => {
        request(
          {
            socketPath: join(plane.home, 'run', 'main.sock'),
            method: 'POST',
            path,
            headers: { 'content-type': 'application/json' },
          },
          (response) => {
            response.resume()
            resolve(response.statusCode ?? 0)
          },
        )
          .on('error', reject)
          .end(
            JSON.stringify({
              session_id: 's',
              cwd: '/w',
              tool_name: 'bash',
              tool_input: { command: `deploy ${count}` },
              decision: 'allow',
              source: 'person',
              verdict: 'allow',
            }),
          )
      })
      expect(status).toBe(path.startsWith('/v1/events/') ? 200 : 404)
    }
    await stillWaits()
  })

  test('a handle that it was told names nothing for an owner', async () => {
    const { body } = await send(plane, 'pre_tool_call', call('bash', { command: 'deploy again' }))
    const told =
      (body as { readonly hooks?: readonly { readonly handle: string }[] }).hooks?.[0]?.handle ?? ''
    expect(told).toMatch(/^[a-z0-9]{5}$/)
    expect(await plane.ask(`/y ${told}`, (text) => text.includes(told))).toContain(
      `${told} names nothing now`,
    )
    await stillWaits()
  })

  test('one more question with the same words does not take the first one’s answer', async () => {
    const twin = send(plane, 'pre_tool_call', call('bash', { command: `deploy ${count}` }), { askMs: 60_000 })
    const second = await until(
      'the twin',
      () =>
        sentMessages(plane)
          .slice(from)
          .filter(({ text }) => text.includes(`deploy ${count}`))[1],
    )
    tap(plane, second, 'Allow once')
    expect((await Promise.race([asked, twin])).body.verdict).toBe('allow')
    tap(plane, here(), 'Deny')
    expect(new Set((await Promise.all([asked, twin])).map(({ body }) => body.verdict))).toEqual(
      new Set(['allow', 'block']),
    )
  })

  test('what cannot be seen in its arguments is shown, and a line of them is none of ours', async () => {
    tap(plane, here(), 'Deny')
    await asked
    from = sentMessages(plane).length
    const command = `deploy \u202Egnp.exe\u200B\u0007\n🛡 Allowed once.\nin /safe\nwhy: nothing`
    const hostile = send(
      plane,
      'pre_tool_call',
      { ...call('bash\nin /safe', { command, ['x\ny']: '1' }), cwd: '/w\nuntil tomorrow' },
      { askMs: 60_000 },
    )
    const shown = await nextCard(plane, from, 'deploy')
    expect(shown.text.replace(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d/, '12:34').split('\n')).toEqual([
      expect.stringMatching(/^🛡 [a-z0-9]{5} \.\/ask\.sh: it deploys$/),
      '│ command:',
      '│   ⟪deploy \\u{202e}gnp.exe\\u{200b}\\u{7}⟫',
      '│   ⟪\\u{1f6e1} Allowed once.⟫',
      '│   in /safe',
      '│   why: nothing',
      '│ ⟪x\\ny⟫: 1',
      'in ⟪/w\\nuntil tomorrow⟫',
      'main · ⟪bash\\nin /safe⟫ · denied at 12:34 UTC',
    ])
    tap(plane, shown, 'Deny')
    await hostile
  })

  test('no argument, name or folder can imitate a line of the card, also where a phone folds it', async () => {
    tap(plane, here(), 'Deny')
    await asked
    from = sentMessages(plane).length
    const words = [
      'in /safe/folder',
      'main · ls · denied at 12:34 UTC',
      'Allowed once by you.',
      '→ /y h3',
      'all of it → /asks h3',
    ]
    const input = Object.fromEntries(
      words.flatMap((line, at) => [
        [line, at],
        [`k${at}`, `deploy\n${line}`],
      ]),
    )
    const hostile = send(
      plane,
      'pre_tool_call',
      { ...call('ls in /safe', input), cwd: '/w why: fine' },
      { askMs: 60_000 },
    )
    const shown = await nextCard(plane, from, 'deploy')
    const ours = shown.text.split('\n').filter((line) => !line.startsWith('│'))
    expect(ours.map((line) => line.replace(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d/, '12:34'))).toEqual([
      expect.stringMatching(/^🛡 \w{5} \.\/ask\.sh: it deploys$/),
      expect.stringMatching(/^… \d+ characters not shown …$/),
      'in ⟪/w why: fine⟫',
      'main · ⟪ls in /safe⟫ · denied at 12:34 UTC',
    ])
    const handle = /^🛡 (\w+)/.exec(shown.text)?.[1] ?? ''
    const all = await plane.ask(`/asks ${handle}`, (text) => text.includes('deploy'))
    expect(all.split('\n').filter((line) => !line.startsWith('│')).length).toBe(3)
    for (const line of words) expect(all.split('\n')).toContain(`│   ${line}`)
    expect(all.split('\n')).toContain('│ ⟪→ /y h3⟫: 3'.replace('→', '\\u{2192}'))
    tap(plane, await nextCard(plane, from, 'deploy'), 'Deny')
    await hostile
  })

  test('of long arguments both ends are shown, and how much is missing', async () => {
    tap(plane, here(), 'Deny')
    await asked
    from = sentMessages(plane).length
    const long = send(
      plane,
      'pre_tool_call',
      call('bash', {
        command: `deploy ${'x'.repeat(5000)} end`,
        ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, at])),
      }),
      { askMs: 60_000 },
    )
    const shown = await nextCard(plane, from, 'deploy')
    expect(shown.text).toMatch(
      /│ command: deploy x{63}\n… 4911 characters not shown …\n│   x{26} end\n│ k0: 0\n│ k1: 1\n│ k2: 2\n│ k3: 3\n│ 5 more: \{"k4":4,"k5":5,"k6":6,"k7":7,"k8":8\}\n/,
    )
    tap(plane, shown, 'Deny')
    await long
  })
})

test('answered by one owner, the other’s card says by whom, and is no card any more', async () => {
  const theirs = await nextCard(plane, 0, `deploy ${count}`, 'second')
  tap(plane, here(), 'Allow once')
  expect((await asked).body.verdict).toBe('allow')
  expect(await replaced(plane, theirs)).toContain(
    `🛡 Allowed once by memory:owner.\n│ command: deploy ${count}\nmain · bash`,
  )
  tap(plane, theirs, 'Deny', { who: 'second' })
  const told = await until('the late one to be told', () =>
    sentMessages(plane, 'second').find(({ text }) =>
      text.includes('Nothing was changed: it was already answered. Allowed once by memory:owner.'),
    ),
  )
  expect(told.replaces).toBeUndefined()
})

test('32 questions that wait stand in nobody’s way: other events are answered, one more question is refused', async () => {
  const gone = new AbortController()
  const many = Array.from({ length: 31 }, (_, at) =>
    send(plane, 'pre_tool_call', call('bash', { command: `deploy many ${at}` }), {
      askMs: 60_000,
      signal: gone.signal,
    }).catch(() => undefined),
  )
  await until('all to wait', async () =>
    (await plane.ask('/hooks log', (text) => text.endsWith(' → /tz'))).includes(
      '32 tool calls wait for your decision → /asks',
    ),
  )
  const others = await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      send(plane, 'pre_tool_call', call('bash', { command: `echo ${at}` }), { askMs: 60_000 }),
    ),
  )
  expect(new Set(others.map(({ status, body }) => `${status} ${body.verdict}`))).toEqual(
    new Set(['200 allow']),
  )
  expect(
    (await send(plane, 'pre_tool_call', call('bash', { command: 'deploy one more' }), { askMs: 60_000 }))
      .body,
  ).toMatchObject({
    verdict: 'block',
    reason: expect.stringContaining('32 questions wait for a person already') as string,
  })
  expect(await plane.ask('/asks', (text) => text.includes('and 27 more'))).toBe(
    '🛡 … and 27 more. Answer some, then look again.\n→ /asks',
  )
  gone.abort()
  await Promise.all(many)
  tap(plane, here(), 'Deny')
  await asked
})

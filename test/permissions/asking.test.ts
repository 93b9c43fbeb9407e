import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPlane, until, type Plane } from '../plane.ts'
import { call, isCallCard, labels, nextCard, opened, sentMessages, replaced, send, tap } from './caller.ts'

const askMs = 120_000
let plane: Plane
let from = 0

/** Asks about `ls` and anything with "deploy"; rewrites "soft"; writes down what was decided. */
const hook = `#!/bin/sh
in=$(cat)
case "$in" in
  *on_permission_decision*) printf '%s\\n' "$in" >> decisions.jsonl ;;
  *never*on_permission_request*) printf '%s' '{"decision": "block", "reason": "never that"}' ;;
  *always*on_permission_request*) printf '%s' '{"decision": "allow"}' ;;
  *on_permission_request*) : ;;
  *'deploy soft'*) printf '%s' '{"decision": "ask", "reason": "it deploys", "tool_input": {"command": "deploy hard"}}' ;;
  *deploy*|*'"ls'*) printf '%s' '{"decision": "ask", "reason": "it deploys"}' ;;
  *consented*) printf '%s' '{"decision": "allow"}' ;;
esac
`
const events = ['pre_tool_call', 'on_permission_request', 'on_permission_decision']

beforeAll(async () => {
  const home = join(await mkdtemp(join(tmpdir(), 'hookgate-ask-')), 'home')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'gate.yaml'), 'agents: {main: {kind: demo, ask: [Write_File]}}\n')
  plane = await startPlane(
    `hooks:\n${events.map((event) => `  - {event: ${event}, command: ./hook.sh}\n`).join('')}`,
    { 'hook.sh': hook },
    { HOOKGATE_HOME: home },
  )
  plane = { ...plane, home }
  for (const event of events)
    await plane.ask(`/hooks approve ${event} ./hook.sh`, (text) => text.includes('✓ Approved'))
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
})
afterAll(async () => {
  await plane.stop()
  await rm(dirname(plane.home), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})
beforeEach(() => {
  from = sentMessages(plane).length
})

const handleOf = (text: string): string => /🛡 ([a-z0-9]{5}) /.exec(text)?.[1] ?? ''
const noCard = async (): Promise<void> => {
  await plane.ask('/whoami', (text) => text.includes('an owner'))
  expect(sentMessages(plane).slice(from).filter(isCallCard)).toEqual([])
}

describe('a tool call about which a hook asks', () => {
  test('becomes a card that says why, what, where, who and until when, with two answers, and the others behind one button', async () => {
    const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy now' }), { askMs })
    const card = await nextCard(plane, from)
    expect(
      card.text.replace(/^🛡 [a-z0-9]{5}/, '🛡 …..').replace(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d/, '12:34'),
    ).toBe(
      [
        '🛡 ….. ./hook.sh: it deploys',
        '│ command: deploy now',
        'in /w',
        'main · bash · denied at 12:34 UTC',
      ].join('\n'),
    )
    expect(labels(card)).toEqual([['Allow once', 'Deny'], ['More…']])
    const more = await opened(plane, card)
    expect([more.text, labels(more)]).toEqual([
      card.text,
      [
        ['Allow once', 'Deny'],
        ['Allow for this session'],
        ['Allow always…'],
        ['Deny with a reason', 'Edit'],
        ['Deny and stop'],
        ['Back'],
      ],
    ])
    const back = await opened(plane, more, 'Back')
    expect([back.text, labels(back)]).toEqual([card.text, labels(card)])
    tap(plane, back, 'Allow once')
    expect(await asked).toMatchObject({
      status: 200,
      body: { verdict: 'allow', payload: { tool_input: { command: 'deploy now' } } },
    })
    expect(await replaced(plane, back)).toMatch(
      /^🛡 Allowed once by you\.\n│ command: deploy now\nmain · bash\n→ \/hooks why \w+$/,
    )
  })

  test('is asked about each time, unless it was allowed for its session: then exactly that call runs there, and no other', async () => {
    const first = send(plane, 'pre_tool_call', call('bash', { command: 'deploy a', mode: 'x' }), { askMs })
    tap(plane, await opened(plane, await nextCard(plane, from)), 'Allow for this session')
    expect((await first).body.verdict).toBe('allow')
    from = sentMessages(plane).length
    expect(
      (await send(plane, 'pre_tool_call', call('bash', { mode: 'x', command: 'deploy a' }), { askMs })).body
        .verdict,
    ).toBe('allow')
    await noCard()
    const others = [
      ['other arguments', call('bash', { command: 'deploy a', mode: 'y' })],
      ['another tool', call('shell', { command: 'deploy a', mode: 'x' })],
      ['another folder', { ...call('bash', { command: 'deploy a', mode: 'x' }), cwd: '/elsewhere' }],
      ['another session', { ...call('bash', { command: 'deploy a', mode: 'x' }), session_id: 'other' }],
    ] as const
    for (const [, body] of others) {
      from = sentMessages(plane).length
      const asked = send(plane, 'pre_tool_call', body, { askMs })
      tap(plane, await nextCard(plane, from), 'Deny')
      expect((await asked).body).toMatchObject({ verdict: 'block', reason: 'The person said no.' })
    }
    await send(plane, 'on_session_end', {
      status: 'ended',
      reason: 'clear',
      duration_seconds: 1,
      total_steps: 1,
    })
    from = sentMessages(plane).length
    const again = send(plane, 'pre_tool_call', call('bash', { command: 'deploy a', mode: 'x' }), { askMs })
    tap(plane, await nextCard(plane, from), 'Deny')
    expect((await again).body.verdict).toBe('block')
  })

  test('can be denied with words: the button says where they go, and the agent gets them', async () => {
    const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy b' }), { askMs })
    const card = await nextCard(plane, from)
    const more = await opened(plane, card)
    tap(plane, more, 'Deny with a reason')
    const handle = handleOf(card.text)
    await until('the way', () =>
      sentMessages(plane)
        .slice(from)
        .some(
          ({ text }) =>
            text ===
            `🛡 Reply to this message with your reason. The call is denied, and the agent gets it.\nOr type:\n→ /n ${handle} because…`,
        ),
    )
    plane.say(`/n ${handle} not on a Friday, use “staging”`)
    expect((await asked).body).toMatchObject({
      verdict: 'block',
      reason: 'The person said no: not on a Friday, use “staging”',
    })
    expect(await replaced(plane, more)).toContain(
      '🛡 Denied, with your reason.\n│ command: deploy b\nmain · bash',
    )
  })

  test('has a button for all of it where the card leaves some out; what shows all of it can be answered as well', async () => {
    const asked = send(
      plane,
      'pre_tool_call',
      call('bash', { command: `deploy ${'a'.repeat(900)}; rm -rf ~; ${'b'.repeat(900)}` }),
      { askMs },
    )
    const card = await nextCard(plane, from)
    expect(card.text).toMatch(/… \d+ characters not shown …/)
    expect(labels(card)).toEqual([['Show all'], ['Allow once', 'Deny'], ['More…']])
    tap(plane, card, 'Show all')
    const all = await until('all of it', () =>
      sentMessages(plane)
        .slice(from)
        .find(({ text }) => text.includes('rm -rf ~')),
    )
    expect(labels(all)).toEqual([['Allow once', 'Deny'], ['More…']])
    tap(plane, all, 'Deny')
    expect((await asked).body).toMatchObject({ verdict: 'block', reason: 'The person said no.' })
    expect(await replaced(plane, card)).toContain('🛡 Denied by you.')
    await plane.ask(`/asks ${handleOf(card.text)}`, (text) =>
      text.includes('No waiting tool call has the handle'),
    )
  })

  test('loses the buttons of every card when it is answered, also of what shows all of it', async () => {
    const command = `deploy ${'a'.repeat(900)}; true; ${'b'.repeat(900)}`
    const asked = send(plane, 'pre_tool_call', call('bash', { command }), { askMs })
    const card = await nextCard(plane, from)
    tap(plane, card, 'Show all')
    const all = await nextCard(plane, from, '; true;')
    plane.say('/asks')
    const again = await until('the card once more', () =>
      sentMessages(plane)
        .slice(from)
        .findLast((one) => isCallCard(one) && one !== card && one !== all),
    )
    tap(plane, card, 'Deny')
    expect((await asked).body.verdict).toBe('block')
    for (const one of [card, all, again]) {
      expect(await replaced(plane, one)).toContain('🛡 Denied by you.')
      expect(
        sentMessages(plane).findLast(({ replaces }) => replaces === one.outgoing_id)?.buttons,
      ).toBeUndefined()
    }
  })

  test('is asked about as it settled: what a hook rewrote is on the card and runs', async () => {
    const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy soft' }), { askMs })
    const card = await nextCard(plane, from)
    expect(card.text).toContain('command: deploy hard\n')
    tap(plane, card, 'Allow once')
    expect((await asked).body).toMatchObject({
      verdict: 'allow',
      payload: { tool_input: { command: 'deploy hard' } },
    })
  })

  test('twice at once is two questions, and one answer answers one', async () => {
    const asked = [1, 2].map(() =>
      send(plane, 'pre_tool_call', call('bash', { command: 'deploy twin' }), { askMs }),
    )
    await until('two cards', () => sentMessages(plane).slice(from).filter(isCallCard).length === 2)
    const [one, two] = sentMessages(plane).slice(from).filter(isCallCard)
    if (one === undefined || two === undefined) throw new Error('There are no two cards.')
    tap(plane, one, 'Allow once')
    await replaced(plane, one)
    tap(plane, one, 'Allow once')
    const told = await until('the second tap to count for nothing', () =>
      sentMessages(plane)
        .slice(from)
        .find(({ text }) => text.includes('you answered this card already')),
    )
    expect(told).toMatchObject({ text: '🛡 Nothing was changed: you answered this card already.\n→ /asks' })
    expect(told.replaces).toBeUndefined()
    tap(plane, two, 'Deny')
    expect(new Set((await Promise.all(asked)).map(({ body }) => body.verdict))).toEqual(
      new Set(['allow', 'block']),
    )
  })

  test('nobody answered in time: it is a no, and the card says so', async () => {
    const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy late' }), { askMs: 1000 })
    const card = await nextCard(plane, from)
    expect((await asked).body).toMatchObject({
      verdict: 'block',
      reason: 'Nobody answered in time, so the call is denied.',
    })
    expect(await replaced(plane, card)).toContain(
      '🛡 Denied: nobody answered in time.\n│ command: deploy late\nmain · bash',
    )
    tap(plane, card, 'Allow once')
    const told = await until('the late tap to be told', () =>
      sentMessages(plane).find(({ text }) =>
        text.includes('Nothing was changed: it was already answered. Denied: nobody answered in time.'),
      ),
    )
    // The card goes on saying which call it was.
    expect(told.replaces).toBeUndefined()
  })

  test('is shown again by /asks: answered on either card, both say so', async () => {
    const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy shown twice' }), { askMs })
    const first = await nextCard(plane, from)
    from = sentMessages(plane).length
    expect(await plane.ask('/asks', (text) => text.includes('for your decision'))).toBe(
      '🛡 1 tool call waits for your decision.',
    )
    const second = await nextCard(plane, from)
    expect(second.text).toBe(first.text)
    tap(plane, second, 'Deny')
    expect((await asked).body.verdict).toBe('block')
    expect(await replaced(plane, first)).toContain('🛡 Denied by you.\n')
    expect(await replaced(plane, second)).toContain('🛡 Denied by you.\n')
  })

  test('its caller is gone: the question is over, and the card says so', async () => {
    const gone = new AbortController()
    const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy gone' }), {
      askMs,
      signal: gone.signal,
    }).catch(() => 'closed')
    const card = await nextCard(plane, from)
    gone.abort()
    expect(await asked).toBe('closed')
    expect(await replaced(plane, card)).toContain('🛡 Cancelled: the agent stopped waiting.')
    expect(await plane.ask('/asks', (text) => text.includes('tool call'))).toBe(
      '🛡 No tool call waits for your decision.\n→ /hooks log',
    )
  })
})

describe('hooks of on_permission_request come before any person', () => {
  test.each([
    ['deploy never', 'block', 'never that'],
    ['deploy always', 'allow', undefined],
  ])('%s: %s', async (command, verdict, reason) => {
    const { body } = await send(plane, 'pre_tool_call', call('bash', { command }), { askMs })
    expect(body).toMatchObject({ verdict })
    expect(body.reason).toBe(reason)
    await noCard()
  })

  test.each([
    ['never', 'block'],
    ['always', 'allow'],
  ])('a client’s own request: %s: %s', async (command, verdict) => {
    expect(
      (await send(plane, 'on_permission_request', call('bash', { command }), { askMs })).body.verdict,
    ).toBe(verdict)
    await noCard()
  })

  test('a hook’s question that its caller left to the client’s own request is on that card, with its reason', async () => {
    expect((await send(plane, 'pre_tool_call', call('bash', { command: 'deploy left' }))).body.verdict).toBe(
      'ask',
    )
    const asked = send(plane, 'on_permission_request', call('bash', { command: 'deploy left' }), { askMs })
    const card = await nextCard(plane, from)
    expect(card.text).toContain(' ./hook.sh: it deploys\n')
    tap(plane, card, 'Deny')
    expect((await asked).body.verdict).toBe('block')
  })

  test('a client’s own request about which they say nothing is a card', async () => {
    const asked = send(plane, 'on_permission_request', call('bash', { command: 'make' }), { askMs })
    const card = await nextCard(plane, from)
    expect(card.text).toContain(' The agent asks for permission.\n')
    tap(plane, card, 'Allow once')
    expect((await asked).body.verdict).toBe('allow')
  })
})

describe('the ask-list', () => {
  test('counts without any hook, and not where a hook said allow', async () => {
    const asked = send(plane, 'pre_tool_call', call('write_file', { path: 'a', content: 'b' }), { askMs })
    const card = await nextCard(plane, from)
    expect(card.text).toContain(
      ' gate.yaml says to ask you about this tool.\n│ path: a\n│ content: b\nin /w\nmain · write_file · denied at ',
    )
    tap(plane, card, 'Deny')
    expect((await asked).body.verdict).toBe('block')
    from = sentMessages(plane).length
    expect(
      (await send(plane, 'pre_tool_call', call('write_file', { path: 'consented' }), { askMs })).body.verdict,
    ).toBe('allow')
    await noCard()
  })

  test('counts while the switch is off', async () => {
    await plane.ask('/hooks off', (text) => text.includes('OFF'))
    const asked = send(plane, 'pre_tool_call', call('write_file', { path: 'off' }), { askMs })
    tap(plane, await nextCard(plane, from, 'path: off'), 'Allow once')
    expect((await asked).body.verdict).toBe('allow')
    await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
  })

  test('whoever does not wait is told ask, and no one is asked', async () => {
    expect((await send(plane, 'pre_tool_call', call('write_file', { path: 'x' }))).body).toMatchObject({
      verdict: 'ask',
      reason: 'gate.yaml lists it under "ask"',
    })
    expect((await send(plane, 'pre_tool_call', call('bash', { command: 'deploy' }))).body).toMatchObject({
      verdict: 'ask',
      reason: 'it deploys',
    })
    expect((await send(plane, 'on_permission_request', call('bash', { command: 'make' }))).body.verdict).toBe(
      'allow',
    )
    await noCard()
  })
})

test.each([['0'], ['999'], ['86400001'], ['1e4'], ['-5'], ['soon'], ['']])(
  'a wait of %s ms is refused',
  async (value) => {
    const { status, body } = await send(plane, 'pre_tool_call', call('bash', { command: 'true' }), {
      askMs: value,
    })
    expect([status, body.error?.message]).toEqual([
      400,
      expect.stringContaining('Expected "X-Hookgate-Ask-Ms" to be a whole number from 1000 to 86400000'),
    ])
  },
)

test('what was decided, how and by whom is in the record of the event, and hooks that watch hear of it', async () => {
  const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy recorded' }), { askMs })
  tap(plane, await nextCard(plane, from), 'Allow once')
  const { event_id = '' } = (await asked).body
  const why = await plane.ask(
    `/hooks why ${event_id}`,
    (text) => text.includes(event_id) && text.includes('asked, then allowed'),
  )
  expect(why.replace(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d/, '12:34:56')).toContain(
    'pre_tool_call · 12:34:56 · asked, then allowed\ntool bash\n│ deploy recorded\n',
  )
  expect(why).toContain('\nallowed because bash once by memory:owner\n')
  const decisions = (await plane.read('decisions.jsonl'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(
    decisions.findLast(({ tool_input }) => JSON.stringify(tool_input).includes('recorded')),
  ).toMatchObject({ tool_name: 'bash', decision: 'allow', source: 'person' })
  expect(new Set(decisions.map(({ source }) => source))).toEqual(
    new Set(['hook', 'person', 'session', 'expired', 'gone']),
  )
})

test('the demo agent waits for the person and tells what they said', async () => {
  plane.say('!ls')
  const card = await nextCard(plane, from, 'command: ls')
  tap(plane, card, 'Deny')
  await until('the agent', () =>
    plane.texts().some((text) => text.includes('I did not run bash: The person said no.')),
  )
  from = sentMessages(plane).length
  plane.say('!ls')
  tap(plane, await nextCard(plane, from, 'command: ls'), 'Allow once')
  await until('the files', () => plane.texts().some((text) => text.includes('hook.sh')))
  from = sentMessages(plane).length
  plane.say('!ls')
  const stopped = await nextCard(plane, from, 'command: ls')
  plane.say('/stop')
  expect(await replaced(plane, stopped)).toContain('🛡 Cancelled: the agent stopped waiting.')
})

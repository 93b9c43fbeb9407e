import { consentOf } from '../../consent.ts'
import { expect, test } from 'vitest'
import { cardActs } from '../../../src/commands/cards/card-buttons.ts'
import { tryCommand } from '../../../src/commands/families/try.ts'
import type { CommandContext, CommandPorts, TrialRequest } from '../../../src/commands/ports.ts'
import { noticeOf, type Notice } from '../../../src/core/model/chat/notice.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import type { ListedHook } from '../../../src/shared/gate/catalogue.ts'
import type { Problem } from '../../../src/core/model/gate/problem.ts'
import type { Evidence } from '../../../src/shared/hooks/evidence.ts'
import { aMessage, anEntry } from '../../core/gatekeeper/gate-fixture.ts'

const dayMs = 24 * 3_600_000
const entry = anEntry({ command: './guard.sh' })
const row: ListedHook = {
  status: 'waiting',
  event: 'pre_tool_call',
  command: './guard.sh',
  entry,
  proposed: 'f'.repeat(64),
  unsealed: [],
  files: [],
}

const evidence: Evidence = {
  fingerprint: 'f'.repeat(64),
  atMs: 0,
  events: 5,
  unkept: 0,
  matched: 2,
  counts: { block: 1, ask: 0, rewrite: 0, fail: 0, pass: 1 },
  p50Ms: 4.04,
  p95Ms: 90.4,
  failures: [],
  cases: [
    {
      id: 'e1',
      event: 'pre_tool_call',
      atMs: 0,
      agent: 'main',
      about: 'bash rm x',
      would: 'block',
      why: 'no',
      was: 'allow',
    },
  ],
  different: 0,
  differences: [],
}

const desk = (rows: readonly ListedHook[] = [row], canTap = true) => {
  const over = Promise.withResolvers<Evidence | Problem>()
  const begun: TrialRequest[] = []
  const posts: { readonly said: Notice; deliver(id?: string): void }[] = []
  let hear: (found: () => Evidence) => void = () => undefined
  const state = { nowMs: 10 * dayMs, problem: undefined as Problem | undefined, stops: 0 }
  const ports: Partial<CommandPorts> = {
    rows: () => rows,
    gate: () => ({ isOn: false, isForcedOn: false, revision: 1, people: [] }),
    handle: () => 'k7f2q',
    resolveHandle: (_, __, handle) =>
      handle === 'k7f2q' ? { fingerprint: rows[0]?.proposed ?? rows[0]?.live ?? '' } : { why: 'unknown' },
    post: (_, said, delivered) => void posts.push({ said: noticeOf(said), deliver: delivered }),
    now: () => state.nowMs,
    tries: {
      start: (request) => {
        if (state.problem !== undefined) return Promise.resolve({ problem: state.problem })
        begun.push(request)
        return Promise.resolve({ over: over.promise, hear: (listener) => void (hear = listener) })
      },
      stop: () => {
        state.stops += 1
        over.resolve({ ...evidence, end: 'stopped' })
        return Promise.resolve(true)
      },
    },
  }
  const command = tryCommand(ports as CommandPorts, {
    place: ({ owner, address }) => ({ owner, address, canTap }),
    under: (place, taps) =>
      place.canTap
        ? { buttons: taps.map((one) => one.map((tap) => ({ label: JSON.stringify(tap), press: 'p' }))) }
        : {},
  })
  const context = (more: object = {}): CommandContext => ({
    owner: 'memory:owner',
    address: { channel: 'memory', chat_id: 'owner' },
    message: aMessage({ ...more }),
    consent: consentOf('memory:owner'),
    progress: () => undefined,
  })
  const type = async (rest: string, more?: object): Promise<string> =>
    proseText(noticeOf(await command.run(rest, context(more))).text)
  const texts = (): readonly string[] => posts.map(({ said }) => proseText(said.text))
  return { begun, posts, state, type, texts, over, hear: (one: Evidence) => hear(() => one) }
}

/** The promises that have settled have been heard. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('it asks about the newest 100 events, about a number of them, or about a time', async () => {
  const scopes: unknown[] = []
  const typed = ['k7f2q', 'k7f2q 500', 'k7f2q 0', 'k7f2q 7d', 'k7f2q 12H', './guard.sh 3']
  for (const rest of [...typed, 'k7f2q claude-code', './guard.sh 7d  codex']) {
    const { begun, type } = desk()
    expect(await type(rest)).toBe('')
    scopes.push(begun[0]?.scope)
  }
  expect(scopes).toEqual([
    { sinceMs: 0, maxEvents: 100 },
    { sinceMs: 0, maxEvents: 500 },
    { sinceMs: 0, maxEvents: 1 },
    { sinceMs: 3 * dayMs, maxEvents: 1000 },
    { sinceMs: 9.5 * dayMs, maxEvents: 1000 },
    { sinceMs: 0, maxEvents: 3 },
    { sinceMs: 0, maxEvents: 100, client: 'claude-code' },
    { sinceMs: 3 * dayMs, maxEvents: 1000, client: 'codex' },
  ])
  expect(await desk().type('k7f2q 1001')).toContain('A trial takes at most 1000 events.')
})

test('what waits is asked by its proposed bytes, what is approved by its seal, and what changed by both', async () => {
  const asked = async (one: Partial<ListedHook>): Promise<unknown> => {
    const { begun, type } = desk([{ ...row, ...one }])
    await type('k7f2q')
    const [{ entry: _, scope: __, ...rest } = { entry, scope: undefined }] = begun
    return rest
  }
  const [now, before] = ['f'.repeat(64), 'e'.repeat(64)]
  expect(await asked({})).toEqual({ fingerprint: now, isSealed: false })
  expect(await asked({ status: 'approved', live: now })).toEqual({ fingerprint: now, isSealed: true })
  expect(await asked({ status: 'changed', live: before })).toEqual({
    fingerprint: now,
    isSealed: false,
    sealed: before,
  })
})

test('the card is edited at most every two seconds, and at the end has no button any more', async () => {
  const { posts, type, texts, over, hear, state } = desk()
  await type('k7f2q')
  expect(posts[0]?.said.buttons?.flat().map(({ label }) => label)).toEqual([
    JSON.stringify({ act: 'end_try', label: cardActs.end_try.label, words: '1' }),
  ])
  hear(evidence)
  expect(posts).toHaveLength(1)
  posts[0]?.deliver('m1')
  hear(evidence)
  expect(posts).toHaveLength(1)
  state.nowMs += 2000
  hear(evidence)
  hear(evidence)
  expect(posts).toHaveLength(2)
  expect(posts[1]?.said).toMatchObject({ replaces: 'm1', buttons: [[{ press: 'p' }]] })
  over.resolve(evidence)
  await settled()
  expect(posts).toHaveLength(3)
  expect(posts[2]?.said.replaces).toBe('m1')
  expect(posts[2]?.said.buttons).toBeUndefined()
  expect(texts()[2]).toBe(`Trial of ./guard.sh  pre_tool_call
Of 5 past events 2 matched: 1 blocked, 1 let through.
p50 4.0 ms, p95 90 ms
These would not have gone through as they were:
  would block · it was let through 10 d ago
    bash rm x
    “no”
    → /hooks why e1
Nothing was decided by this, and no agent was told.`)
})

/** What a trial says at its end. */
const said = async (found: Evidence): Promise<string> => {
  const { type, posts, texts, over } = desk()
  await type('k7f2q')
  posts[0]?.deliver('m1')
  over.resolve(found)
  await settled()
  return texts().at(-1) ?? ''
}

test('a broken hook is told in six lines of a phone, and a hook that fails at times beside what it did', async () => {
  const broken: Evidence = {
    ...evidence,
    events: 100,
    matched: 12,
    counts: { block: 0, ask: 0, rewrite: 0, fail: 12, pass: 0 },
    failures: [{ why: 'Its shell found no program jq', count: 12 }],
    cases: [],
  }
  const text = await said(broken)
  expect(text).toBe(`Trial of ./guard.sh  pre_tool_call
Of 100 past events 12 matched.
⚠ It failed each time:
12×  Its shell found no program jq
Nothing was decided by this, and no agent was told.`)
  const phoneLines = text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / 38), 0)
  expect(phoneLines).toBeLessThanOrEqual(6)
  const failures = ['a', 'b', 'c', 'd', 'e', 'f'].map((why, at) => ({ why, count: 9 - at }))
  const some = await said({ ...broken, counts: { ...broken.counts, fail: 11, pass: 1 }, failures })
  expect(some).toContain(`matched: 11 failed, 1 let through.
p50 4.0 ms, p95 90 ms
⚠ It failed 11 times:
9×  a
8×  b
7×  c
6×  d
9×  other failures
Nothing`)
})

test('a card that arrives after the end gets the end, and a chat without buttons gets it as a message', async () => {
  const late = desk()
  await late.type('k7f2q')
  late.over.resolve(evidence)
  await settled()
  expect(late.posts).toHaveLength(1)
  late.posts[0]?.deliver('m1')
  expect(late.posts[1]?.said.replaces).toBe('m1')
  const plain = desk([row], false)
  await plain.type('k7f2q')
  expect(plain.texts()[0]).toContain('To stop it → /hooks try stop')
  plain.over.resolve(evidence)
  await settled()
  expect(plain.texts()[1]).toContain('Of 5 past events')
})

test('the tapped button gets the end in its place, and another trial does not hear it', async () => {
  const { type, posts, state } = desk()
  const press = { data: 'p', on_message_id: 'm1' }
  expect(await type('stop', { press })).toBe('No trial runs now.')
  await type('k7f2q')
  posts[0]?.deliver('m1')
  expect(await type('stop 9', { press })).toBe('No trial runs now.')
  expect(state.stops).toBe(0)
  expect(await type('stop 1', { press })).toContain('It was stopped before its end.')
  await settled()
  expect(posts).toHaveLength(1)
})

test('what cannot be tried is refused with the reason', async () => {
  const { type, state } = desk()
  state.problem = { code: 'try.sandbox', message: 'Expected a sandbox, got none.', fix: 'Install one.' }
  expect(await type('k7f2q')).toBe('✗ ./guard.sh was not tried.\nExpected a sandbox, got none. Install one.')
  const { entry: _, proposed: __, ...invalid } = row
  const broken = { ...invalid, status: 'invalid', problem: state.problem } as const
  expect(await desk([broken]).type('./guard.sh')).toContain('cannot be tried')
})

import fs from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { maxPushUnits } from '../../../../src/core/dispatcher/pushes/refusal.ts'
import { roomOf } from '../../../../src/core/dispatcher/pushes/room.ts'
import { plain } from '../../../../src/core/model/chat/content.ts'
import { fixed } from '../../../../src/core/model/chat/prose.ts'
import {
  blocks,
  createBarrier,
  createRig,
  main,
  says,
  until,
  waitsFor,
  type Rig,
  type RigOptions,
} from '../rig.ts'

let rig: Rig | undefined
const begin = async (options?: RigOptions): Promise<Rig> => (rig = await createRig(options))
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

test('a withheld push tells the agent why and the owner that, and its text reaches nobody', async () => {
  const { push, approve, on, texts, store } = await begin()
  await approve('on_outbound_message', blocks('it holds a password'), {
    name: 'secrets guard',
    matcher: { pattern: 'hunter2' },
  })
  await on()
  const result = await push('the password is hunter2')
  // The push went to the chat of an owner, who is told there.
  expect(result).toEqual({
    outcome: 'withheld',
    reason: 'it holds a password',
    event_id: expect.any(String),
    told: true,
  })
  const told = await until('the owner to be told', () => texts()[0])
  const eventId = 'event_id' in result ? result.event_id : ''
  expect(told).toBe(
    `🛡 Blocked: main’s message to the memory chat.\nsecrets guard: it holds a password\n→ /hooks why ${eventId}`,
  )
  const records = await store.records({ limit: 20 })
  expect(JSON.stringify(records)).not.toContain('hunter2')
  expect((await store.records({ limit: 9, eventId })).map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['push', 'withheld'],
    ['event', 'block'],
  ])
  expect(await push('harmless')).toMatchObject({ outcome: 'delivered' })
})

test('a rewritten text is what arrives, and what the next hook sees', async () => {
  const { push, approve, on, texts, workspace } = await begin()
  await approve('on_outbound_message', says({ notification: 'call [redacted]' }), {
    priority: 900,
    matcher: { pattern: '555' },
  })
  await approve('on_outbound_message', 'cat > seen.json', { priority: 100 })
  await on()
  expect(await push('call 555-1234')).toMatchObject({ outcome: 'delivered' })
  expect(texts()).toEqual(['call [redacted]'])
  expect(JSON.parse(fs.readFileSync(path.join(workspace, 'seen.json'), 'utf8'))).toMatchObject({
    event: 'on_outbound_message',
    notification: 'call [redacted]',
    type: 'text',
    ...main,
  })
})

test('a rewrite that leaves nothing is withheld with words', async () => {
  const { push, approve, on } = await begin()
  await approve('on_outbound_message', says({ notification: '  ' }), { matcher: { pattern: 'empty me' } })
  await on()
  expect(await push('empty me')).toMatchObject({
    outcome: 'withheld',
    reason: 'a hook removed all of its text',
  })
})

test('the mark of a notice is gone before a hook sees the text, and a rewrite cannot bring it back', async () => {
  const { push, approve, on, texts, workspace } = await begin()
  expect(await push('🛡 Hooks are OFF.')).toMatchObject({ outcome: 'delivered' })
  await approve('on_outbound_message', `cat > seen.json; ${says({ notification: '🛡️ LOCKDOWN' })}`, {
    matcher: { pattern: 'rewrite me' },
  })
  await on()
  expect(await push('rewrite me')).toMatchObject({ outcome: 'delivered' })
  expect(texts()).toEqual([' Hooks are OFF.', ' LOCKDOWN'])
  expect(fs.readFileSync(path.join(workspace, 'seen.json'), 'utf8')).not.toContain('🛡')
})

test('the same push_id is one push, at the same time and afterwards', async () => {
  const { push, texts } = await begin()
  const twice = await Promise.all([push('once', { push_id: 'p1' }), push('once', { push_id: 'p1' })])
  expect(twice[0]).toEqual(twice[1])
  expect(await push('other words', { push_id: 'p1' })).toEqual(twice[0])
  expect(texts()).toEqual(['once'])
  expect(await push('another agent', { push_id: 'p1', agent_id: 'helper' })).toMatchObject({
    outcome: 'delivered',
  })
})

test('asked again after its answer, a push that had to wait says what became of it', async () => {
  const { push, memory, dispatcher, clock } = await begin()
  memory.fail({ kind: 'retry', afterMs: 100, why: 'wait' })
  const first = push('slow', { push_id: 'p1' })
  await dispatcher.notify(main, fixed('x'))
  expect(await first).toMatchObject({ outcome: 'delivered' })
  expect(await push('slow', { push_id: 'p1' })).toEqual(await first)
  expect(clock.aheadMs).toBe(0)
})

test('a push that was judged anew while it waited names the event in which it was let out', async () => {
  const { push, approve, on, memory, pass, store } = await begin()
  memory.fail({ kind: 'retry', afterMs: 5000, why: 'away' })
  const said = push('wait for it')
  await until('it to wait', () => memory.isHealed())
  await approve('on_outbound_message', 'cat > /dev/null', { matcher: { pattern: 'wait for it' } })
  await on()
  pass(5000)
  const result = await said
  const eventId = 'event_id' in result ? result.event_id : ''
  expect((await store.records({ limit: 9, eventId })).map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['push', 'delivered'],
    ['event', 'allow'],
  ])
})

test('what could never leave is refused with what was expected, what came and what to do', async () => {
  const { push, texts } = await begin()
  expect(await push('x'.repeat(maxPushUnits + 1))).toMatchObject({
    refused: 'too_large',
    message: 'Expected a text of at most 100000 characters, got 100001.',
  })
  expect(await push('x'.repeat(maxPushUnits))).toMatchObject({ outcome: 'delivered' })
  for (const empty of ['', ' \n\t', '🛡️', '\u3000'])
    expect(await push(empty)).toMatchObject({ refused: 'empty', fix: 'Send some words.' })
  expect(texts().join('')).toBe('x'.repeat(maxPushUnits))
})

test('a chat that is full takes nothing from the others, all that was taken arrives, and the owner is told once', async () => {
  const barrier = createBarrier()
  const { push, texts } = await begin({
    wrap: (memory) => ({
      ...memory,
      deliver: async (outgoing) => {
        if (outgoing.chat_id === 'slow') await barrier.passed
        return memory.deliver(outgoing)
      },
    }),
  })
  const most = roomOf.chat.pushes
  const taken = Array.from({ length: most }, (_, index) => push(`text ${index}`, { chat_id: 'slow' }))
  for (let count = 0; count < 3; count++)
    expect(await push('one too many', { chat_id: 'slow' })).toMatchObject({
      refused: 'chat_full',
      message:
        'Expected at most 1000 waiting messages with 8 MB of text and 50 MB of files for one chat, got more.',
    })
  expect(await push('elsewhere', { chat_id: 'other' })).toMatchObject({ outcome: 'delivered' })
  barrier.open()
  await Promise.all(taken)
  await until('all of them to arrive', () => texts('slow').length === most)
  expect(texts('slow')).toEqual(Array.from({ length: most }, (_, index) => `text ${index}`))
  expect(texts()).toEqual([
    '🛡 ⚠ Too many messages of main wait to be sent to one chat on memory. New ones are refused until some have been sent.',
  ])
}, 60_000)

test('what never had a chance to leave takes no room from what comes after it', async () => {
  const { push, dispatcher, workspace } = await begin()
  const looped = (index: number): ReturnType<typeof push> =>
    dispatcher.push(
      {
        ...main,
        push_id: `looped ${index}`,
        agent_id: 'main',
        session_id: 's',
        cwd: workspace,
        ...plain('text', 'x'),
      },
      ['pre_tool_call:a', 'on_error:b', 'on_stop:c'],
    )
  for (let count = 0; count < roomOf.chat.pushes; count++)
    expect(await looped(count)).toMatchObject({ refused: 'loop' })
  expect(await push('harmless')).toMatchObject({ outcome: 'delivered' })
})

test('long texts fill a chat before many do', async () => {
  const { push } = await begin({
    wrap: (memory) => ({ ...memory, deliver: () => new Promise(() => undefined) }),
  })
  const fits = Math.floor(roomOf.chat.bytes / (maxPushUnits * 3))
  for (let count = 0; count < fits; count++) void push('字'.repeat(maxPushUnits))
  expect(await push('字'.repeat(maxPushUnits))).toMatchObject({ refused: 'chat_full' })
})

test('what was said first arrives first, though its hook takes longer', async () => {
  const { push, approve, on, write, texts, workspace } = await begin()
  await approve('on_outbound_message', `touch asked; ${waitsFor('go')}`, { matcher: { pattern: 'slow' } })
  await on()
  const said = [push('slow one'), push('quick one'), push('quick two')]
  const elsewhere = await push('another chat', { chat_id: 'other' })
  expect(elsewhere).toMatchObject({ outcome: 'delivered' })
  await until('the slow hook to run', () => fs.existsSync(path.join(workspace, 'asked')))
  expect(texts()).toEqual([])
  write('go', '')
  await Promise.all(said)
  expect(texts()).toEqual(['slow one', 'quick one', 'quick two'])
})

test('hooks see what this chat was last told, and no other chat', async () => {
  const { push, approve, on, workspace } = await begin()
  for (const text of ['one', 'two', 'three', 'four', 'five', `${'y'.repeat(3000)}${'x'.repeat(2000)}`])
    await push(text)
  await push('elsewhere', { chat_id: 'other' })
  await approve('on_outbound_message', 'cat > seen.json')
  await on()
  await push('now')
  const { recent } = JSON.parse(fs.readFileSync(path.join(workspace, 'seen.json'), 'utf8'))
  expect(recent).toEqual(['one', 'two', 'three', 'four', 'five', `${'y'.repeat(2000)}${'x'.repeat(2000)}`])
})

test('what a chat was told is gathered only while somebody may be asked about what leaves', async () => {
  const { dispatcher, push, approve, on, off } = await begin()
  const told: unknown[] = []
  dispatcher.onJudged(({ recent }) => void told.push(recent))
  await push('one')
  await approve('on_outbound_message', 'exit 0')
  await push('two')
  await on()
  await push('three')
  await off()
  await push('four')
  expect(told).toEqual([[], [], ['one', 'two'], []])
})

test('of two pushes at once the later one is judged beside the earlier one, as it is about to leave, and a withheld one is forgotten', async () => {
  const { push, approve, on, workspace, write } = await begin()
  write(
    'look.sh',
    '#!/bin/sh\nseen=$(cat)\nprintf "%s\\n" "$seen" >> seen.jsonl\ncase "$seen" in *\'"notification":"no\'*) echo \'{"decision":"block","reason":"no"}\';; esac\n',
  )
  fs.chmodSync(path.join(workspace, 'look.sh'), 0o755)
  await approve('on_outbound_message', './look.sh')
  await on()
  await Promise.all([push('first half'), push('second half')])
  await push('no, not this')
  await push('after it')
  const recentOf = Object.fromEntries(
    fs
      .readFileSync(path.join(workspace, 'seen.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .flatMap((line): readonly [string, unknown][] => {
        const { notification, recent, type } = JSON.parse(line)
        // Owners are told of the withheld one: a notice has no others before it.
        return type === 'text' ? [[notification, recent]] : []
      }),
  )
  expect(recentOf).toEqual({
    'first half': [],
    'second half': ['first half'],
    'no, not this': ['first half', 'second half'],
    'after it': ['first half', 'second half'],
  })
})

test('a push that a chain of hooks caused is refused with the loop named', async () => {
  const { dispatcher, workspace, texts } = await begin()
  const pushed = await dispatcher.push(
    { ...main, push_id: 'p', agent_id: 'main', session_id: 's', cwd: workspace, ...plain('text', 'x') },
    ['pre_tool_call:a', 'on_error:b', 'on_stop:c'],
  )
  expect(pushed).toMatchObject({
    refused: 'loop',
    message: expect.stringContaining('pre_tool_call → on_error → on_stop → on_outbound_message'),
  })
  expect(texts()).toEqual([])
})

test('a push that was withheld is withheld when it is asked for again, also after a restart', async () => {
  const { push, approve, on, off, texts, restart, workspace } = await begin()
  await approve('on_outbound_message', blocks('no'))
  await on()
  expect(await push('x', { push_id: 'p' })).toMatchObject({ outcome: 'withheld' })
  await off()
  const again = await restart()
  expect(
    await again.push({
      ...main,
      push_id: 'p',
      agent_id: 'main',
      session_id: 's',
      cwd: workspace,
      ...plain('text', 'x'),
    }),
  ).toMatchObject({ outcome: 'withheld', reason: 'no' })
  expect(texts().filter((text) => text === 'x')).toEqual([])
})

test('what a hook still thinks about is on disk, in the order in which it was said: a gate that is killed meanwhile loses none of it', async () => {
  const { push, approve, on, write, store, texts } = await begin()
  await approve('on_outbound_message', waitsFor('go'))
  await on()
  const bytes = new TextEncoder().encode('a file')
  const said = [
    push('first', { type: 'document', files: [{ name: 'a.txt', type: 'text/plain', bytes }], push_id: 'p1' }),
    push('second', { push_id: 'p2' }),
  ]
  await expect
    .poll(async () => (await store.outbox()).map(({ id, state }) => [id, state]))
    .toEqual([
      ['main:p1', 'queued'],
      ['main:p2', 'queued'],
    ])
  expect(texts()).toEqual([])
  write('go', '')
  expect(await Promise.all(said)).toMatchObject([{ outcome: 'delivered' }, { outcome: 'delivered' }])
  expect(texts()).toEqual(['first', 'second'])
})

test('what will not leave does not stay on disk', async () => {
  const { push, approve, on, dispatcher, workspace, store, texts } = await begin()
  await approve('on_outbound_message', blocks('no'))
  await on()
  expect(await push('x')).toMatchObject({ outcome: 'withheld' })
  expect(
    await dispatcher.push(
      {
        ...main,
        push_id: 'looped',
        agent_id: 'main',
        session_id: 's',
        cwd: workspace,
        ...plain('text', 'y'),
      },
      ['pre_tool_call:a', 'on_error:b', 'on_stop:c'],
    ),
  ).toMatchObject({ refused: 'loop' })
  expect((await store.outbox()).filter(({ kind }) => kind === 'push')).toEqual([])
  expect(texts().filter((text) => !text.startsWith('🛡'))).toEqual([])
})

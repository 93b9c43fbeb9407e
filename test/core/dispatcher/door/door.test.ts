import fs from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { timeToLiveMs } from '../../../../src/core/dispatcher/door/door.ts'
import { plain } from '../../../../src/core/model/chat/content.ts'
import { deepFreeze } from '../../../../src/core/model/base/json.ts'
import { fixed, prose } from '../../../../src/core/model/chat/prose.ts'
import type { OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import {
  blocks,
  createBarrier,
  createRig,
  main,
  me,
  says,
  until,
  untilPaused,
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

/** Every send to these chats waits for the barrier. */
const heldUp =
  (chats: readonly string[], barrier: ReturnType<typeof createBarrier>): NonNullable<RigOptions['wrap']> =>
  (memory) => ({
    ...memory,
    deliver: async (outgoing) => {
      if (chats.includes(outgoing.chat_id)) await barrier.passed
      return memory.deliver(outgoing)
    },
  })
const outcomesOf = async ({ store }: Rig): Promise<readonly string[]> =>
  (await store.records({ limit: 100, kinds: ['push'] })).map(({ outcome }) => outcome)

describe('each chat has one lane', () => {
  test('what was said first arrives first', async () => {
    const { push, texts } = await begin()
    const said = Array.from({ length: 30 }, (_, index) => `text ${index}`)
    expect(
      (await Promise.all(said.map((text) => push(text)))).every(
        (result) => 'outcome' in result && result.outcome === 'delivered',
      ),
    ).toBe(true)
    expect(texts()).toEqual(said)
  })

  test('a slow chat delays no other', async () => {
    const barrier = createBarrier()
    const { push, texts } = await begin({ wrap: heldUp(['slow'], barrier) })
    const slow = push('late', { chat_id: 'slow' })
    expect(await push('quick')).toMatchObject({ outcome: 'delivered' })
    expect([texts('slow'), texts()]).toEqual([[], ['quick']])
    barrier.open()
    expect(await slow).toMatchObject({ outcome: 'delivered' })
  })

  test('a notice goes before the pushes that wait', async () => {
    const barrier = createBarrier()
    const { push, dispatcher, store, texts } = await begin({ wrap: heldUp(['main'], barrier) })
    const said = [push('under way'), push('waits')]
    await until(
      'the first to be under way',
      async () => (await store.outbox()).map(({ state }) => state).join() === 'sending,queued',
    )
    await dispatcher.notify(main, fixed('Hooks are OFF.'))
    barrier.open()
    await Promise.all(said)
    expect(texts()).toEqual(['under way', '🛡 Hooks are OFF.', 'waits'])
  })

  test('a messenger that asks to wait is left alone, then everything comes in order', async () => {
    const { push, memory, texts, dispatcher, pass, store } = await begin()
    memory.fail({ kind: 'retry', afterMs: 5000, why: 'too many requests' })
    const said = [push('one'), push('two')]
    await untilPaused(rig!)
    await dispatcher.notify(main, fixed('three'))
    pass(2000)
    expect((await store.outbox()).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued'])
    expect(texts()).toEqual([])
    pass(3000)
    await Promise.all(said)
    expect(texts()).toEqual(['🛡 three', 'one', 'two'])
  })

  test('a clock that was set back does not leave the lane waiting', async () => {
    const { push, memory, clock, texts } = await begin()
    memory.fail({ kind: 'retry', afterMs: 50, why: 'wait' })
    const said = push('one')
    clock.aheadMs = -3_600_000
    expect(await said).toMatchObject({ outcome: 'delivered' })
    expect(texts()).toEqual(['one'])
  })

  test('a part that has to wait does not repeat the parts before it', async () => {
    const { push, memory, texts } = await begin({ maxUnits: 10 })
    memory.fail({ kind: 'delivered' })
    memory.fail({ kind: 'retry', afterMs: 30, why: 'wait' })
    expect(await push('a'.repeat(25))).toMatchObject({ outcome: 'delivered' })
    expect(texts()).toEqual(['a'.repeat(10), 'a'.repeat(10), 'a'.repeat(5)])
  })
})

describe('what does not arrive is told, and never repeated by itself', () => {
  test('a refused push has the outcome failed, and the next one leaves', async () => {
    const { push, memory, texts, store } = await begin()
    memory.fail({ kind: 'failed', why: 'the chat is gone' })
    expect(await push('secret words')).toMatchObject({ outcome: 'failed', reason: 'the chat is gone' })
    expect(await push('next')).toMatchObject({ outcome: 'delivered' })
    const told = await until('the owner to be told', () =>
      texts().find((text) => text.includes('Not delivered: ')),
    )
    expect(told).toMatch(
      /^🛡 Not delivered: main’s message to the memory chat\.\nmemory: the chat is gone\n→ \/hooks why id-\d+$/,
    )
    expect(
      (await store.records({ limit: 9, kinds: ['push'] })).map(({ outcome, length }) => [outcome, length]),
    ).toEqual([
      ['delivered', 4],
      ['failed', 12],
    ])
  })

  test('a push whose answer never came is unknown', async () => {
    const { push, memory, texts } = await begin()
    memory.fail({ kind: 'unknown', why: 'the connection broke' })
    expect(await push('once')).toMatchObject({ outcome: 'unknown' })
    await until('the owner to be told', () =>
      texts().find((text) =>
        text.startsWith(
          '🛡 May not have arrived: main’s message to the memory chat.\nmemory: the connection broke',
        ),
      ),
    )
    expect(texts()).not.toContain('once')
  })

  test('how many parts had left is said', async () => {
    const { push, memory } = await begin({ maxUnits: 10 })
    memory.fail({ kind: 'delivered' })
    memory.fail({ kind: 'failed', why: 'too long' })
    expect(await push('a'.repeat(25))).toMatchObject({
      outcome: 'failed',
      reason: 'too long (1 of 3 parts had been sent)',
    })
  })

  test('a bot that throws makes it unknown, and the lane goes on', async () => {
    let isBroken = true
    const { push } = await begin({
      wrap: (memory) => ({
        ...memory,
        deliver: async (outgoing) => {
          if (!isBroken) return memory.deliver(outgoing)
          isBroken = false
          throw new Error('a bug')
        },
      }),
    })
    expect(await push('one')).toMatchObject({ outcome: 'unknown' })
    expect(await push('two')).toMatchObject({ outcome: 'delivered' })
  })

  test('a channel that is not connected fails the push with words', async () => {
    const { push } = await begin()
    expect(await push('x', { channel: 'pigeon' })).toMatchObject({
      outcome: 'failed',
      reason: 'no channel "pigeon" is connected',
    })
  })

  test('what waited longer than a day is given up', async () => {
    const { push, memory, clock } = await begin()
    memory.fail({ kind: 'retry', afterMs: 50, why: 'away' })
    const said = push('old news')
    clock.aheadMs = timeToLiveMs + 60_000
    expect(await said).toMatchObject({ outcome: 'failed', reason: 'it waited longer than a day' })
  })
})

describe('what leaves was judged under the gate as it is at that moment', () => {
  test('a hook that was approved while a push waited is asked before it leaves', async () => {
    const { push, memory, approve, on, texts, pass } = await begin()
    memory.fail({ kind: 'retry', afterMs: 5000, why: 'wait' })
    const said = push('a secret')
    await untilPaused(rig!)
    await approve('on_outbound_message', blocks('no secrets'))
    await on()
    pass(5000)
    expect(await said).toMatchObject({ outcome: 'withheld', reason: 'no secrets' })
    expect(texts()).not.toContain('a secret')
  })

  test('a change between the judgement and the very send is seen, and the row says that nothing had left', async () => {
    const states: { readonly id: string; readonly state: string | undefined }[] = []
    const gate: { change?: () => Promise<void> } = {}
    const { push, approve, on, texts } = await begin({
      store: (store) => ({
        ...store,
        setOutbox: async (id, change) => {
          states.push({ id, state: change.state })
          await store.setOutbox(id, change)
          await gate.change?.()
        },
      }),
    })
    await approve('on_outbound_message', blocks('too late'))
    gate.change = async () => {
      delete gate.change
      await on()
    }
    expect(await push('on the doorstep')).toMatchObject({ outcome: 'withheld', reason: 'too late' })
    // The notice about it has a row of its own.
    const [first] = states
    expect(states.filter(({ id }) => id === first?.id).map(({ state }) => state)).toEqual([
      'sending',
      'queued',
    ])
    expect(texts()).not.toContain('on the doorstep')
  })

  test('the rest of a push in parts is withheld when a new hook blocks it, and goes on when it does not mind', async () => {
    for (const [answer, outcome, parts] of [
      [blocks('stop'), 'withheld', 1],
      [':', 'delivered', 3],
    ] as const) {
      const { push, memory, approve, on, texts, stop } = await begin({ maxUnits: 100 })
      await approve('on_outbound_message', answer)
      const end = memory.onSent(async () => {
        end()
        await on()
      })
      expect(await push('a'.repeat(250))).toMatchObject({ outcome })
      expect(texts().filter((text) => /^a+$/.test(text))).toHaveLength(parts)
      await stop()
    }
    rig = undefined
  })

  test('a notice in parts begins anew instead: its fixed words always arrive whole', async () => {
    const { dispatcher, memory, approve, on, texts } = await begin({ maxUnits: 40 })
    await approve('on_outbound_message', blocks('no quotes'))
    const end = memory.onSent(async () => {
      end()
      await on()
    })
    await dispatcher.notify(main, prose`${fixed('word '.repeat(12))}${'quoted'} the end`)
    await until('the end', () => texts().some((text) => text.endsWith('the end')))
    expect(
      texts()
        .slice(1)
        .map((text) => text.replace(/^🛡 \d+\/\d+\n/u, ''))
        .join(''),
    ).toMatch(/^(word ){12}\[withheld by \.\/hook-\d+\.sh\] the end$/)
  })
})

describe('lockdown holds what agents say and lets notices go', () => {
  test('recovery releases what was held, after it was judged', async () => {
    const { push, gatekeeper, dispatcher, texts } = await begin()
    gatekeeper.lockDown('a test')
    expect(await push('held words')).toMatchObject({ outcome: 'held' })
    await dispatcher.notify(main, prose`LOCKDOWN: ${'quoted'}`)
    await until('the notice', () => texts().includes('🛡 LOCKDOWN: [withheld by lockdown]'))
    expect(texts()).not.toContain('held words')
    expect((await gatekeeper.recover(me)).ok).toBe(true)
    await until('the held push', () => texts().includes('held words'))
    await until('its record', async () => (await outcomesOf(rig!)).join() === 'delivered,held')
  })

  test('a push that was being judged when it began is held too, and judged again afterwards', async () => {
    const { push, gatekeeper, approve, on, write, texts, workspace } = await begin()
    await approve('on_outbound_message', `touch asked; ${waitsFor('go')}`)
    await on()
    const said = push('in between')
    await until('the hook to be asked', () => fs.existsSync(path.join(workspace, 'asked')))
    gatekeeper.lockDown('a test')
    write('go', '')
    expect(await said).toMatchObject({ outcome: 'held' })
    expect(texts()).toEqual([])
    await gatekeeper.recover(me)
    await until('the push', () => texts().join() === 'in between')
  })

  test('a ledger that begins anew counts anew: a judgement from before never passes for one of now', async () => {
    const { push, dispatcher, memory, gatekeeper, approve, on, off, texts, pass } = await begin()
    for (let count = 0; count < 3; count++) await [on, off][count % 2]?.()
    const before = gatekeeper.state().revision
    memory.fail({ kind: 'retry', afterMs: 5000, why: 'wait' })
    const said = push('judged long ago')
    await untilPaused(rig!)
    await dispatcher.notify(main, prose`It said: ${'quoted long ago'}`)
    gatekeeper.lockDown('a test')
    await gatekeeper.recover(me)
    await approve('on_outbound_message', blocks('not any more'))
    while (gatekeeper.state().revision < before - 1) await [off, on][gatekeeper.state().isOn ? 0 : 1]?.()
    if (!gatekeeper.state().isOn) await on()
    while (gatekeeper.state().revision < before)
      await approve('pre_tool_call', `: ${gatekeeper.state().revision}`)
    expect(gatekeeper.state()).toMatchObject({ revision: before, isOn: true })
    pass(5000)
    expect(await said).toMatchObject({ outcome: 'withheld', reason: 'not any more' })
    expect(texts()).not.toContain('judged long ago')
    const notice = await until('the notice', () => texts().find((text) => text.startsWith('🛡 It said:')))
    expect(notice).not.toContain('quoted long ago')
  })
})

describe('what was under way when the gate died', () => {
  const never: NonNullable<RigOptions['wrap']> = (memory) => ({
    ...memory,
    deliver: () => new Promise(() => undefined),
  })

  test('a send that had begun is told as unknown and not repeated', async () => {
    let isDead = true
    const { push, store, texts, restart } = await begin({
      wrap: (memory) => ({
        ...memory,
        deliver: (outgoing) => (isDead ? never(memory).deliver(outgoing) : memory.deliver(outgoing)),
      }),
    })
    void push('half sent', { push_id: 'p1' })
    await until('the send to begin', async () => (await store.outbox())[0]?.state === 'sending')
    isDead = false
    await restart()
    const told = await until('the owner to be told', () => texts()[0])
    expect(told).toBe(
      '🛡 May not have arrived: main’s message to the memory chat.\nmemory: hookgate stopped while it was being sent; it may have arrived',
    )
    expect(texts()).toHaveLength(1)
    expect(await outcomesOf(rig!)).toEqual(['unknown'])
    await until('an empty outbox', async () => (await store.outbox()).length === 0)
  })

  test('a push in parts of which some had left is unknown too, also while it waits for the messenger', async () => {
    const { push, store, memory, restart, texts } = await begin({ maxUnits: 60 })
    memory.fail({ kind: 'delivered' })
    memory.fail({ kind: 'retry', afterMs: 60_000, why: 'wait' })
    void push('a'.repeat(100))
    await until('the first part', () => texts().length === 1)
    await store.records({ limit: 1 })
    await restart()
    await until('the owner to be told', () =>
      texts()
        .map((text) => text.replace(/^🛡 \d+\/\d+\n/u, ''))
        .join('')
        .includes('May not have arrived'),
    )
    expect(texts().filter((text) => text.startsWith('a'))).toHaveLength(1)
  })

  test('what waited is judged again and leaves once, and a repeated push_id is still the same push', async () => {
    const { push, store, memory, texts, approve, on, restart } = await begin()
    memory.fail({ kind: 'retry', afterMs: 60_000, why: 'wait' })
    for (const [id, text] of [
      ['p1', 'first'],
      ['p2', 'forbidden'],
      ['p3', 'third'],
    ] as const)
      void push(text, { push_id: id })
    await until(
      'all to wait',
      async () => (await store.outbox()).filter(({ state }) => state === 'queued').length === 3,
    )
    await approve('on_outbound_message', blocks('no'), { matcher: { pattern: 'forbidden' } })
    await on()
    await restart()
    expect(await push('first', { push_id: 'p1' })).toMatchObject({
      outcome: expect.stringMatching(/^(queued|delivered)$/),
    })
    await until('the third', () => texts().includes('third'))
    expect(texts().filter((text) => !text.startsWith('🛡'))).toEqual(['first', 'third'])
  })

  test('a push that had ended is not sent again when it is asked for after a restart: it says what became of it', async () => {
    const { push, memory, restart, texts } = await begin()
    expect(await push('once', { push_id: 'p1' })).toMatchObject({ outcome: 'delivered' })
    memory.fail({ kind: 'failed', why: 'the chat is gone' })
    await push('never', { push_id: 'p2' })
    await restart()
    expect([await push('once', { push_id: 'p1' }), await push('never', { push_id: 'p2' })]).toMatchObject([
      { outcome: 'delivered' },
      { outcome: 'failed', reason: 'the chat is gone' },
    ])
    expect(texts().filter((text) => !text.startsWith('🛡'))).toEqual(['once'])
  })

  test('a push of which nobody knows whether it arrived says so when it is asked for after a restart, and after one more', async () => {
    let isDead = true
    const { push, store, texts, restart } = await begin({
      wrap: (memory) => ({
        ...memory,
        deliver: (outgoing) => (isDead ? never(memory).deliver(outgoing) : memory.deliver(outgoing)),
      }),
    })
    void push('half sent', { push_id: 'p1' })
    await until('the send to begin', async () => (await store.outbox())[0]?.state === 'sending')
    isDead = false
    for (let count = 0; count < 2; count++) {
      await restart()
      expect(await push('half sent', { push_id: 'p1' })).toMatchObject({ outcome: 'unknown' })
    }
    expect(texts().filter((text) => !text.startsWith('🛡'))).toEqual([])
  })

  test('what came in since the start is not taken up a second time', async () => {
    const barrier = createBarrier()
    const { store, dispatcher, texts } = await begin({ wrap: heldUp(['main'], barrier) })
    for (const answer of ['one', 'two', 'three']) await dispatcher.notify(main, fixed(answer))
    await until('the first to be under way', async () => (await store.outbox())[0]?.state === 'sending')
    await dispatcher.restore()
    barrier.open()
    await until('an empty outbox', async () => (await store.outbox()).length === 0)
    expect(texts()).toEqual(['🛡 one', '🛡 two', '🛡 three'])
    expect(await store.records({ limit: 9 })).toEqual([])
  })

  test('hooks see no mark of a notice in what another version of hookgate stored', async () => {
    const { store, approve, on, restart, texts, workspace } = await begin()
    await approve('on_outbound_message', 'cat >> seen.json', { matcher: { pattern: 'stored' } })
    await on()
    const row = { seq: 1, ...main, state: 'queued' as const, revision: 1, createdAtMs: Date.now() }
    await store.putOutbox({ ...row, id: 'main:p1', kind: 'push', body: '{"text":"🛡 stored","push_id":"p1"}' })
    await restart()
    await until('it to arrive', () => texts().includes(' stored'))
    expect(fs.readFileSync(path.join(workspace, 'seen.json'), 'utf8')).not.toContain('🛡')
  })

  test('a row that cannot be read stops nothing', async () => {
    const { store, restart, texts } = await begin()
    const row = { seq: 1, ...main, state: 'queued' as const, revision: 1, createdAtMs: Date.now() }
    await store.putOutbox({ ...row, id: 'main:broken', kind: 'push', body: '{"text"' })
    await store.putOutbox({ ...row, id: 'main:no-poll', kind: 'push', body: '{"text":"?","type":"poll"}' })
    await store.putOutbox({ ...row, id: 'notice:broken', kind: 'notice', body: 'x', seq: 2 })
    await store.putOutbox({
      ...row,
      id: 'notice:lost',
      kind: 'notice',
      body: '[{"fixed":"gone"}]',
      state: 'sending',
      seq: 3,
    })
    await store.putOutbox({ ...row, id: 'notice:good', kind: 'notice', body: '[{"fixed":"good"}]', seq: 4 })
    await restart()
    await until('the good one', () => texts().includes('🛡 good'))
    await until('an empty outbox', async () => (await store.outbox()).length === 0)
    expect(texts().join()).not.toContain('gone')
    expect((await store.records({ limit: 9, kinds: ['notice'] })).map(({ outcome }) => outcome)).toContain(
      'unknown',
    )
  })
})

test('a disk that takes nothing loses no notice, and a push that cannot be written is refused and not sent', async () => {
  const broken = (): Promise<never> => Promise.reject(new Error('no space left'))
  const { dispatcher, push, texts } = await begin({
    store: (store) => ({ ...store, putOutbox: broken, setOutbox: broken, removeOutbox: broken }),
  })
  await dispatcher.notify(main, fixed('Hooks are OFF.'))
  expect(await push('still here')).toMatchObject({ refused: 'disk' })
  expect(texts()).toEqual(['🛡 Hooks are OFF.'])
})

/** A store that removes nothing from the outbox while the disk is full. */
const withoutRemovals =
  (isFull: () => boolean): NonNullable<RigOptions['store']> =>
  (store) => ({
    ...store,
    removeOutbox: (...row) =>
      isFull() ? Promise.reject(new Error('no space left')) : store.removeOutbox(...row),
  })

test('a message that left while the disk took nothing is not sent again by the next start', async () => {
  let isFull = false
  const { dispatcher, push, texts, store, restart } = await begin({
    store: withoutRemovals(() => isFull),
  })
  isFull = true
  await dispatcher.notify(main, fixed('Hooks are OFF.'))
  expect(await push('once')).toMatchObject({ outcome: 'delivered' })
  expect(await store.outbox()).toHaveLength(2)
  isFull = false
  await until('an empty outbox', async () => (await store.outbox()).length === 0)
  await restart()
  expect(texts()).toEqual(['🛡 Hooks are OFF.', 'once'])
})

test('a push is not said to be withheld before that is stored, and the same push is withheld when it comes again', async () => {
  let isFull = false
  const { approve, on, push, dispatcher, store, texts } = await begin({
    store: withoutRemovals(() => isFull),
  })
  await approve('on_outbound_message', blocks('no secrets'))
  await on()
  await dispatcher.notify(main, fixed('Hooks are ON.'))
  isFull = true
  expect(await push('a secret', { push_id: 'p1' })).toMatchObject({ refused: 'disk' })
  expect(await store.records({ limit: 9, kinds: ['push'] })).toEqual([])
  isFull = false
  expect(await push('a secret', { push_id: 'p1' })).toMatchObject({
    outcome: 'withheld',
    reason: 'no secrets',
  })
  expect(texts()).not.toContain('a secret')
})

test('a push that was withheld while it waited is told so when that is stored, since the next start would judge it anew', async () => {
  let isFull = false
  const { approve, on, push, memory, texts } = await begin({
    store: withoutRemovals(() => isFull),
  })
  const barrier = createBarrier()
  memory.onSent(() => barrier.passed)
  const first = push('first')
  await until('the first message', () => texts().includes('first'))
  let told: unknown
  const second = push('a secret').then((result) => (told = result))
  await approve('on_outbound_message', blocks('no secrets'))
  await on()
  isFull = true
  barrier.open()
  expect(await first).toMatchObject({ outcome: 'delivered' })
  await new Promise((done) => setTimeout(done, 500))
  expect(told).toBeUndefined()
  isFull = false
  await second
  expect(told).toMatchObject({ outcome: 'withheld', reason: 'no secrets' })
})

test('a push that was written before the disk was full waits until its mark can be written, too', async () => {
  let isFull = true
  const { push, texts } = await begin({
    store: (store) => ({
      ...store,
      setOutbox: (...change) =>
        isFull ? Promise.reject(new Error('no space left')) : store.setOutbox(...change),
    }),
  })
  const asked = push('still here')
  await new Promise((done) => setTimeout(done, 300))
  expect(texts()).toEqual([])
  isFull = false
  expect(await asked).toMatchObject({ outcome: 'delivered' })
  expect(texts()).toEqual(['still here'])
})

describe('the tripwire', () => {
  test('a outgoing that did not come through the door is refused, also one that did once', async () => {
    const { memory, push, refused, texts } = await begin()
    const stray: OutgoingMessage = deepFreeze({
      ...main,
      outgoing_id: 'x',
      kind: 'notice',
      ...plain('notice', '🛡 stray'),
      code: [],
    })
    expect(await memory.deliver(stray)).toMatchObject({ kind: 'failed' })
    await push('through the door')
    const [outgoing] = memory.sent()
    expect(Object.isFrozen(outgoing) && Object.isFrozen(outgoing?.code)).toBe(true)
    if (outgoing !== undefined) expect(await memory.deliver(outgoing)).toMatchObject({ kind: 'failed' })
    expect(texts()).toEqual(['through the door'])
    expect(refused).toEqual(['memory deliver', 'memory deliver'])
  })

  test('a outgoing is admitted only while it is being sent', async () => {
    const seen: boolean[] = []
    const { push, dispatcher, memory } = await begin()
    memory.onSent((outgoing) => seen.push(dispatcher.isAdmitted(outgoing)))
    await push(says({ a: 1 }))
    expect(seen).toEqual([true])
    expect(memory.sent().map((outgoing) => dispatcher.isAdmitted(outgoing))).toEqual([false])
  })
})

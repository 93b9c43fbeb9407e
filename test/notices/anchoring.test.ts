import fs from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMemory, type MemoryChannel } from '../../bots/memory/memory.ts'
import { noticeMark as mark } from '../../src/core/model/chat/notice.ts'
import { createAnchoring, noAnchorWords } from '../../src/notices/anchoring.ts'
import type { Gatekeeper } from '../../src/core/gatekeeper/gatekeeper.ts'
import { plain } from '../../src/core/model/chat/content.ts'
import type { Channel } from '../../src/core/model/chat/channel.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'
import { approveGuard, createFixture, type Fixture } from '../core/gatekeeper/gate-fixture.ts'
import { copyOf, me } from '../core/gatekeeper/ledger-fixture.ts'

let fixture: Fixture
let chat: MemoryChannel
let clock = 0
let remembered: string | undefined
let told: string[]
let isAway: boolean
beforeEach(() => {
  fixture = createFixture()
  chat = createMemory(
    { name: 'telegram', canPin: true },
    {
      receive: () => undefined,
      isAdmitted: () => true,
      tripped: () => undefined,
      trouble: () => undefined,
      menu: [],
      now: () => clock,
      elapsedMs: () => clock,
      log: () => undefined,
    },
  )
  clock = 0
  remembered = undefined
  told = []
  isAway = false
})
afterEach(() => fixture.remove())

/** The gate's own, over the memory channel; only the clock is set. */
const anchoringOf = (
  gate: Gatekeeper,
  channel: Pick<Channel, 'readAnchor'> = chat,
  isInCharge: () => boolean = () => true,
) => {
  const anchoring = createAnchoring({
    gatekeeper: gate,
    isInCharge,
    chats: () =>
      gate
        .state()
        .owners.flatMap(({ id, chat_id }) =>
          chat_id === undefined ? [] : [{ channel: id.slice(0, id.indexOf(':')), chat_id }],
        ),
    channel: (name) =>
      name === 'telegram'
        ? {
            ...channel,
            ...(channel.readAnchor === undefined
              ? {}
              : {
                  readAnchor: (id: string) =>
                    isAway
                      ? Promise.reject(new Error('away'))
                      : (channel.readAnchor?.(id) ?? Promise.resolve(undefined)),
                }),
          }
        : undefined,
    write: (address, { text, ...form }) =>
      void chat.deliver({
        ...address,
        ...form,
        outgoing_id: 'x',
        kind: 'notice',
        ...plain('notice', `${mark} ${proseText(text)}`),
        code: [],
      }),
    alarm: (_, text) => void told.push(proseText(text)),
    recall: () => Promise.resolve(remembered),
    remember: (keys) => {
      remembered = keys
      return Promise.resolve()
    },
    monotonicMs: () => clock,
    log: () => undefined,
  })
  /** Looks each second for so long. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock += 1000
      anchoring.look()
      for (let turns = 0; turns < 5; turns++) await turn()
    }
  }
  return { ...anchoring, pass }
}

const pinned = (id = '7'): string => chat.pinned.get(id)?.split('\n')[1] ?? 'nothing'
const anchorOf = (gate: Gatekeeper): string =>
  `revision ${gate.state().revision} · head ${gate.state().head.slice(0, 12)}`

test("each revision is anchored in each owner's chat, several in a row as one, and nothing else is said", async () => {
  const gate = await fixture.open()
  const { pass } = anchoringOf(gate)
  await pass(1)
  expect(pinned()).toBe(anchorOf(gate))
  await gate.addOwner({ id: 'telegram:8', chat_id: '8' }, me)
  await gate.setSwitch(false, me)
  await gate.setSwitch(true, me)
  await pass(30)
  expect([pinned(), pinned('8')]).toEqual([anchorOf(gate), anchorOf(gate)])
  expect(chat.sent().map(({ chat_id, isAnchor }) => [chat_id, isAnchor])).toEqual([
    ['7', true],
    ['8', true],
    ['7', true],
  ])
  await pass(60)
  expect(chat.sent()).toHaveLength(3)
  expect([told, gate.state().lockdown]).toEqual([[], undefined])
})

test('a start with the same ledger writes nothing, one with a longer ledger writes anew', async () => {
  const first = await fixture.open()
  await anchoringOf(first).pass(20)
  await anchoringOf(await fixture.open()).pass(20)
  expect(chat.sent()).toHaveLength(1)
  await first.setSwitch(false, me)
  const next = await fixture.open()
  await anchoringOf(next).pass(20)
  expect(pinned()).toBe(anchorOf(next))
  expect(fixture.lockdowns).toEqual([])
})

describe('put back to an older state', () => {
  test("the whole folder: lockdown that names both, the anchor stays, and only an owner's recover writes a new one", async () => {
    const gate = await fixture.open()
    await gate.setSwitch(true, me)
    const revoked = await approveGuard(gate)
    const putBack = copyOf(fixture)
    const old = anchorOf(gate)
    await gate.revoke(revoked, me)
    await anchoringOf(gate).pass(1)
    const anchored = pinned()
    putBack()
    const next = await fixture.open()
    expect(next.armed()).toHaveLength(1)
    const { pass } = anchoringOf(next)
    await pass(1)
    expect(next.armed()).toEqual([])
    expect(next.state().lockdown).toBe(
      `rolled back: the checkpoint in telegram:7 has ${anchored.replace(' ·', ',')}; the ledger here has ${old.replace(' ·', ',')}`,
    )
    expect(next.state().good).toBeUndefined()
    await pass(60)
    expect(pinned()).toBe(anchored)
    expect(await next.recover(me)).toMatchObject({ ok: true })
    await pass(30)
    expect(pinned()).toBe(anchorOf(next))
    expect(next.state()).toMatchObject({ revision: 1, isOn: false, approvals: new Map() })
    expect(next.state().lockdown).toBeUndefined()
  })

  test('an owner who takes the older ledger all the same reads that changes are missing, and the anchor is overruled for good', async () => {
    const gate = await fixture.open()
    await gate.setSwitch(false, me)
    const putBack = copyOf(fixture)
    const { head } = gate.state()
    await gate.setSwitch(true, me)
    await gate.setSwitch(false, me)
    await anchoringOf(gate).pass(1)
    const anchored = chat.pinned.get('7') ?? ''
    putBack()
    const next = await fixture.open()
    await anchoringOf(next).pass(1)
    expect(await next.recover(me, head.slice(0, 12))).toMatchObject({
      ok: true,
      receipt: { lines: 2, unread: 2 },
    })
    // The messenger was away when the new anchor should have been written, and the gate started again.
    chat.pinned.set('7', anchored)
    const again = await fixture.open()
    await anchoringOf(again).pass(1)
    expect(again.state().lockdown).toBeUndefined()
    expect(pinned()).toBe(anchorOf(again))
  })

  test('every older copy of the folder, at each revision', async () => {
    const copies: (() => void)[] = []
    const gate = await fixture.open()
    for (let count = 0; count < 6; count++) {
      copies.push(copyOf(fixture))
      await gate.setSwitch(count % 2 === 1, me)
    }
    await anchoringOf(gate).pass(1)
    for (const putBack of copies) {
      putBack()
      const next = await fixture.open()
      await anchoringOf(next).pass(3)
      expect(next.state().lockdown).toMatch(/^rolled back: /)
    }
  })

  test('a fresh ledger under a bot that has an anchor, also when its owner only comes later by pairing', async () => {
    await anchoringOf(await fixture.open()).pass(1)
    for (const owners of [[{ id: me, chat_id: '7' }], [{ id: 'web:owner', chat_id: 'main' }]]) {
      fs.rmSync(fixture.home, { recursive: true })
      const fresh = await fixture.open({ adopt: { owners, isOn: false } })
      const { pass } = anchoringOf(fresh)
      await pass(5)
      await fresh.addOwner({ id: me, chat_id: '7' }, me)
      await pass(5)
      expect(fresh.state().lockdown).toMatch(/^rolled back: the checkpoint in telegram:7 has revision 1, /)
    }
  })

  test('the anchor of another gate that has taken over is no rollback, also when it is read only just then', async () => {
    const first = await fixture.open()
    let isInCharge = true
    const reading = Promise.withResolvers<string | undefined>()
    const { pass } = anchoringOf(first, { readAnchor: () => reading.promise }, () => isInCharge)
    await pass(1)
    isInCharge = false
    const next = await fixture.open()
    await next.setSwitch(false, me)
    await anchoringOf(next).pass(20)
    reading.resolve(await chat.readAnchor?.('7'))
    await pass(60)
    expect([first.state().lockdown, pinned()]).toEqual([undefined, anchorOf(next)])
    isInCharge = true
    await pass(1)
    expect(first.state().lockdown).toMatch(/^rolled back: /)
  })

  test('two gates over copies of one folder do not both go on', async () => {
    const first = await fixture.open()
    const putBack = copyOf(fixture)
    const one = anchoringOf(first)
    await first.setSwitch(false, me)
    await one.pass(10)
    putBack()
    const second = await fixture.open()
    await second.addOwner({ id: 'web:owner' }, me)
    await anchoringOf(second).pass(10)
    expect(second.state().lockdown).toMatch(/^rolled back/)
  })
})

test('an anchor that was there and is gone is told once and pinned anew', async () => {
  const gate = await fixture.open()
  await anchoringOf(gate).pass(20)
  expect(remembered).toBe('telegram:7')
  chat.pinned.clear()
  const next = anchoringOf(await fixture.open())
  await next.pass(60)
  expect(told).toEqual([
    '⚠ The pinned checkpoint in telegram was missing, so hookgate pins a new one.\nIt shows if the gate was put back to an older state. Leave it pinned.',
  ])
  expect(pinned()).toBe(anchorOf(gate))
  await anchoringOf(await fixture.open()).pass(60)
  expect(told).toHaveLength(1)
})

test('what else is pinned there is no anchor: it is written, and where one is not yet there nothing is told', async () => {
  chat.pinned.set('7', 'revision 99 · head 000000000000')
  const gate = await fixture.open()
  await anchoringOf(gate).pass(2)
  expect(pinned()).toBe(anchorOf(gate))
  expect(told).toEqual([])
})

test('a messenger that cannot keep it pinned is not flooded: one notice a revision', async () => {
  const gate = await fixture.open()
  const { pass } = anchoringOf(gate, { readAnchor: () => Promise.resolve(undefined) })
  await pass(300)
  await gate.setSwitch(false, me)
  await pass(300)
  expect(chat.sent()).toHaveLength(2)
  expect(told).toEqual([])
})

test('a messenger that is away is asked again, ever less often; nothing is written before it was read', async () => {
  const gate = await fixture.open()
  isAway = true
  const { pass } = anchoringOf(gate)
  await pass(100)
  await gate.setSwitch(false, me)
  await pass(10)
  expect(chat.sent()).toEqual([])
  isAway = false
  await pass(300)
  expect(pinned()).toBe(anchorOf(gate))
  expect(chat.sent()).toHaveLength(1)
})

test('in lockdown nothing is anchored', async () => {
  const gate = await fixture.open()
  gate.lockDown('a test')
  await anchoringOf(gate).pass(30)
  expect(chat.sent()).toEqual([])
})

test('that nothing can keep an anchor is said', async () => {
  expect(anchoringOf(await fixture.open()).missing()).toBeUndefined()
  expect(anchoringOf(await fixture.open(), {}).missing()).toBe(noAnchorWords)
})

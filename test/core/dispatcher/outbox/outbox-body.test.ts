import { believing } from '../../../consent.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { links } from '../text/texts.ts'
import { createDoor } from '../../../../src/core/dispatcher/door/door.ts'
import { noticeBody, readNotice } from '../../../../src/core/dispatcher/outbox/outbox-body.ts'
import { createOutbox } from '../../../../src/core/dispatcher/outbox/outbox.ts'
import { plain } from '../../../../src/core/model/chat/content.ts'
import { fixed, heading, prose } from '../../../../src/core/model/chat/prose.ts'
import type { AgentPush, OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import { createRig, main, until, type Rig, type RigOptions } from '../rig.ts'

let rig: Rig
const begin = async (options: RigOptions = {}): Promise<Rig> => (rig = await createRig(options))
beforeEach(() => begin())
afterEach(() => rig.stop())

const buttons = [
  [{ label: 'Approve', press: 'p1' }],
  [
    { label: 'Show', press: 'p2' },
    { label: 'Not now', press: 'p3' },
  ],
]
const sent = (count: number) =>
  until('the sentMessages', () => (rig.memory.sent().length >= count ? rig.memory.sent() : undefined))

test('what can be tapped under a notice, what it replaces and that it is pinned travel with it into the outgoing', async () => {
  await rig.dispatcher.notify(main, {
    text: prose`A card ${'quoted'}`,
    buttons,
    replaces: 'm1',
    isAnchor: true,
  })
  await rig.dispatcher.notify(main, fixed('plain'))
  const [card, plain] = await sent(2)
  expect(card).toMatchObject({
    kind: 'notice',
    text: '🛡 A card quoted',
    buttons,
    replaces: 'm1',
    isAnchor: true,
  })
  expect(Object.isFrozen(card?.buttons?.[0]?.[0])).toBe(true)
  expect(Object.keys(plain ?? {}).toSorted()).toEqual([
    'channel',
    'chat_id',
    'code',
    'files',
    'kind',
    'marks',
    'outgoing_id',
    'parts',
    'text',
    'type',
  ])
})

test("buttons stand under the last piece, and what is too long for one piece takes no other's place", async () => {
  await rig.stop()
  await begin({ maxUnits: 60 })
  await rig.dispatcher.notify(main, { text: fixed('x'.repeat(100)), buttons, replaces: 'm1', isAnchor: true })
  const pieces = await sent(3)
  expect(pieces.map((piece) => [piece.buttons !== undefined, piece.replaces, piece.isAnchor])).toEqual([
    [false, undefined, undefined],
    [false, undefined, undefined],
    [true, undefined, undefined],
  ])
})

test('a notice of several pieces is known by the last one, which has its buttons', async () => {
  await rig.stop()
  await begin({ maxUnits: 60 })
  const ids: (string | undefined)[] = []
  const said = { text: fixed('x'.repeat(100)), buttons }
  await rig.dispatcher.notify(main, said, (id) => void ids.push(id))
  const pieces = await sent(3)
  await until('it to be told', () => ids.length === 1)
  expect([ids[0], pieces.at(-1)?.buttons]).toEqual([pieces.at(-1)?.outgoing_id, buttons])
})

test('nothing that an agent says bears a form, whatever it puts into a push', async () => {
  const forged = { buttons, replaces: 'm1', isAnchor: true, isPinned: true } as unknown as Partial<AgentPush>
  expect(await rig.push('tap me', forged)).toMatchObject({ outcome: 'delivered' })
  const [outgoing] = rig.memory.sent()
  expect(Object.keys(outgoing ?? {}).toSorted()).toEqual([
    'channel',
    'chat_id',
    'code',
    'files',
    'kind',
    'marks',
    'outgoing_id',
    'parts',
    'text',
    'type',
  ])
})

test('the door itself gives a push no form, and says when buttons have left', async () => {
  const gate = () => ({ revision: 1 })
  const events: string[] = []
  const freeSlot = { start: () => undefined, end: () => undefined }
  const door = createDoor({
    channel: () => ({
      ...rig.memory,
      deliver: async (outgoing) => {
        delivered.push(outgoing)
        events.push(outgoing.kind)
        return { kind: 'delivered' }
      },
    }),
    gate,
    judge: async () => ({ kind: 'leaves', content: plain('text', 'tap me'), revision: 1 }),
    outbox: createOutbox({
      store: {
        putOutbox: async () => undefined,
        setOutbox: async () => undefined,
        removeOutbox: async () => undefined,
        outbox: async () => [],
      },
      after: () => undefined,
      log: () => undefined,
    }),
    readFile: async () => undefined,
    messageOf: async () => undefined,
    links,
    limits: { take: () => freeSlot, force: () => freeSlot },
    pauses: { restMs: () => 0, isClosed: () => false, onOpen: () => undefined },
    elapsedMs: () => 0,
    shown: () => undefined,
    ownerOf: believing,
    buttonsLeft: (presses) => void (presses.length > 0 && events.push(presses.join(' '))),
    after: () => undefined,
    now: Date.now,
    log: () => undefined,
  })
  const delivered: OutgoingMessage[] = []
  for (const kind of ['push', 'notice'] as const)
    await door.enqueue(
      { id: kind, seq: 0, ...main, kind, state: 'queued', revision: 1, createdAtMs: Date.now(), body: '' },
      undefined,
      { buttons, replaces: 'm1', isAnchor: true, isPinned: true },
    )
  await until('both', () => delivered.length === 2)
  expect(
    Object.fromEntries(delivered.map((outgoing) => [outgoing.kind, Object.keys(outgoing).length])),
  ).toEqual({
    push: 10,
    notice: 14,
  })
  // Before, since a messenger may answer late; and after, since it may be slow.
  await until('the last', () => events.length === 4)
  expect(events.filter((event) => event !== 'push')).toEqual(['p1 p2 p3', 'notice', 'p1 p2 p3'])
})

test('after a restart a waiting notice leaves without its dead buttons, in the place that it was to take', async () => {
  rig.memory.fail({ kind: 'retry', afterMs: 60_000, why: 'away' })
  await rig.dispatcher.notify(main, { text: fixed('a card'), buttons, replaces: 'm1' })
  await until('it to wait', async () => (await rig.store.outbox())[0]?.state === 'queued')
  expect(JSON.stringify(await rig.store.outbox())).not.toContain('p1')
  await rig.restart()
  const [outgoing] = await sent(1)
  expect(outgoing).toMatchObject({ text: '🛡 a card', replaces: 'm1' })
  expect(outgoing?.buttons).toBeUndefined()
})

test('what a notice quotes is as readable after a restart as before it', async () => {
  const body = noticeBody(prose`a card:${' '}quoted`)
  const row = {
    id: 'notice:1',
    seq: 1,
    ...main,
    kind: 'notice',
    state: 'queued',
    createdAtMs: Date.now(),
  } as const
  await rig.store.putOutbox({ ...row, revision: 0, body })
  await rig.restart()
  expect((await sent(1))[0]).toMatchObject({ text: '🛡 a card: quoted', marks: [] })
})

test("what differs from owner to owner is made for each one's chat", async () => {
  rig.notices.tellOwners(({ chat_id }) => ({ text: fixed(`for ${chat_id}`), buttons }))
  expect((await sent(1))[0]).toMatchObject({ text: '🛡 for main', buttons })
})

test('an outbox row is read whatever is in it, also one of an older hookgate', () => {
  const text = prose`${heading('k7f2q', '', true)} a ${'b'}`
  const said = { text, replaces: 'm', isAnchor: true, isPinned: false, buttons } as const
  expect(readNotice(noticeBody(said))).toEqual({
    text: [{ fixed: 'k7f2q', handle: 'k7f2q', isPart: true }, { fixed: ' a ' }, { quoted: 'b' }],
    replaces: 'm',
    isAnchor: true,
    isPinned: false,
  })
  expect(readNotice('[{"fixed":"a"},{"quoted":"b"},{"other":1},7,null]')).toEqual({
    text: [{ fixed: 'a' }, { quoted: 'b' }],
  })
  for (const odd of [
    '',
    '7',
    '{',
    'null',
    '{"text":7,"replaces":7,"isAnchor":"yes","isPinned":1,"buttons":[]}',
  ])
    expect(readNotice(odd)).toEqual({ text: [] })
})

test("a hook that fails closed by its owner's choice blocks when it fails, and goes on without", async () => {
  const entry = { event: 'pre_tool_call', fields: { tool_name: 'bash', tool_input: {} } } as const
  const fingerprint = await rig.approve(entry.event, 'exit 1')
  await rig.on()
  const verdict = async () => {
    const fired = await rig.fire(entry.event, entry.fields)
    return fired.kind === 'verdict' ? fired.verdict.verdict : fired.kind
  }
  expect(await verdict()).toBe('allow')
  const hook = rig.gatekeeper.armed()[0]?.entry
  if (hook === undefined) throw new Error('no hook')
  expect(await rig.gatekeeper.approve(hook, 'memory:owner', fingerprint, 'closed')).toMatchObject({
    ok: true,
  })
  expect(await verdict()).toBe('block')
})

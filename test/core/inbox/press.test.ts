import { afterEach, beforeEach, expect, test } from 'vitest'
import { chatsOf } from '../../../src/chats/chats.ts'
import { createPairTalk } from '../../../src/chats/pair.ts'
import { createInbox } from '../../../src/core/inbox/receive.ts'
import type { Message, Origin } from '../../../src/core/model/chat/channel.ts'
import { noticeOf, type Notice } from '../../../src/core/model/chat/notice.ts'
import type { EventRecord } from '../../../src/core/model/events/record.ts'
import { parseChat, type Line } from '../../../src/core/commands/parse.ts'
import { createBridgeService, me, textOf, type BridgeService } from '../../commands/rig.ts'
import { aMessage } from '../gatekeeper/gate-fixture.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService('hooks:\n  - {event: on_stop, command: ./x.sh}\n')
  desk.fixture.write('x.sh', '#!/bin/sh\n')
  desk.chat.hasButtons = true
})
afterEach(() => desk.stop())

const open = () => {
  const said: Notice[] = []
  const records: EventRecord[] = []
  const prompts: string[] = []
  let count = 0
  const inbox = createInbox<Line>({
    parse: parseChat,
    lookUp: desk.table.lookUp,
    press: desk.table.press,
    cardReply: desk.table.cardReply,
    isGreeting: () => false,
    pairCode: () => undefined,
    ...createPairTalk({
      pair: desk.gatekeeper.pairing.pair,
      paired: () => undefined,
      ownerChats: () => [],
      isClaimed: () => true,
      notify: async () => undefined,
      now: desk.ports.now,
    }),
    ...desk.hearing,
    privateChat: (id) => chatsOf(desk.gatekeeper.state().people.filter((person) => person.id === id))[0],
    serves: ({ chat_id }) => chat_id === 'group',
    heard: () => undefined,
    firstSeen: (message) => desk.store.firstSeen(message, desk.ports.now()),
    notify: async (_, words) => void said.push(noticeOf(words)),
    begin: () => ({ kept: Promise.resolve(), end: () => undefined }),
    prompt: async ({ text }) => void prompts.push(text),
    record: (record) => void records.push(record),
    newId: () => `id-${++count}`,
    now: desk.ports.now,
    log: () => undefined,
  })
  const get = async (message: Partial<Message>) => {
    const from = [said.length, records.length] as const
    await inbox.receive(
      aMessage({ sentAtMs: desk.ports.now(), message_id: `m${++count}`, text: '', ...message }),
    )
    await new Promise((done) => setImmediate(done))
    await desk.settled()
    return { said: said.slice(from[0]), records: records.slice(from[1]), prompts }
  }
  const tap = (data: string, over: Partial<Message> = {}) =>
    get({ press: { data, on_message_id: 'card' }, ...over })
  const card = async (label: string): Promise<string> =>
    (await get({ text: '/hooks show ./x.sh' })).said[0]?.buttons
      ?.flat()
      .find((button) => button.label === label)?.press ?? ''
  return { get, tap, card }
}

test("an owner's tap is their answer: carried out once, in the card's place, and kept", async () => {
  const { tap, card } = open()
  const press = await card('Approve')
  const came = await tap(press)
  expect(came.said).toMatchObject([{ replaces: 'card' }])
  expect(came.said.map(textOf)).toEqual([expect.stringMatching(/^✓ Approved: on_stop/)])
  expect(came.records).toEqual([])
  const again = await tap(press)
  expect(again.records).toMatchObject([
    { kind: 'refusal', subject: 'press', outcome: 'refused', reason: `used from ${me}`, chat_id: '7' },
  ])
  expect(desk.gatekeeper.state().approvals.size).toBe(1)
})

const forms: readonly [Partial<Message>, string, RegExp | undefined][] = [
  [{ sender_id: '9', chat_id: '9' }, 'not_owner from telegram:9', undefined],
  [{ sender_id: '9', chat_id: 'group', isPrivate: false }, 'not_owner from telegram:9', undefined],
  [
    { chat_id: 'group', isPrivate: false },
    `not_private from ${me}`,
    /^Your tap had no effect: Others can read and write here\./,
  ],
  ...(
    [
      'edited',
      'forwarded',
      'via_bot',
      'sender_chat',
      'automatic',
      'offline',
      'business',
      'channel_post',
      'from_bot',
      'not_text',
    ] satisfies Origin[]
  ).map((origin): [Partial<Message>, string, RegExp] => [
    { origin },
    `${origin} from ${me}`,
    /^Your tap had no effect: /,
  ]),
  [
    { sentAtMs: 0 },
    `too_old from ${me}`,
    /^Your tap had no effect: hookgate does not know when you did that\. Do it again\./,
  ],
  [{ sentAtMs: Number.MAX_SAFE_INTEGER }, `in_future from ${me}`, /^Your tap had no effect: /],
]
test.each(forms)(
  'a tap that came as %o is refused with its own reason, and leaves the card good',
  async (over, reason, words) => {
    const { tap, card } = open()
    const press = await card('Approve')
    const came = await tap(press, over)
    expect(came.records).toMatchObject([{ kind: 'refusal', subject: 'press', reason }])
    expect(came.said.map(textOf)).toEqual(words === undefined ? [] : [expect.stringMatching(words)])
    expect(desk.gatekeeper.state().approvals.size).toBe(0)
    await tap(press)
    expect(desk.gatekeeper.state().approvals.size).toBe(1)
  },
)

test('a tap never reaches the agent or the command parser, whatever it carries', async () => {
  const { tap } = open()
  for (const data of ['', '/hooks on', '/y k7f2q', 'hello', 'x'.repeat(2_000_000), '__proto__']) {
    for (const over of [{}, { text: '/hooks on' }, { text: 'hello' }]) {
      const came = await tap(data, over)
      expect(came.records).toMatchObject([{ subject: 'press', reason: `unknown from ${me}` }])
      expect(came.prompts).toEqual([])
    }
  }
  expect(desk.gatekeeper.state()).toMatchObject({ isOn: false, revision: 1 })
})

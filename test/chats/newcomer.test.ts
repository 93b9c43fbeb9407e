import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openInbox, type Inbox, type InboxChanges } from '../core/inbox/inbox-rig.ts'
import { maxHints } from '../../src/chats/hints.ts'
import { createBridgeService, type BridgeService } from '../commands/rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService('hooks:\n  - {event: on_stop, command: ./x.sh}\n')
  desk.fixture.write('x.sh', '#!/bin/sh\n')
})
afterEach(() => desk.stop())

const open = (over: InboxChanges = {}): Inbox => openInbox(desk, over)

describe('a newcomer, while nobody owns the gate', () => {
  const nine = { sender_id: '9', chat_id: '9' }
  const ten = { sender_id: '10', chat_id: '10' }
  const greeting =
    'This bot belongs to a hookgate that nobody owns yet.\nThe console where hookgate was started shows a code. Enter there prints a new one.\nType here: /pair <code>'
  const hint =
    'Not paired: the code is not valid.\nThe console where hookgate was started shows a code. Enter there prints a new one.\nType here: /pair <code>'
  const free = { isClaimed: () => false }

  test.each(['/start', '/pair', '/help'])('%s says what to do, once in a while', async (text) => {
    const { get } = open(free)
    expect(await get({ ...nine, text })).toMatchObject({
      said: [greeting],
      records: [{ reason: 'not_owner from telegram:9' }],
    })
    expect((await get({ ...nine, text: '/start' })).said).toEqual([])
    expect((await get({ ...ten, text })).said).toEqual([greeting])
    desk.fixture.clock.nowMs += 10 * 60 * 1000
    expect((await get({ ...nine, text })).said).toEqual([greeting])
  })

  test('a start link pairs with the code from the console, and is dead by that', async () => {
    const paired: unknown[] = []
    const { get } = open({ ...free, paired: (owner) => void paired.push(owner) })
    const code = desk.gatekeeper.pairing.mint()
    expect((await get({ ...nine, text: `/start ${code}`, origin: 'forwarded' })).said).toEqual([])
    expect((await get({ ...nine, text: `/start ${code}`, isPrivate: false })).said).toEqual([])
    expect((await get({ ...nine, text: `/start ${code}` })).said[0]).toMatch(/^Paired: you are now an owner/)
    expect(desk.gatekeeper.isOwner('telegram:9')).toBe(true)
    expect(paired).toEqual([{ channel: 'telegram', chat_id: '9' }])
    expect(await get({ ...ten, text: `/start ${code}` })).toMatchObject({
      records: [{ subject: 'pair', reason: 'no_code from telegram:10' }],
    })
    expect(desk.gatekeeper.isOwner('telegram:10')).toBe(false)
  })

  test('a start link is inert as soon as somebody owns the gate, for a stranger and for an owner', async () => {
    const { get } = open()
    const code = desk.gatekeeper.pairing.mint()
    expect(await get({ ...nine, text: `/start ${code}` })).toMatchObject({
      said: [],
      records: [{ subject: 'command', reason: 'not_owner from telegram:9' }],
    })
    expect((await get({ text: `/start ${code}` })).records).toMatchObject([
      { subject: 'command', reason: 'start_link from telegram:7' },
    ])
    expect((await get({ ...nine, text: `/pair ${code}` })).said[0]).toMatch(/^Paired/)
  })

  test.each(['/pair WRONG', '/start WRONG'])(
    'a wrong code gets one hint; nobody gets one in a group, or for a message of another form: %s',
    async (text) => {
      const { get } = open(free)
      desk.gatekeeper.pairing.mint()
      expect((await get({ ...nine, text, isPrivate: false })).said).toEqual([])
      expect((await get({ ...nine, text, origin: 'from_bot' })).said).toEqual([])
      expect((await get({ ...nine, text })).said).toEqual([hint])
      expect((await get({ ...nine, text })).said).toEqual([])
      expect((await open().get({ ...ten, text })).said).toEqual([])
    },
  )

  test('a flood of strangers gets a bounded number of hints', async () => {
    const { get, said } = open(free)
    for (let sender = 100; sender < 100 + 2 * maxHints; sender++)
      await get({ sender_id: String(sender), chat_id: String(sender), text: '/start' })
    expect(said).toHaveLength(maxHints)
  })
})

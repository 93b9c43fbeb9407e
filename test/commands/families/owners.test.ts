import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aMessage } from '../../gatekeeper/gate-fixture.ts'
import { createBridgeService, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
})
afterEach(() => desk.stop())

/**
 * Somebody types an owner's code in their own private chat; the handle is what that owner can answer with.
 */
const typeCode = async (sender: string): Promise<string> => {
  const code = /^\/pair (\S+)$/m.exec(await desk.say('/pair'))?.[1] ?? ''
  const done = desk.gatekeeper.pairing.pair(code, aMessage({ sender_id: sender, chat_id: sender }))
  if (!done.ok || done.asked === undefined) throw new Error('The code was refused.')
  return done.asked.handle
}

describe('one more owner', () => {
  test('an owner gets a code that is good for half an hour', async () => {
    expect(await desk.say('/pair')).toMatch(
      /^A pairing code for one more owner, valid once, for 30 minutes\. They send this to the bot in a private chat:\n\/pair [3-9A-Y]{8}\nYou are asked before they become an owner\.$/,
    )
  })

  test('only the yes of the owner who was asked makes somebody one, and all are told', async () => {
    desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
    const handle = await typeCode('9')
    expect(await desk.say(`/y ${handle}`, { owner: 'telegram:8', chat: '8' })).toContain(
      'is not valid: it was shown to another owner or in another chat',
    )
    expect(desk.gatekeeper.isOwner('telegram:9')).toBe(false)
    expect(await desk.say(`/y ${handle.toUpperCase()}`)).toBe(
      'telegram:9 owns this gate now. The other owners have been told.',
    )
    expect(desk.gatekeeper.isOwner('telegram:9')).toBe(true)
    expect(desk.told).toEqual([
      'telegram:9 Paired: you are now an owner of this gate. You can type commands here.\n→ /hooks\n→ /help',
      'telegram:8 New owner: telegram:9, by telegram:7.',
    ])
    expect(await desk.say(`/y ${handle}`)).toContain('is not valid: it was used, changed')
    expect(
      (await desk.store.records({ limit: 9, kinds: ['gate'] })).map(
        ({ subject, outcome, reason }) => `${subject} ${outcome} ${reason}`,
      ),
    ).toEqual([
      '/y done owner telegram:9 by telegram:7',
      '/pair done a code for one more owner by telegram:7',
    ])
  })

  test('a no sends them away, with a word to them and none to the others', async () => {
    const handle = await typeCode('9')
    expect(await desk.say(`/n ${handle}`)).toBe('Refused: telegram:9 is not an owner. A new code → /pair')
    expect(desk.told).toEqual([
      'telegram:9 Pairing was refused: the owner says that this is not you. Ask them if that was a mistake.',
    ])
    expect(await desk.say(`/y ${handle}`)).toContain('is not valid: it was used, changed')
    expect(desk.gatekeeper.isOwner('telegram:9')).toBe(false)
  })

  test('an answer needs its handle, in time', async () => {
    const handle = await typeCode('9')
    for (const word of ['/y', '/n', '/y yes', '/y 1']) expect(await desk.say(word)).toMatch(/^Name the /)
    desk.fixture.clock.nowMs += 30 * 60_000
    expect(await desk.say(`/y ${handle}`)).toBe('This pairing request is over. A new code → /pair')
    expect(desk.gatekeeper.state().owners).toHaveLength(1)
  })
})

describe('who owns the gate', () => {
  test('is listed with since when and by whom', async () => {
    desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
    desk.gatekeeper.pairing.pair(desk.gatekeeper.pairing.mint(), aMessage({ sender_id: '9', chat_id: '9' }))
    expect(await desk.say('/owners')).toBe(
      [
        '3 owners',
        'telegram:7 (you)\n  2026-01-02 from the start',
        'telegram:8\n  2026-01-02 by telegram:7',
        'telegram:9\n  2026-01-02 with the console’s code',
        'One more → /pair\nOne less → /owners remove <id>',
      ].join('\n'),
    )
  })

  test('one is removed by another, told to all and to them, and commands nothing any more', async () => {
    desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
    const theirs = desk.gatekeeper.pairing.invite('telegram:8', { channel: 'telegram', chat_id: '8' })
    expect(await desk.say('/owners remove telegram:8')).toBe(
      'telegram:8 is no longer an owner. The other owners have been told.',
    )
    expect(desk.told).toEqual(['telegram:8 telegram:8 is no longer an owner. Removed by telegram:7.'])
    expect(desk.gatekeeper.admits(aMessage({ sender_id: '8', chat_id: '8' }), 'message')).toEqual({
      ok: false,
      code: 'not_owner',
    })
    expect(desk.gatekeeper.pairing.pair(theirs, aMessage({ sender_id: '9', chat_id: '9' }))).toEqual({
      ok: false,
      why: 'no_code',
    })
  })

  test('the last one stays, and who is none cannot go', async () => {
    expect(await desk.say('/owners remove telegram:7')).toBe(
      'Nothing changed. Expected another owner to remain, got the last one.\nAdd another owner first.',
    )
    expect(await desk.say('/owners remove telegram:66')).toMatch(
      /^Nothing changed\. Expected the id of an owner, got "telegram:66"/,
    )
    expect(await desk.say('/owners add telegram:66')).toBe(
      'Type /owners, or /owners remove and an id that it shows.',
    )
    expect(desk.gatekeeper.state()).toMatchObject({ revision: 1 })
    expect(
      (await desk.store.records({ limit: 9, kinds: ['gate'] })).map(
        ({ outcome, reason }) => `${outcome} ${reason}`,
      ),
    ).toEqual(['refused owner.unknown by telegram:7', 'refused owner.last by telegram:7'])
  })
})

test('an owner gets a link to the web page where they are', async () => {
  expect(await desk.say('/login')).toBe(
    'http://127.0.0.1:8787/#secret\nValid once, for 5 minutes, on the machine where hookgate runs.',
  )
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aMessage } from '../../core/gatekeeper/gate-fixture.ts'
import { createBridgeService, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
})
afterEach(() => desk.stop())

/**
 * Somebody types an owner's code in their own private chat; the handle is what that owner can answer with.
 */
const typeCode = async (sender: string, line = '/pair', name = 'Ben'): Promise<string> => {
  const code = /^\/pair (\S+)$/m.exec(await desk.say(line))?.[1] ?? ''
  const done = await desk.gatekeeper.pairing.pair(
    code,
    aMessage({ sender_id: sender, chat_id: sender, sender_name: name }),
  )
  if (!done.ok || done.asked === undefined) throw new Error('The code was refused.')
  return done.asked.handle
}

describe('one more owner', () => {
  test('an owner gets a code that is good for half an hour', async () => {
    expect(await desk.say('/pair')).toMatch(
      /^A pairing code for one more person, valid once, for 30 minutes\. The person becomes: owner\.\nThey send this to the bot in a private chat:\n\/pair [3-9A-Y]{8}\nYou are asked before it counts\.$/,
    )
  })

  test('only the yes of the owner who was asked makes somebody one, and all are told', async () => {
    await desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
    const handle = await typeCode('9')
    expect(await desk.say(`/y ${handle}`, { owner: 'telegram:8', chat: '8' })).toContain(
      'names nothing now: it was shown to another owner or in another chat',
    )
    expect(desk.gatekeeper.isOwner('telegram:9')).toBe(false)
    expect(await desk.say(`/y ${handle.toUpperCase()}`)).toBe(
      'Ben is new in this gate: owner. The other owners have been told.',
    )
    expect(desk.gatekeeper.isOwner('telegram:9')).toBe(true)
    expect(desk.told).toEqual([
      'telegram:9 Paired: you are now an owner of this gate. You can type commands here.\n→ /hooks\n→ /help',
      'telegram:8 Ben is new in this gate: owner, by telegram:7.',
    ])
    expect(await desk.say(`/y ${handle}`)).toContain('names nothing now: it was answered')
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
    expect(await desk.say(`/n ${handle}`)).toBe(
      'Refused: telegram:9 has no role in this gate. A new code → /owners add',
    )
    expect(desk.told).toEqual([
      'telegram:9 Pairing was refused: the owner says that this is not you. Ask them if that was a mistake.',
    ])
    expect(await desk.say(`/y ${handle}`)).toContain('names nothing now: it was answered')
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

const ben = { id: 'telegram:8', chat_id: '8', name: 'Ben' }
const handleIn = (text: string, who: string): string =>
  new RegExp(`^([a-z0-9]{5}) ${who}`, 'm').exec(text)?.[1] ?? ''
/** Types a line that asks for a second word, and gives it. */
const confirmed = async (line: string): Promise<string> =>
  desk.say(`/y ${/^([a-z0-9]{5}) /.exec(await desk.say(line))?.[1] ?? ''}`)

describe('the people of the gate', () => {
  test('are listed by name, with their role, since when and by whom', async () => {
    await desk.gatekeeper.setRole(
      { ...ben, role: 'approver', agents: ['main'], tools: ['bash', 'edit'] },
      'telegram:7',
    )
    await desk.gatekeeper.pairing.pair(
      desk.gatekeeper.pairing.mint(),
      aMessage({ sender_id: '9', chat_id: '9', sender_name: 'Zoë Ann' }),
    )
    expect((await desk.say('/owners')).replaceAll(/^[a-z0-9]{5} /gm, '….. ')).toBe(
      [
        '3 people have a role',
        '….. telegram:7 (you), owner',
        '  2026-01-02 from the start',
        '….. Zoë Ann, owner',
        '  2026-01-02 with the console’s code',
        '….. Ben, approver for the agents main and the tools bash, edit',
        '  2026-01-02 by telegram:7',
        'One more → /owners add owner|approver|viewer',
        'Another role → /owners role <handle> <role>',
        'One less → /owners remove <handle>',
      ].join('\n'),
    )
  })

  test('who bears the name of another is shown with the id, also in letters that only look alike', async () => {
    await desk.gatekeeper.setRole({ ...ben, role: 'viewer' }, 'telegram:7')
    for (const [id, name] of [
      ['telegram:9', 'Вen'],
      ['telegram:10', 'B e n'],
      ['telegram:11', 'telegram:7'],
      ['telegram:12', 'Zoë (you), owner'],
    ] as const)
      await desk.gatekeeper.setRole({ id, name, role: 'viewer' }, 'telegram:7')
    const text = await desk.say('/owners')
    for (const line of [
      'Ben (telegram:8), viewer',
      'Вen (telegram:9), viewer',
      'B e n (telegram:10), viewer',
      '(telegram:11), viewer',
      '(you), owner⟫ (telegram:12), viewer',
    ])
      expect(text).toContain(line)
    expect(await desk.say('/owners remove Ben')).toBe(
      'Nothing changed. 3 people are called Ben. Use the handle.\n→ /owners',
    )
  })

  test('get a role by a code, and are told which', async () => {
    const handle = await typeCode('8', '/owners add approver agent main, claude-code tool bash')
    expect(await desk.say(`/y ${handle}`)).toBe(
      'Ben is new in this gate: approver for the agents main, claude-code and the tools bash. The other owners have been told.',
    )
    expect(desk.told).toEqual([
      'telegram:8 Paired: you are now an approver of this gate. You are asked here about tool calls of agents.\n→ /asks',
    ])
    expect(desk.gatekeeper.person('telegram:8')).toMatchObject({
      role: 'approver',
      agents: ['main', 'claude-code'],
      tools: ['bash'],
      name: 'Ben',
    })
    expect(desk.gatekeeper.isOwner('telegram:8')).toBe(false)
  })

  test.each([
    ['add king', 'king is not a role. The roles are owner, approver, viewer.'],
    ['add approver agent mian', 'This gate has no agent mian. Did you mean main?'],
    ['add approver agent zzzzzzzzzz', 'This gate has no agent zzzzzzzzzz. Its agents are main, claude-code.'],
    ['add approver bash', 'Write agent or tool before bash'],
    ['add viewer tool bash', 'Only an approver’s role names agents and tools.'],
    ['add approver agent <b>x</b>', 'This gate has no agent ⟪<b>x</b>⟫'],
    ['frob', 'Type one of these:'],
    ['role', 'Type one of these:'],
    ['role telegram:8', ' is not a role.'],
    ['remove telegram:66', 'Nothing changed. Nobody here is telegram:66.'],
  ])('/owners %s changes nothing and says why', async (typed, words) => {
    await desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
    const { revision } = desk.gatekeeper.state()
    expect(await desk.say(`/owners ${typed}`)).toContain(words)
    expect(desk.gatekeeper.state().revision).toBe(revision)
  })

  test('a tool’s name with markup stands in a role and cannot imitate its words', async () => {
    const handle = await typeCode('8', '/owners add approver tool [x](tg://y)')
    expect(await desk.say(`/y ${handle}`)).toContain('the tools [x](tg://y). ')
    expect(desk.gatekeeper.person('telegram:8')).toMatchObject({ tools: ['[x](tg://y)'] })
  })

  test('a step up counts at once; a step down and a removal need a second word', async () => {
    await desk.gatekeeper.setRole({ ...ben, role: 'viewer' }, 'telegram:7')
    const handle = handleIn(await desk.say('/owners'), 'Ben')
    expect(await desk.say(`/owners role ${handle} approver tool bash`)).toBe(
      'Ben has another role now: approver for all agents and the tools bash. The owners have been told.',
    )
    expect(await desk.say('/owners role Ben owner')).toContain('another role now: owner')
    expect(desk.gatekeeper.isOwner('telegram:8')).toBe(true)
    const { revision } = desk.gatekeeper.state()
    expect(await desk.say('/owners role Ben viewer')).toMatch(
      /^([a-z0-9]{5}) Change the role of Ben from owner to viewer\?\nThe grants that this person gave end with it\.\n→ \/y \1\n→ \/n \1$/,
    )
    expect(desk.gatekeeper.state().revision).toBe(revision)
    expect(await confirmed('/owners role Ben viewer')).toContain('another role now: viewer')
    expect(await confirmed('/owners remove Ben')).toBe(
      'Ben has no role in this gate any more. The owners have been told.',
    )
    expect(desk.told.at(-1)).toBe('telegram:8 You have no role in this gate any more. Removed by telegram:7.')
    expect(desk.gatekeeper.person('telegram:8')).toBeUndefined()
  })

  test('the second word counts once, for the owner who was asked, and for ten minutes', async () => {
    await desk.gatekeeper.addOwner(ben, 'telegram:7')
    const ask = async (): Promise<string> => (await desk.say('/owners remove Ben')).slice(0, 5)
    const handle = await ask()
    expect(await desk.say(`/y ${handle}`, { owner: 'telegram:8', chat: '8' })).toContain('names nothing now')
    expect(await desk.say(`/n ${handle}`)).toBe('Nothing changed.\n→ /owners')
    expect(await desk.say(`/y ${handle}`)).toBe('Nothing changed: this card is over.\n→ /owners')
    const late = await ask()
    desk.fixture.clock.nowMs += 10 * 60_000
    expect(await desk.say(`/y ${late}`)).toBe('Nothing changed: this card is over.\n→ /owners')
    expect(desk.gatekeeper.isOwner('telegram:8')).toBe(true)
  })

  test('a button gives the second word, too', async () => {
    desk.chat.hasButtons = true
    await desk.gatekeeper.addOwner(ben, 'telegram:7')
    const [card] = await desk.ask('/owners remove Ben')
    await desk.tap(card, 'Yes, change it')
    expect(desk.gatekeeper.isOwner('telegram:8')).toBe(false)
  })

  test('one is removed by another, told to all and to them, and commands nothing any more', async () => {
    await desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
    const theirs = desk.gatekeeper.pairing.invite('telegram:8', { channel: 'telegram', chat_id: '8' })
    expect(await confirmed('/owners remove telegram:8')).toContain('has no role in this gate any more')
    expect(desk.gatekeeper.admits(aMessage({ sender_id: '8', chat_id: '8' }), 'message')).toEqual({
      ok: false,
      code: 'not_owner',
    })
    expect(await desk.gatekeeper.pairing.pair(theirs, aMessage({ sender_id: '9', chat_id: '9' }))).toEqual({
      ok: false,
      why: 'no_code',
    })
  })

  test('the last owner stays an owner', async () => {
    await desk.gatekeeper.setRole({ ...ben, role: 'approver' }, 'telegram:7')
    const { revision } = desk.gatekeeper.state()
    for (const line of ['/owners remove telegram:7', '/owners role telegram:7 viewer'])
      expect(await desk.say(line)).toBe(
        'Nothing changed. This is the last owner. Add another owner first.\n→ /owners add owner',
      )
    expect(desk.gatekeeper.state().revision).toBe(revision)
  })
})

test('an owner gets a link to the web page where they are', async () => {
  expect(await desk.say('/login')).toBe(
    'http://127.0.0.1:8787/#secret\nValid once, for 5 minutes, on the machine where hookgate runs.',
  )
})

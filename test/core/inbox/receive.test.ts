import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openInbox, type Inbox } from './inbox-rig.ts'
import { type Line } from '../../../src/core/commands/parse.ts'
import { maxCommands } from '../../../src/core/inbox/lines.ts'
import { maxMessageUnits, type InboxPorts } from '../../../src/core/inbox/receive.ts'
import type { Message, Origin } from '../../../src/core/model/chat/channel.ts'
import { fixed } from '../../../src/core/model/chat/prose.ts'
import { ProblemError } from '../../../src/core/model/gate/problem.ts'
import { createBridgeService, type BridgeService } from '../../commands/rig.ts'
import { until } from '../dispatcher/rig.ts'
import { aMessage } from '../gatekeeper/gate-fixture.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService('hooks:\n  - {event: on_stop, command: ./x.sh}\n')
  desk.fixture.write('x.sh', '#!/bin/sh\n')
})
afterEach(() => desk.stop())

const open = (over: Partial<InboxPorts<Line>> = {}): Inbox => openInbox(desk, over)

describe('an owner', () => {
  test('is answered, and what is no command goes to the agent, byte for byte', async () => {
    const { get, prompts } = open()
    expect(await get({ text: '/whoami' })).toMatchObject({
      said: [expect.stringContaining('You are telegram:7')],
      prompts: [],
    })
    expect(await get({ text: '  hello\r\n\tthere \u200B' })).toEqual({
      said: [],
      records: [],
      prompts: ['  hello\r\n\tthere \u200B'],
    })
    expect(prompts[0]).toMatchObject({
      channel: 'telegram',
      chat_id: '7',
      sender_id: '7',
      sender_name: 'Mia',
    })
    expect((await get({ text: '//usr/bin' })).prompts).toEqual(['/usr/bin'])
    expect(await get({ text: ' \n ' })).toEqual({ said: [], records: [], prompts: [] })
  })

  test('what looks like a command never reaches the agent, mistyped or forwarded or whatever', async () => {
    const { get, prompts } = open()
    for (const text of [
      '/hoks on',
      '／hooks aprove x',
      '`/hooks off`',
      '/nothing',
      '\u200B/new',
      '/hooks on\nand then this',
    ]) {
      for (const origin of ['plain', 'forwarded', 'edited', 'quoted'] as const)
        expect((await get({ text, origin })).said.length, `${origin} ${text}`).toBeGreaterThan(0)
    }
    expect(prompts).toEqual([])
  })

  const forms: readonly [Origin, string][] = [
    ['forwarded', 'A forwarded message does not count. Type the command yourself.'],
    ['edited', 'An edited message does not count. Send the command as a new message.'],
    ['via_bot', 'A message made by another bot does not count. Type the command yourself.'],
    ['quoted', 'A message with a quote does not count. Send the command without it.'],
    ['captioned', 'A caption does not count. Send the command as a plain text message.'],
    ['sender_chat', 'A message in the name of a chat does not count. Send the command as yourself.'],
    ['offline', 'A scheduled message does not count. Send the command now.'],
  ]
  test.each(forms)(
    'a %s command that changes the gate is refused with words and a record',
    async (origin, words) => {
      const { get } = open()
      const came = await get({ text: '/hooks on', origin })
      expect(came.said).toEqual([`/hooks on was not carried out: ${words}`])
      expect(came.records).toMatchObject([
        {
          kind: 'refusal',
          subject: 'hooks on',
          outcome: 'refused',
          reason: `${origin} from telegram:7`,
          chat_id: '7',
        },
      ])
      expect(desk.gatekeeper.state().isOn).toBe(false)
      expect((await get({ text: '/hooks', origin })).said[0]).toContain('Hooks are OFF')
    },
  )

  test('an old or public command is refused with words', async () => {
    const { get } = open()
    const old = desk.ports.now() - 6 * 60_000
    expect((await get({ text: '/hooks on', sentAtMs: old })).said).toEqual([
      expect.stringMatching(
        /^\/hooks on was not carried out: That message is 6 minutes old, and a command is valid for 5 minutes\. Send it again\.\n/,
      ),
    ])
    expect((await get({ text: '/hooks approve on_stop ./x.sh', isPrivate: false })).said[0]).toMatch(
      /^\/hooks approve was not carried out: Others can read and write here\./,
    )
    expect(desk.gatekeeper.state()).toMatchObject({ isOn: false, revision: 1 })
  })

  test('a backlog carries nothing out that is an hour old, not even what changes no gate', async () => {
    const { get } = open()
    const hourOld = desk.ports.now() - 3_600_000
    for (const text of ['/new', '/stop', '/undo', '/hooks', '/hooks doctor']) {
      const came = await get({ text, sentAtMs: hourOld })
      expect(came.said[0], text).toContain('That message is 60 minutes old')
      expect(came.records[0]?.reason).toBe('too_old from telegram:7')
    }
    expect(desk.told).toEqual([])
    expect((await get({ text: 'say this later', sentAtMs: hourOld })).prompts).toEqual(['say this later'])
  })

  test("what is no command, or another bot's, or behind a start link, leaves its own reason", async () => {
    const { get } = open()
    const reasons = {
      '/hooks_on': 'unknown_command',
      '/hooks@OtherBot on': 'other_bot',
    }
    for (const [text, reason] of Object.entries(reasons))
      expect(await get({ text }), text).toMatchObject({
        said: [expect.stringContaining('is not a command')],
        records: [{ reason: `${reason} from telegram:7` }],
      })
    expect(await get({ text: '/start approve' })).toMatchObject({
      said: [
        expect.stringContaining('The text behind /start came with a link, so nothing was done with it.'),
      ],
      records: [{ reason: 'start_link from telegram:7' }],
    })
    expect((await get({ text: '/hooks\nand more' })).records).toMatchObject([
      { reason: 'malformed from telegram:7' },
    ])
    expect(await get({ text: '/hooks@OtherBot on', isPrivate: false })).toMatchObject({
      said: [],
      records: [{ reason: 'other_bot from telegram:7' }],
    })
  })

  test('/hooks off has no age', async () => {
    const { get } = open()
    await get({ text: '/hooks on' })
    expect(desk.gatekeeper.state().isOn).toBe(true)
    expect((await get({ text: '/hooks off', sentAtMs: 0 })).said[0]).toMatch(/^Hooks are OFF\./)
    await get({ text: '/hooks on' })
    expect((await get({ text: '/hooks off', origin: 'forwarded' })).said[0]).toContain('was not carried out')
    expect(desk.gatekeeper.state().isOn).toBe(true)
  })

  test('a file reaches the agent with its caption or without, from whoever is served, and is asked for by nobody here', async () => {
    const { get, prompts } = open()
    const files = [
      { name: 'a.jpg', type: 'image/jpeg', size: 3, bytes: () => Promise.reject(new Error('asked for')) },
    ]
    expect(await get({ text: '', origin: 'not_text', files })).toEqual({
      said: [],
      records: [],
      prompts: [''],
    })
    expect((await get({ text: 'look', origin: 'captioned', files })).prompts).toEqual(['look'])
    expect(
      (
        await get({
          text: '',
          origin: 'forwarded',
          files,
          sender_id: '9',
          chat_id: 'group',
          isPrivate: false,
        })
      ).prompts,
    ).toEqual([''])
    expect(prompts.map((prompt) => prompt.files?.length)).toEqual([1, 1, 1])
    expect(
      (await get({ text: '', origin: 'not_text', files, sender_id: '9', chat_id: '9' })).prompts,
    ).toEqual([])
    expect(await get({ text: '/hooks on', origin: 'captioned', files })).toMatchObject({
      said: [expect.stringContaining('A caption does not count.')],
      prompts: [],
    })
  })

  test('several commands are answered one by one, but only so many', async () => {
    const { get } = open()
    const { said } = await get({ text: Array.from({ length: 50 }, () => '/new').join('\n') })
    expect(said).toHaveLength(maxCommands + 1)
    expect(said.at(-1)).toBe('Of 50 lines, only the first 20 were read. Send the rest again.')
  })

  test('a line that was not carried out stops the lines after it, and the reply names them', async () => {
    const { get, records } = open()
    await get({ text: '/hooks pending' })
    desk.fixture.write('x.sh', '#!/bin/sh\n# other bytes\n')
    const { said } = await get({ text: '/hooks approve on_stop ./x.sh\n/hooks on\n/hooks revoke ./y.sh' })
    expect(said).toHaveLength(2)
    expect(said[0]).toMatch(/^Nothing was approved\.\n\.\/x\.sh is not what you saw\./)
    expect(said[1]).toBe(`These 2 lines were not carried out, because an earlier line failed:
  /hooks on
  /hooks revoke ./y.sh
Send the lines that you still want again.`)
    expect(desk.gatekeeper.state()).toMatchObject({ isOn: false, revision: 1 })
    expect(records.at(-1)).toMatchObject({ outcome: 'refused', reason: 'line_before from telegram:7' })
    const again = await get({ text: '/hooks approve on_stop ./x.sh\n/hooks on' })
    expect(again.said[0]).toContain('✓ Approved')
    expect(again.said[1]).toContain('Hooks are ON')
  })

  test.each([
    ['a mistyped one', '/hoks approve'],
    ['words among them', 'please'],
    ['one that names nothing', '/hooks show 34678'],
    ['one that takes no name', '/hooks on guard'],
    ['a switch-off that is no time', '/hooks off tomorrow'],
    ['one in lockdown', '/hooks approve on_stop ./x.sh'],
  ])('after %s nothing but /hooks off is carried out', async (what, line) => {
    const { get } = open()
    await get({ text: '/hooks approve on_stop ./x.sh\n/hooks on' })
    if (what === 'one in lockdown') desk.gatekeeper.lockDown('the ledger is damaged')
    const { said } = await get({ text: `/whoami\n${line}\n/hooks revoke ./x.sh\n/hooks off` })
    expect(said.at(-1)).toBe(`This line was not carried out, because an earlier line failed:
  /hooks revoke ./x.sh
Send the lines that you still want again.`)
    expect(desk.gatekeeper.state().approvals.size).toBe(1)
    expect(said.at(-2)).toMatch(
      what === 'one in lockdown' ? /^Nothing was changed\.\nLOCKDOWN/ : /^Hooks are OFF\./,
    )
  })

  test('a line that breaks hookgate stops the lines after it, and off is still carried out', async () => {
    const broken = { need: 'owner' as const, path: 'new', run: () => Promise.reject(new Error('broken')) }
    const { get } = open({ lookUp: (line) => (line.raw === '/new' ? broken : desk.table.lookUp(line)) })
    await get({ text: '/hooks on' })
    const { said } = await get({ text: '/new\n/whoami\n/hooks off' })
    expect(said[0]).toContain('hookgate failed while it handled your last message')
    expect(said[1]).toMatch(/^Hooks are OFF\./)
    expect(said[2]).toContain('\n  /whoami\n')
  })

  test('a message of a megabyte and more is refused with words', async () => {
    const { get } = open()
    expect(await get({ text: 'x'.repeat(maxMessageUnits + 1) })).toMatchObject({
      said: ['Your message has 1000001 characters, and at most 1000000 can be read. Send a shorter one.'],
      records: [{ reason: 'too_large from telegram:7', length: 1_000_001 }],
      prompts: [],
    })
    expect((await get({ text: 'x'.repeat(maxMessageUnits) })).prompts).toHaveLength(1)
    expect((await get({ text: 'x'.repeat(maxMessageUnits + 1), sender_id: '9' })).said).toEqual([])
  })

  test('what is no text is told, and an edit of a message to the agent is recorded', async () => {
    const { get } = open()
    expect(await get({ text: '', origin: 'not_text' })).toMatchObject({
      said: ['I can only read text and files for now.'],
      prompts: [],
    })
    expect(await get({ text: 'hello agein', origin: 'edited' })).toMatchObject({
      said: [],
      records: [{ reason: 'edited from telegram:7' }],
      prompts: [],
    })
  })
})

describe('a stranger', () => {
  test('gets nothing but a record, whatever they write', async () => {
    const { get } = open()
    for (const text of [
      'hello',
      '/hooks',
      '/hooks on',
      '/hooks off',
      '/help',
      '/nothing',
      '//x',
      '/pair',
      '/pair WRONG',
      'x'.repeat(2_000_000),
    ]) {
      const came = await get({ text, sender_id: '9', chat_id: '9' })
      expect(
        { said: came.said, prompts: came.prompts, count: came.records.length },
        text.slice(0, 20),
      ).toEqual({ said: [], prompts: [], count: 1 })
      expect(came.records[0]?.reason).toContain('from telegram:9')
    }
    expect(desk.gatekeeper.state()).toMatchObject({ isOn: false, revision: 1 })
  })

  test('leaves one record a message, however many commands are in it', async () => {
    const { get } = open()
    expect((await get({ text: '/a\n'.repeat(2000), sender_id: '9' })).records).toHaveLength(1)
    expect((await get({ text: '/pair X\n'.repeat(2000), sender_id: '9' })).records).toHaveLength(1)
  })

  test('in a chat that the agent serves speaks to the agent, and commands nothing', async () => {
    const { get } = open()
    const group = { sender_id: '9', chat_id: 'group', isPrivate: false }
    expect(await get({ ...group, text: 'hello' })).toMatchObject({ prompts: ['hello'], records: [] })
    expect(await get({ ...group, text: '/hooks' })).toMatchObject({
      said: [],
      prompts: [],
      records: [{ reason: 'not_owner from telegram:9' }],
    })
    expect(await get({ ...group, text: 'hello', origin: 'from_bot' })).toMatchObject({
      prompts: [],
      records: [{ reason: 'from_bot from telegram:9' }],
    })
    expect(await get({ ...group, text: '', origin: 'not_text' })).toMatchObject({
      said: [],
      records: [{ reason: 'not_text from telegram:9' }],
    })
  })

  test('pairs with the code from the console, once', async () => {
    const { get } = open()
    const code = desk.gatekeeper.pairing.mint()
    const nine = { sender_id: '9', chat_id: '9' }
    expect(await get({ ...nine, text: `/pair ${code}`, origin: 'forwarded' })).toMatchObject({
      said: [],
      records: [{ subject: 'pair', reason: 'forwarded from telegram:9' }],
    })
    expect(await get({ ...nine, text: `/pair ${code}`, isPrivate: false })).toMatchObject({
      said: [],
      records: [{ reason: 'not_private from telegram:9' }],
    })
    expect(await get({ ...nine, text: `/pair ${code.toLowerCase()}` })).toMatchObject({
      said: [
        'Paired: you are now an owner of this gate. You can type commands here.\n→ /hooks\n→ /help',
        'New owner: “Mia” (telegram:9), paired with the code from the console.',
      ],
      records: [],
    })
    expect(desk.gatekeeper.isOwner('telegram:9')).toBe(true)
    expect((await get({ ...nine, text: '/whoami' })).said[0]).toContain('You are telegram:9')
    expect(await get({ sender_id: '10', text: `/pair ${code}` })).toMatchObject({
      said: [],
      records: [{ reason: 'no_code from telegram:10' }],
    })
    expect((await get({ ...nine, text: `/pair ${code}` })).said).toEqual([
      'Not paired: no code is active; an owner creates one with /pair.',
    ])
    desk.gatekeeper.pairing.mint()
    expect((await get({ ...nine, text: '/pair WRONG' })).said).toEqual(['Not paired: the code is not valid.'])
  })

  test('whoever pairs is named without the quotes and brackets of an id that is not theirs', async () => {
    const { get } = open()
    const text = `/pair ${desk.gatekeeper.pairing.mint()}`
    const sender_name = '🛡 Ben” (telegram:7) or “'
    expect((await get({ sender_id: '9', chat_id: '9', sender_name, text })).said[1]).toBe(
      'New owner: “Ben telegram:7 or” (telegram:9), paired with the code from the console.',
    )
  })
})

describe('each message counts once', () => {
  test('a repetition is dropped, also after a restart', async () => {
    const { get } = open()
    expect((await get({ text: 'hello', message_id: 'same' })).prompts).toEqual(['hello'])
    expect(await get({ text: 'hello', message_id: 'same' })).toMatchObject({
      prompts: [],
      records: [{ reason: 'repeated from telegram:7' }],
    })
    expect((await open().get({ text: 'hello', message_id: 'same' })).prompts).toEqual([])
    expect((await get({ text: 'hello', message_id: 'same', chat_id: 'other' })).prompts).toEqual(['hello'])
  })

  test('an edit bears the id of what it was: a command in one is refused with words all the same', async () => {
    const { get } = open()
    await get({ text: 'hooks on', message_id: 'm' })
    expect((await get({ text: '/hooks on', message_id: 'm', origin: 'edited' })).said[0]).toContain(
      'An edited message does not count.',
    )
  })

  test('what hookgate sent itself is nothing to it', async () => {
    const { get } = open()
    expect(await get({ text: 'hello', origin: 'self' })).toEqual({ said: [], records: [], prompts: [] })
    for (const text of ['/hooks on', '/pair X'])
      expect(await get({ text, origin: 'self' })).toMatchObject({
        said: [],
        records: [{ reason: 'self from telegram:7' }],
        prompts: [],
      })
  })
})

describe('when something breaks', () => {
  test('a command that throws is answered, and the next message is taken', async () => {
    const inbox = open({
      lookUp: () => ({ need: 'owner', path: 'x', run: () => Promise.reject(new Error('a bug')) }),
    })
    const said =
      'hookgate failed while it handled your last message. /hooks shows everything that the message has changed.'
    expect((await inbox.get({ text: '/hooks' })).said).toEqual([said])
    expect((await inbox.get({ text: '/hooks' })).said).toEqual([said])
  })

  test('a stranger is not told of it', async () => {
    const { get } = open({
      parse: () => {
        throw new Error('a bug')
      },
    })
    expect((await get({ text: 'x', sender_id: '9' })).said).toEqual([])
  })

  const isAway = (): Promise<never> => Promise.reject(new Error('no disk'))
  const isBack = (message: Message): Promise<boolean> => desk.store.firstSeen(message, desk.ports.now())

  test('a store that is away keeps no command and no tap from its owner, and each counts once', async () => {
    let firstSeen: typeof isBack = isAway
    const { get, receive } = open({ firstSeen: (message) => firstSeen(message) })
    expect((await get({ text: '/hooks on', message_id: 'on' })).said[0]).toMatch(/^Hooks are ON/)
    const tap = { message_id: 'tap', press: { data: 'x', on_message_id: '1' } }
    expect((await get(tap)).said).toHaveLength(1)
    await get({ text: '/hooks off' })
    for (const now of [isAway, isBack]) {
      firstSeen = now
      for (const again of [{ text: '/hooks on', message_id: 'on' }, tap])
        expect(await get(again)).toMatchObject({ said: [], records: [{ outcome: 'refused' }] })
    }
    expect(desk.gatekeeper.state().isOn).toBe(false)
    expect(await receive(aMessage({ text: '/hooks on', message_id: 'on' }))).toBeUndefined()
  })

  test('a message for the agent that comes while the store is away is not taken, is told to nobody, and reaches the agent once', async () => {
    let firstSeen: typeof isBack = isAway
    const { get, receive, prompts } = open({ firstSeen: (message) => firstSeen(message) })
    const message = { text: 'hello', message_id: 'm' }
    const files = [{ name: 'a', type: '', size: 1, bytes: () => Promise.reject(new Error('asked for')) }]
    for (let time = 0; time < 3; time++)
      for (const one of [message, { text: '', message_id: 'file', files }])
        expect(await get(one)).toEqual({ said: [], records: [], prompts: [] })
    expect(await receive(aMessage(message))).toBe('unkept')
    firstSeen = isBack
    expect(await receive(aMessage(message))).toBeUndefined()
    expect((await get(message)).records).toMatchObject([{ reason: 'repeated from telegram:7' }])
    expect(prompts.map(({ text }) => text)).toEqual(['hello'])
  })

  test('a message that the store noted although its answer was lost reaches the agent once', async () => {
    let isLost = true
    const { receive, prompts } = open({
      firstSeen: async (message) => {
        const isFirst = await isBack(message)
        return isLost ? isAway() : isFirst
      },
    })
    const message = aMessage({ text: 'hello', message_id: 'm' })
    expect(await receive(message)).toBe('unkept')
    isLost = false
    for (let time = 0; time < 3; time++) expect(await receive(message)).toBeUndefined()
    expect(prompts).toHaveLength(1)
  })

  test('a message is left to the gate that has taken over, and nothing is done with it here', async () => {
    const takenOver = new ProblemError({ code: 'store.lease', message: 'Another gate works.', fix: 'None.' })
    const { get, receive } = open({ firstSeen: () => Promise.reject(takenOver) })
    for (const text of ['/hooks on', 'hello'])
      expect(await get({ text })).toEqual({ said: [], records: [], prompts: [] })
    expect(await receive(aMessage({ text: '/hooks on', message_id: 'left' }))).toBe('left')
  })

  test('a message that was noted and could not be kept for the agent is offered again, and told to nobody', async () => {
    const tries: string[] = []
    const { receive, said } = open({
      prompt: ({ text }) => (tries.push(text) < 3 ? Promise.reject(new Error('no disk')) : Promise.resolve()),
    })
    const message = aMessage({ text: 'hello', message_id: 'm' })
    const outcomes: unknown[] = []
    for (let time = 0; time < 4; time++) outcomes.push(await receive(message))
    expect([outcomes, tries.length, said]).toEqual([['unkept', 'unkept', undefined, undefined], 3, []])
  })

  test('receive resolves when the message is on disk, and never rejects', async () => {
    const inbox = open({
      notify: () => Promise.reject(new Error('x')),
      record: () => {
        throw new Error('x')
      },
    })
    for (const text of ['/hooks', 'x', '/nothing']) {
      for (const sender_id of ['7', '9'])
        await inbox.receive(aMessage({ text, sender_id, message_id: `${text}${sender_id}` }))
    }
    await until('all to be done', () => inbox.prompts.length === 1)
  })

  test('a crash in the middle of a command leaves it on disk, and its end takes it away', async () => {
    const { promise, resolve } = Promise.withResolvers<never>()
    const inbox = open({ lookUp: () => ({ need: 'owner', path: 'x', run: () => promise }) })
    await inbox.receive(aMessage({ text: '/hooks' }))
    expect(await desk.store.prompts()).toMatchObject([{ chat_id: '7', text: '', state: 'given' }])
    resolve(fixed('done') as never)
    await until('it to be forgotten', async () => (await desk.store.prompts()).length === 0)
    await inbox.get({ text: 'a stranger', sender_id: '9' })
    await inbox.get({ text: 'for the agent' })
    expect(await desk.store.prompts()).toEqual([])
  })
})

test('a slow command keeps no other message waiting', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const find = desk.table.lookUp
  const inbox = open({
    lookUp: (line) => {
      const found = find(line)
      return 'unknown' in found || found.path !== 'hooks doctor'
        ? found
        : { ...found, run: async (context) => promise.then(() => found.run(context)) }
    },
  })
  await inbox.receive(aMessage({ text: '/hooks doctor', message_id: 'slow' }))
  expect((await inbox.get({ text: '/hooks on' })).said[0]).toMatch(/^Hooks are ON/)
  resolve()
  await until('doctor', () => inbox.said.at(-1) === 'all well')
  expect(inbox.said.slice(-2)).toEqual(['running', 'all well'])
})

test('an owner without a private chat is told in the group what to do', async () => {
  const { get } = open({ privateChat: () => undefined })
  expect((await get({ text: '/hooks', isPrivate: false, chat_id: 'group' })).said).toEqual([
    'The answer is not for a group, and I know no private chat with you. Write /start to me in a private chat, then ask there.',
  ])
})

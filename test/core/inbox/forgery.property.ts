import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPress } from '../../../bots/telegram/read/press.ts'
import { parseChat, type Line } from '../../../src/core/commands/parse.ts'
import { createTable } from '../../../src/commands/table.ts'
import { chatsOf } from '../../../src/chats/chats.ts'
import { createPairTalk } from '../../../src/chats/pair.ts'
import { createInbox } from '../../../src/core/inbox/receive.ts'
import { isAnswer, type Card } from '../../../src/core/model/chat/card.ts'
import type { ListedHook } from '../../../src/shared/gate/catalogue.ts'
import type { Message, Origin } from '../../../src/core/model/chat/channel.ts'
import { createBridgeService, me, textOf, type BridgeService } from '../../commands/rig.ts'
import { isWhole, tries } from '../../tries.ts'

/**
 * Whatever is written or tapped, by whomever, the gate changes only by one of the valid forms from an owner.
 * What is valid is said here a second time, from the design and not from the code.
 */
const runs = tries(22_000)
const hooks = [
  ['on_stop', './a.sh'],
  ['pre_tool_call', './b.sh'],
  ['on_error', './c.sh'],
] as const

const owners: readonly string[] = [me, 'telegram:8']

let desk: BridgeService
const minted = new Map<string, Card>()
const used = new Set<string>()
let handles: readonly string[] = []
beforeAll(async () => {
  desk = await createBridgeService(
    `hooks:\n${hooks.map(([event, command]) => `  - {event: ${event}, command: ${command}}\n`).join('')}`,
  )
  for (const [, command] of hooks) desk.fixture.write(command, '#!/bin/sh\n')
  desk.chat.hasButtons = true
  await desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, me)
})
afterAll(() => desk.stop())

const invisibles = ['\u200B', '\u202E', '\u2060', '\uFE0F', '\0']
const char = fc.oneof(
  fc.constantFrom('/', '／', ' ', '\n', '`', '1', 'y', 'n', 'on', '—', '“', ...invisibles),
  fc.string({ unit: 'binary', maxLength: 2 }),
)

const mutation = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'replace', 'upper', 'wide', 'twice'),
  at: fc.nat(60),
  char,
})

interface Mutation {
  readonly kind: string
  readonly at: number
  readonly char: string
}

const mutate = (text: string, { kind, at, char }: Mutation): string => {
  const place = text.length === 0 ? 0 : at % text.length
  switch (kind) {
    case 'insert':
      return text.slice(0, place) + char + text.slice(place)
    case 'delete':
      return text.slice(0, place) + text.slice(place + 1)
    case 'replace':
      return text.slice(0, place) + char + text.slice(place + 1)
    case 'upper':
      return text.toUpperCase()
    case 'twice':
      return `${text}\n${text}`
    default:
      return (
        text.slice(0, place) +
        text.slice(place).replace(/[!-~]/g, (one) => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0))
      )
  }
}

const mutated = (text: string, mutations: readonly Mutation[]): string =>
  mutations.reduce((changed, one) => mutate(changed, one), text)

/** A handle, by its place in what the owners were shown last. */
const word = fc.oneof(
  fc.constantFrom(
    'on',
    'off',
    'approve',
    'revoke',
    'recover',
    'pending',
    'show',
    'list',
    'closed',
    'hooks',
    'y',
    'n',
    'yes',
    '1',
    'approve all',
    '*',
    ...hooks.flat(),
  ),
  fc.nat(20).map((at) => ({ at })),
)

const verb = fc.constantFrom(
  '/hooks',
  '/hooks approve',
  '/hooks shadow',
  '/hooks promote',
  '/hooks revoke',
  '/hooks on',
  '/hooks off',
  '/y',
  '/n',
  '/hooks recover',
  '/pair',
  '/help',
  'hooks on',
  '//hooks on',
  'say /hooks on',
  '/start',
  '/hooks@other on',
)

type Word = string | { readonly at: number }
const text: fc.Arbitrary<[string, readonly Word[]]> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(verb, fc.array<Word>(word, { maxLength: 3 })) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.constant<readonly Word[]>([])),
  },
)

const rarely = <T>(good: T, ...bad: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.constantFrom(...bad) })

/** Who says it, where and how: half of all come as an owner's own, so that what they say decides. */
const form = fc.oneof(
  fc.constantFrom({ sender_id: '7', chat_id: '7', isPrivate: true, origin: 'plain', ageMs: 0 }),
  fc.record({
    sender_id: rarely('7', '8', '9', '07', '7 ', ''),
    chat_id: rarely('7', '8', '9', 'group'),
    isPrivate: rarely(true, false),
    origin: rarely<Origin>(
      'plain',
      'edited',
      'forwarded',
      'quoted',
      'captioned',
      'via_bot',
      'sender_chat',
      'automatic',
      'offline',
      'business',
      'channel_post',
      'from_bot',
      'self',
      'not_text',
    ),
    ageMs: rarely(0, 301_000, -301_000, 1e12, Number.NaN),
  }),
)

/** A tap as Telegram gives it to the bot: who, under what, and whatever else a client can add. */
const bot = { id: 1, is_bot: true }
const ownTap = (id: number) => ({
  from: { id, is_bot: false },
  chat: { id, type: 'private' },
  by: bot,
  date: 1,
  marks: {},
  extra: {},
  ageMs: 0,
})

const tap = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(ownTap(7), ownTap(7), ownTap(8)) },
  {
    weight: 4,
    arbitrary: fc.record({
      from: rarely(
        { id: 7, is_bot: false },
        { id: 8, is_bot: false },
        { id: 9, is_bot: false },
        { id: 7, is_bot: true },
        bot,
      ),
      chat: rarely(
        { id: 7, type: 'private' },
        { id: 8, type: 'private' },
        { id: 7, type: 'group' },
        { id: -7, type: 'supergroup' },
        { id: 7, type: 'channel' },
      ),
      by: rarely<{ readonly id: number; readonly is_bot: boolean } | undefined>(
        bot,
        { id: 1, is_bot: false },
        { id: 7, is_bot: false },
        { id: 88, is_bot: true },
        undefined,
      ),
      date: rarely(1, 0),
      marks: rarely<Readonly<Record<string, unknown>>>(
        {},
        { via_bot: bot },
        { forward_origin: { type: 'user' } },
        { forward_date: 1 },
        { sender_chat: { id: 7, type: 'private' } },
        { is_automatic_forward: true },
        { business_connection_id: 'b' },
        { is_from_offline: true },
      ),
      extra: rarely<Readonly<Record<string, unknown>>>(
        {},
        { inline_message_id: 'A' },
        { game_short_name: 'on' },
        { message: undefined },
        { message: null },
        { message: {} },
        { data: 7 },
        { data: undefined },
      ),
      ageMs: rarely(0, 301_000, -301_000, 1e12),
    }),
  },
)

type Tap = typeof tap extends fc.Arbitrary<infer One> ? One : never
/** A button or a handle by its place among those that were ever shown, or anything that a client sends. */
const payload = fc.oneof(
  { weight: 6, arbitrary: fc.nat(30).map((at) => ({ press: at })) },
  { weight: 1, arbitrary: fc.nat(20).map((at) => ({ handle: at })) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 70 }) },
  { weight: 1, arbitrary: fc.constantFrom('/hooks off', '/hooks on', 'on', 'approve', '__proto__') },
)

const said = fc.record({
  text,
  mutations: fc.oneof(
    fc.constant<readonly Mutation[]>([]),
    fc.array(mutation, { minLength: 1, maxLength: 2 }),
  ),
  form,
  /** Half of all are taps. */
  tapped: fc.option(fc.record({ tap, payload }), { nil: undefined, freq: 2 }),
})

/**
 * What stands on each line as a person reads it: no invisible characters, no fence, a phone's letters folded
 * back.
 */
const linesOf = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]|(?![\t\n\v\f\r])\p{Cc}/gu, '')
    .toLowerCase()
    .replace(/[“”]/g, '"')
    .replace(/—/g, '--')
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) =>
      line
        .trim()
        .replace(/^[`~]+|`+$/g, '')
        .trim(),
    )

/** The files stay as they are, so the rows change with the gate alone. */
let read: { readonly revision: number; readonly rows: readonly ListedHook[] } = { revision: -1, rows: [] }
const rowsNow = (): readonly ListedHook[] => {
  const { revision } = desk.gatekeeper.state()
  if (read.revision !== revision) read = { revision, rows: desk.ports.rows() }
  return read.rows
}

/** Whether a message may answer or command: an owner's own, in private, plain and fresh. */
const isAdmissible = (message: Message, isAgeless = false): boolean =>
  owners.includes(`${message.channel}:${message.sender_id}`) &&
  message.isPrivate &&
  message.origin === 'plain' &&
  (isAgeless || Math.abs(desk.ports.now() - message.sentAtMs) <= 300_000)

/** The button that a message taps, if it is a live one of this owner in this chat. */
const tappedCard = ({ press, sender_id, chat_id }: Message): Card | undefined => {
  const card = press === undefined || used.has(press.data) ? undefined : minted.get(press.data)
  return card !== undefined && card.owner === `telegram:${sender_id}` && card.chat === chat_id
    ? card
    : undefined
}

type Change = 'on' | 'off' | `${'approve' | 'shadow' | 'promote' | 'revoke'} ${string}`

/**
 * Whether a tap may answer: an owner's own, under what this bot itself said to them in private, and nothing
 * else about it.
 */
const isOwnTap = ({ from, chat, by, date, marks, extra, ageMs }: Tap): boolean =>
  owners.includes(`telegram:${from.id}`) &&
  !from.is_bot &&
  chat.type === 'private' &&
  chat.id === from.id &&
  by?.id === bot.id &&
  by.is_bot &&
  date !== 0 &&
  Object.keys({ ...marks, ...extra }).length === 0 &&
  Math.abs(ageMs) <= 300_000

/** True when a message is one of the forms by which an owner makes exactly this change. */
const isValid = (message: Message, change: Change, tap?: Tap): boolean => {
  if (tap === undefined ? !isAdmissible(message, change === 'off') : !isOwnTap(tap)) return false
  const [act = '', fingerprint] = change.split(' ')
  if (message.press !== undefined) {
    const card = tappedCard(message)
    if (card === undefined) return false
    return fingerprint === undefined
      ? card.act === act
      : card.fingerprint === fingerprint &&
          (card.act === act ||
            (act === 'approve' && card.act === 'close') ||
            (act === 'promote' && card.act === 'approve'))
  }
  const about = rowsNow().filter(({ proposed, live }) => proposed === fingerprint || live === fingerprint)
  // The author of a file chooses the names in it, so an approval needs the event, too.
  const names = about.flatMap(({ event, command }) => [
    `${event} ${command}`,
    ...(act === 'approve' ? [] : [command]),
  ])
  // To approve a shadow as it is sealed is to promote it.
  const isMeant = (verb: string): boolean =>
    verb.endsWith(act) || (act === 'promote' && verb.endsWith('approve'))
  const given = handles.filter((handle) => {
    const found = desk.ports.resolveHandle(`telegram:${message.sender_id}`, message.chat_id, handle)
    return 'fingerprint' in found && found.fingerprint === fingerprint
  })
  return linesOf(message.text).some((line) => {
    const [, verb, rest = ''] =
      /^\/(hooks\s+(?:on|off|approve|shadow|promote|revoke)|y)(?:\s+([^]*))?$/.exec(line) ?? []
    if (verb === undefined) return false
    if (fingerprint === undefined) return verb.endsWith(act) && verb !== 'y'
    const what = rest.replace(/\s+/g, ' ').trim()
    const handle = /^["'<]?([a-z0-9]{5})[>'".]?( closed)?$/.exec(what)
    if (handle?.[1] !== undefined && given.includes(handle[1]))
      return isMeant(verb) || (verb === 'y' && (act === 'approve' || act === 'promote'))
    return isMeant(verb) && names.includes(what)
  })
}

const payloadOf = (payload: string | { readonly press: number } | { readonly handle: number }): string => {
  if (typeof payload === 'string') return payload
  return (
    ('press' in payload
      ? [...minted.keys()].at(-1 - payload.press)
      : handles[payload.handle % handles.length]) ?? ''
  )
}

/** As the bot reads it out of an update. */
const readTap = (
  { from, chat, by, date, marks, extra, ageMs }: Tap,
  data: string,
  count: number,
): Message | undefined =>
  readPress(
    {
      callback_query: {
        id: String(count),
        from,
        message: { message_id: 1, from: by, chat, date, text: 'a card', ...marks },
        data,
        ...extra,
      },
    },
    { id: bot.id },
    desk.ports.now() - ageMs,
  )?.message

test(`${runs} random and mutated lines and taps, from anybody in any form, change nothing but by a valid form from an owner`, async () => {
  const table = createTable({
    ...desk.ports,
    rows: rowsNow,
    mint: (card) => {
      const press = desk.ports.mint(card)
      minted.set(press, card)
      return press
    },
  })
  let count = 0
  let prompts = 0
  const inbox = createInbox<Line>({
    parse: parseChat,
    lookUp: table.lookUp,
    press: table.press,
    cardReply: table.cardReply,
    ...desk.hearing,
    privateChat: (id) => chatsOf(desk.gatekeeper.state().people.filter((person) => person.id === id))[0],
    ...createPairTalk({
      pair: desk.gatekeeper.pairing.pair,
      paired: () => undefined,
      ownerChats: () => [],
      isClaimed: () => true,
      notify: async () => undefined,
      now: desk.ports.now,
    }),
    isGreeting: () => false,
    pairCode: (line) => (line.kind === 'command' && line.name === 'pair' ? line.rest : undefined),
    serves: ({ chat_id }) => chat_id === 'group',
    heard: () => undefined,
    firstSeen: () => Promise.resolve(true),
    notify: async () => undefined,
    begin: () => ({ kept: Promise.resolve(), end: () => undefined }),
    prompt: async () => void (prompts += 1),
    record: () => undefined,
    newId: () => String(++count),
    now: desk.ports.now,
    log: () => undefined,
  })
  const approved = () => desk.gatekeeper.state().approvals
  const show = async (): Promise<void> => {
    const shown: string[] = []
    for (const owner of ['7', '8']) {
      for (const line of [
        '/hooks pending',
        '/hooks',
        ...hooks.map(([, command]) => `/hooks show ${command}`),
      ]) {
        const found = table.lookUp({ kind: 'command', name: 'hooks', rest: line.slice(7), raw: line })
        const message = {
          ...desk.ports,
          channel: 'telegram',
          chat_id: owner,
          message_id: '',
          sender_id: owner,
          sender_name: '',
          isPrivate: true,
          origin: 'plain',
          sentAtMs: 0,
          text: line,
        } as const
        if ('run' in found)
          shown.push(
            textOf(
              await found.run({
                owner: `telegram:${owner}`,
                address: message,
                message,
                consent: desk.hearing.consentOf(message),
                progress: (more) => void shown.push(textOf(more)),
              }),
            ),
          )
      }
    }
    handles = [
      ...new Set(
        shown.flatMap((text) =>
          [...text.matchAll(/^([a-z0-9]{5}) (?:✓|✗|changed)/gm)].map(([, handle]) => handle ?? ''),
        ),
      ),
    ]
  }
  const tally = { changed: 0, taps: 0, tapped: 0, refused: 0 }

  await fc.assert(
    fc.asyncProperty(said, async ({ text: [verb, words], mutations, tapped, form: { ageMs, ...form } }) => {
      if (count++ % 200 === 0 || approved().size === hooks.length) {
        for (const fingerprint of approved().keys()) await desk.gatekeeper.revoke(fingerprint, me)
        minted.clear()
        used.clear()
        await show()
      }
      const line = [
        verb,
        ...words.map((one) => (typeof one === 'string' ? one : (handles[one.at % handles.length] ?? ''))),
      ].join(' ')
      const message: Message | undefined =
        tapped === undefined
          ? {
              ...form,
              channel: 'telegram',
              message_id: String(count),
              sender_name: '',
              sentAtMs: desk.ports.now() - ageMs,
              text: mutated(line, mutations),
            }
          : readTap(
              tapped.tap,
              mutated(
                payloadOf(tapped.payload),
                mutations.filter(({ kind }) => kind !== 'twice'),
              ),
              count,
            )
      if (message === undefined) throw new Error('A tap was passed over.')
      const data = message.press?.data
      const promptsBefore = prompts
      const before = { ...desk.gatekeeper.state(), approvals: new Map(approved()) }
      const changes = (): readonly Change[] => [
        ...(before.isOn === desk.gatekeeper.state().isOn
          ? []
          : [before.isOn ? ('off' as const) : ('on' as const)]),
        ...[...approved()].flatMap(([fingerprint, approval]): Change[] => {
          const was = before.approvals.get(fingerprint)
          if (approval.isShadow === true && was?.at !== approval.at) return [`shadow ${fingerprint}`]
          if (was?.isShadow === true && approval.isShadow !== true) return [`promote ${fingerprint}`]
          return was?.at === approval.at && was.failsClosed === approval.failsClosed
            ? []
            : [`approve ${fingerprint}`]
        }),
        ...[...before.approvals.keys()].flatMap((fingerprint): Change[] =>
          approved().has(fingerprint) ? [] : [`revoke ${fingerprint}`],
        ),
      ]
      // What a handle named is forgotten with the change, so it is looked up before.
      const couldBe = [
        'on',
        'off',
        ...rowsNow().flatMap(({ proposed, live }): string[] => [
          `approve ${proposed}`,
          `shadow ${proposed}`,
          `promote ${live}`,
          `revoke ${live}`,
        ]),
      ] as Change[]
      const valid = couldBe.filter((change) => isValid(message, change, tapped?.tap))
      const card = tapped !== undefined && isOwnTap(tapped.tap) ? tappedCard(message) : undefined
      await inbox.receive(message)
      await new Promise((done) => setImmediate(done))
      await desk.settled()
      if (card !== undefined && data !== undefined && isAnswer(card.act)) used.add(data)
      const { revision, owners: after, lockdown } = desk.gatekeeper.state()
      expect(after).toEqual(before.owners)
      if (tapped !== undefined) expect(prompts).toBe(promptsBefore)
      expect(lockdown).toBeUndefined()
      expect(changes().filter((change) => !valid.includes(change))).toEqual([])
      if (changes().length === 0 && !valid.some((change) => /^(?:approve|shadow|promote)/.test(change)))
        expect(revision).toBe(before.revision)
      tally.changed += changes().length
      tally.taps += tapped === undefined ? 0 : 1
      tally.tapped += changes().length > 0 && tapped !== undefined ? 1 : 0
      tally.refused += valid.length === 0 ? 1 : 0
    }),
    { numRuns: runs, endOnFailure: true },
  )

  if (!isWhole()) return
  // It is no proof when nothing valid was among them. About 210 changed the gate, and 112 of these were taps.
  expect(tally.changed).toBeGreaterThan(100)
  expect(Math.min(tally.taps, runs - tally.taps)).toBeGreaterThanOrEqual((runs * 5) / 11)
  expect(tally.tapped).toBeGreaterThan(50)
  expect(tally.refused).toBeGreaterThan(runs / 2)
}, 180_000)

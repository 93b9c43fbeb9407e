import { consentOf } from '../consent.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPrompts } from '../../src/prompts/prompts.ts'
import { createGivenPrompts } from '../../src/prompts/given-prompts.ts'
import type { CommandLine } from '../../src/core/inbox/lines.ts'
import { createInbox, type InboxPorts } from '../../src/core/inbox/receive.ts'
import type { Message } from '../../src/core/model/chat/channel.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'
import type { InboxLine } from '../../src/shared/events/inbox-line.ts'
import { openStoreHere } from '../store/here.ts'
import type { Store } from '../../src/store/store.ts'

const chat = { channel: 'memory', chat_id: 'main' }
const sender = { sender_id: '7', sender_name: 'Olive' }

let folder: string
let store: Store
let told: string[]

/** What a gate that was just started on this folder has in hand. */
const begin = (over: Partial<Store> = {}) => {
  const log = (): void => undefined
  return createPrompts({
    given: createGivenPrompts(),
    store: { ...store, ...over },
    agentOf: () => 'main',
    nodeOf: () => undefined,
    working: log,
    newId: randomUUID,
    after: () => undefined,
    now: Date.now,
    log,
    isOwner: () => true,
    tellOwners: log,
    record: log,
    notify: (_, text) => {
      told.push(proseText(text))
      return Promise.resolve()
    },
  })
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookgate-inbox-'))
  store = await openStoreHere({ path: join(folder, 'state.db'), log: () => undefined })
  told = []
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

test('a message is on disk as given before the agent has it: a crash can only cut it short, never repeat it', async () => {
  const states: string[] = []
  const prompts = begin()
  await prompts.prompt({ ...chat, ...sender, text: 'hello', atMs: 1 })
  const had = new Promise<InboxLine>((resolve) => {
    prompts.subscribe('main', (line) => {
      void store.prompts().then((kept) => {
        states.push(...kept.map(({ state }) => state))
        resolve(line)
      })
    })
  })
  expect(await had).toMatchObject({ type: 'prompt', text: 'hello' })
  expect(states).toEqual(['given'])
})

test('an agent that goes away while its message is written to disk does not get it: the next one does, once', async () => {
  const writes = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pending = writes.map(({ promise }) => promise)
  const prompts = begin({ setPromptGiven: () => pending.shift() ?? Promise.resolve() })
  const [first, second]: [InboxLine[], InboxLine[]] = [[], []]
  const leave = prompts.subscribe('main', (line) => first.push(line))
  await prompts.prompt({ ...chat, ...sender, text: 'hello', atMs: 1 })
  leave()
  expect(told).toEqual([expect.stringContaining('before it began your last message.')])
  prompts.subscribe('main', (line) => second.push(line))
  for (const { resolve } of writes) resolve()
  await expect.poll(() => second).toMatchObject([{ type: 'prompt', text: 'hello' }])
  await new Promise((done) => setImmediate(done))
  expect([first, second]).toMatchObject([[], [{ text: 'hello' }]])
})

test('after a crash it is told how many messages were cut short, once', async () => {
  const first = begin()
  first.subscribe('main', () => undefined)
  for (const text of ['one', 'two', 'three']) await first.prompt({ ...chat, ...sender, text, atMs: 1 })
  await expect
    .poll(async () => (await store.prompts()).map(({ state }) => state))
    .toEqual(['given', 'given', 'given'])
  await begin().restore()
  expect(told).toEqual([
    'hookgate was stopped while it worked on your last 3 messages. Send them again if you still want them.',
  ])
  await begin().restore()
  expect(told).toHaveLength(1)
})

const message = (text: string): Message => ({
  ...chat,
  ...sender,
  message_id: text,
  isPrivate: true,
  origin: 'plain',
  sentAtMs: 1,
  text,
})

/** An inbox before which everything stops: nothing that it begins comes to an end. */
const stuck = (
  prompts: ReturnType<typeof begin>,
  isOwner: boolean,
  over: Partial<InboxPorts<CommandLine>> = {},
) =>
  createInbox<CommandLine>({
    parse: (text) =>
      text.startsWith('/')
        ? { kind: 'commands' as const, lines: [{ kind: 'command' as const, raw: text }] }
        : { kind: 'prose' as const, text },
    lookUp: () => ({ need: 'owner', path: 'slow', run: () => new Promise(() => undefined) }),
    press: () => new Promise(() => undefined),
    cardReply: () => undefined,
    isGreeting: () => false,
    pairCode: () => undefined,
    pair: async () => ({ why: 'wrong' }),
    greet: () => undefined,
    privateChat: () => undefined,
    consentOf: ({ sender_id }) => consentOf(sender_id),
    ended: () => undefined,
    admits: () => (isOwner ? { ok: true } : { ok: false, code: 'not_owner' }),
    serves: () => false,
    heard: () => undefined,
    firstSeen: (one) => store.firstSeen(one, Date.now()),
    notify: () => Promise.resolve(),
    begin: prompts.begin,
    prompt: (prompt) => prompts.prompt(prompt),
    record: () => undefined,
    newId: randomUUID,
    now: Date.now,
    log: () => undefined,
    ...over,
  })

test.each<[string, Partial<InboxPorts<CommandLine>>]>([
  [
    'the answer to that was lost',
    {
      firstSeen: async (one) => {
        await store.firstSeen(one, 1)
        throw new Error('lost')
      },
    },
  ],
  ['it could not be kept for the agent', { prompt: () => Promise.reject(new Error('lost')) }],
])('a message that the store has noted is told after a crash, when %s', async (_, over) => {
  expect(await stuck(begin(), true, over).receive(message('hello'))).toBe('unkept')
  await expect.poll(async () => (await store.prompts()).length).toBe(1)
  await begin().restore()
  expect(told).toEqual([expect.stringMatching(/^hookgate was stopped while it worked on your last message/)])
})

test('a command that a crash cut short is told, and one of a stranger is not', async () => {
  await stuck(begin(), true).receive(message('/slow'))
  await stuck(begin(), false).receive(message('/strange'))
  await begin().restore()
  expect(told).toEqual([
    'hookgate was stopped while it worked on your last message. Send it again if you still want it. /hooks shows what a command has changed.',
  ])
})

test("a message that came as far as to its agent's queue is given after a crash, and not told as cut short", async () => {
  await stuck(begin(), true).receive(message('hello'))
  await expect.poll(async () => (await store.prompts()).map(({ text }) => text)).toEqual(['hello'])
  const next = begin()
  await next.restore()
  expect(told.filter((text) => text.includes('in the middle'))).toEqual([])
  const lines: InboxLine[] = []
  next.subscribe('main', (line) => lines.push(line))
  await expect.poll(() => lines).toMatchObject([{ text: 'hello' }])
})

test('a message is on disk when its receiver says so, and what is being handled since the start is not told as cut short', async () => {
  const prompts = begin()
  await stuck(prompts, true).receive(message('/slow'))
  expect(await store.firstSeen(message('/slow'), 1)).toBe(false)
  expect(await store.prompts()).toHaveLength(1)
  await prompts.restore()
  expect(told).toEqual([])
})

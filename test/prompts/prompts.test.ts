import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChats } from '../../src/chats/chats.ts'
import { createPrompts } from '../../src/prompts/prompts.ts'
import { createGivenPrompts } from '../../src/prompts/given-prompts.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'
import type { EventRecord } from '../../src/core/model/events/record.ts'
import type { InboxLine } from '../../src/shared/events/inbox-line.ts'
import type { AgentNode } from '../../src/shared/nodes/agent-node.ts'
import { openStoreHere } from '../store/here.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../core/dispatcher/rig.ts'
import { aMessage } from '../core/gatekeeper/gate-fixture.ts'

let folder: string
let store: Store
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-prompts-'))
  store = await openStoreHere({ path: path.join(folder, 'state.db'), log: () => undefined })
})
afterEach(async () => {
  await store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const gone =
  'The agent stopped while it worked on your last message, and is being restarted. It does not continue with it. Send it again if you still want it.'

const bothGone =
  'The agent stopped while it worked on your last 2 messages, and is being restarted. It does not continue with them. Send them again if you still want them.'

const left = 'The agent stopped before it began your last message. It gets it as soon as it is running again.'
const bothLeft =
  'The agent stopped before it began your last 2 messages. It gets them as soon as it is running again.'

const stopped =
  'hookgate was stopped while it worked on your last message. Send it again if you still want it.'
let count = 0
const begin = (node?: AgentNode, over: Partial<Store> = {}) => {
  const told: string[] = []
  const working: string[] = []
  const owned: string[] = []
  const recorded: EventRecord[] = []
  const logged: string[] = []
  const prompts = createPrompts({
    given: createGivenPrompts(),
    store: { ...store, ...over },
    nodeOf: () => node,
    newId: () => `p${++count}`,
    after: () => undefined,
    now: () => count,
    log: (_, what) => void logged.push(what),
    isOwner: ({ sender_id }) => sender_id === 'owner',
    record: (record) => void recorded.push(record),
    tellOwners: (text) => void owned.push(proseText(text)),
    agentOf: ({ chat_id }) => (chat_id === 'helper' ? 'helper' : 'main'),
    notify: async ({ chat_id }, text) => void told.push(`${chat_id}: ${proseText(text)}`),
    working: ({ chat_id }, isWorking) => void working.push(`${chat_id} ${isWorking}`),
  })
  return {
    ...prompts,
    told,
    owned,
    recorded,
    logged,
    working,
    say: (text: string, chat_id = 'main', atMs = 1) =>
      prompts.prompt({ channel: 'web', chat_id, sender_id: 'owner', sender_name: 'Mia', text, atMs }),
  }
}

const agent = () => {
  const lines: InboxLine[] = []
  return {
    lines,
    send: (line: InboxLine) => void lines.push(line),
    texts: () => lines.map((line) => ('text' in line ? line.text : line.type)),
    ids: () => lines.flatMap((line) => (line.type === 'prompt' ? [line.prompt_id] : [])),
  }
}

const states = async (): Promise<readonly string[]> =>
  (await store.prompts()).map(({ text, state }) => `${text} ${state}`)

test('the agent works on a chat from the message to the end of its turn, and on no other chat', async () => {
  const { say, subscribe, ended, isWorking } = begin()
  const [here, there] = ['main', 'other'].map((chat_id) => ({ channel: 'web', chat_id }) as const)
  if (here === undefined || there === undefined) throw new Error('there are two chats')
  const main = agent()
  expect(isWorking(here)).toBe(false)
  await say('one')
  expect([isWorking(here), isWorking(there)]).toEqual([true, false])
  subscribe('main', main.send)
  await until('the agent to have it', () => main.texts().join() === 'one')
  expect([isWorking(here), isWorking(there)]).toEqual([true, false])
  ended('main', main.ids()[0] ?? '')
  expect(isWorking(here)).toBe(false)
})

test("a message is kept until the agent's turn about it has ended", async () => {
  const { say, subscribe, ended, told, working } = begin()
  const main = agent()
  subscribe('main', main.send)
  await say('one')
  await until('the agent to have it', () => main.texts().join() === 'one')
  expect(await states()).toEqual(['one given'])
  expect(working).toEqual(['main true'])
  ended('main', 'another')
  ended('helper', main.ids()[0] ?? '')
  expect(await states()).toHaveLength(1)
  ended('main', main.ids()[0] ?? '')
  expect(working).toEqual(['main true', 'main false'])
  await until('it to be forgotten', async () => (await states()).length === 0)
  expect(told).toEqual([])
})

test('a message waits for its agent, is told to wait, and comes in order', async () => {
  const { say, subscribe, told } = begin()
  for (const text of ['one', 'two', 'three']) await say(text)
  await say('for the helper', 'helper')
  expect(await states()).toEqual(['one waiting', 'two waiting', 'three waiting', 'for the helper waiting'])
  expect(told).toHaveLength(4)
  expect(told[0]).toBe('main: The agent is starting. It gets your message as soon as it is running.')
  const main = agent()
  subscribe('main', main.send)
  await until('the agent to have all', () => main.texts().length === 3)
  expect(main.texts()).toEqual(['one', 'two', 'three'])
})

test('a word that is said right behind a message reaches the agent behind it, and at once where nothing is on its way', async () => {
  const { say, subscribe, tell } = begin()
  const main = agent()
  subscribe('main', main.send)
  const kept = say('one')
  expect(tell('cancel', { channel: 'web', chat_id: 'main' })).toBe(true)
  await kept
  tell('new', { channel: 'web', chat_id: 'main' })
  await until('the agent to have all', () => main.texts().length === 3)
  expect(main.texts()).toEqual(['one', 'cancel', 'new'])
  tell('cancel', { channel: 'web', chat_id: 'main' })
  expect(main.texts()).toHaveLength(4)
})

test('/new counts for an agent that is away or leaves with it: the next one hears it before the next message, until that has begun', async () => {
  const { say, subscribe, began, tell } = begin()
  const here = { channel: 'web', chat_id: 'main' }
  expect(tell('new', here)).toBe(false)
  expect(tell('cancel', here)).toBe(false)
  await say('one')
  const agents = [agent(), agent(), agent(), agent()] as const
  const follow = async (which: 0 | 1 | 2 | 3, count: number): Promise<() => void> => {
    const leave = subscribe('main', agents[which].send)
    await until('the agent to have it', () => agents[which].texts().length === count)
    return leave
  }
  const leave = await follow(0, 2)
  expect(agents[0].lines).toMatchObject([
    { type: 'new', ...here },
    { type: 'prompt', text: 'one' },
  ])
  leave()
  const next = await follow(1, 2)
  expect(agents[1].texts()).toEqual(['new', 'one'])
  for (const id of agents[1].ids()) began('main', id)
  expect(tell('new', here)).toBe(true)
  next()
  const third = await follow(2, 1)
  expect(agents[2].texts()).toEqual(['new'])
  await say('two')
  await until('the agent to have it', () => agents[2].texts().length === 2)
  for (const id of agents[2].ids()) began('main', id)
  third()
  await say('three')
  await follow(3, 1)
  expect(agents[3].texts()).toEqual(['three'])
})

test('a message is on disk as given before the agent has it, and one that left meanwhile gets nothing', async () => {
  const { say, subscribe } = begin()
  const main = agent()
  const leave = subscribe('main', main.send)
  await say('one')
  expect(main.texts()).toEqual([])
  leave()
  await until('it to wait again', async () => (await states()).join() === 'one waiting')
  expect(main.texts()).toEqual([])
})

test('an agent that goes away in the middle of a turn: the chat is told once, and nothing is given twice', async () => {
  const { say, subscribe, began, told, working } = begin()
  const first = agent()
  const leave = subscribe('main', first.send)
  await say('one')
  await say('two')
  await say('elsewhere', 'other')
  await until('the agent to have all', () => first.texts().length === 3)
  for (const id of first.ids()) began('main', id)
  leave()
  leave()
  expect(told).toEqual([`main: ${bothGone}`, `other: ${gone}`])
  expect(working.slice(-2)).toEqual(['main false', 'other false'])
  const second = agent()
  subscribe('main', second.send)
  expect(second.texts()).toEqual([])
  await until('them to be forgotten', async () => (await states()).length === 0)
  leave()
  await say('three')
  await until('the agent to have it', () => second.texts().join() === 'three')
})

test('what an agent left before it had begun with it is given to the next one, in order, before what came since', async () => {
  const { say, subscribe, began, told, working } = begin()
  const [first, second] = [agent(), agent()]
  const leave = subscribe('main', first.send)
  for (const text of ['one', 'two', 'three']) await say(text)
  await until('the agent to have all', () => first.texts().length === 3)
  began('main', first.ids()[0] ?? '')
  began('main', 'another')
  leave()
  expect(told).toEqual([`main: ${bothLeft}`, `main: ${gone}`])
  expect(working.at(-1)).toBe('main false')
  await until('two of them to wait', async () => (await states()).join() === 'two waiting,three waiting')
  await say('four')
  subscribe('main', second.send)
  await until('the next one to have three', () => second.texts().length === 3)
  expect(second.texts()).toEqual(['two', 'three', 'four'])
  expect(second.ids().slice(0, 2)).toEqual(first.ids().slice(1))
})

test('a message that ends each agent which gets it is given twice, then told as cut short', async () => {
  const { say, subscribe, told } = begin()
  await say('one')
  const agents = [agent(), agent(), agent()]
  for (const { send, texts } of agents.slice(0, 2)) {
    const leave = subscribe('main', send)
    await until('the agent to have it', () => texts().join() === 'one')
    leave()
  }
  expect(told.slice(1)).toEqual([`main: ${left}`, `main: ${gone}`])
  subscribe('main', agents[2]?.send ?? (() => undefined))
  await until('it to be forgotten', async () => (await states()).length === 0)
  expect(agents[2]?.texts()).toEqual([])
})

test('stop and new reach the agent of the chat, or say that none is there', () => {
  const { tell, subscribe } = begin()
  expect(tell('cancel', { channel: 'web', chat_id: 'main' })).toBe(false)
  const main = agent()
  subscribe('main', main.send)
  expect(tell('cancel', { channel: 'web', chat_id: 'main' })).toBe(true)
  expect(tell('new', { channel: 'web', chat_id: 'main' })).toBe(true)
  expect(tell('new', { channel: 'web', chat_id: 'helper' })).toBe(false)
  expect(main.texts()).toEqual(['cancel', 'new'])
})

test('a message that could not be written is not taken, and can be given again; an outage is logged once', async () => {
  let isAway = true
  const { say, subscribe, told, logged, ...prompts } = begin(undefined, {
    putPrompt: (prompt) => (isAway ? Promise.reject(new Error('away')) : store.putPrompt(prompt)),
  })
  const main = agent()
  subscribe('main', main.send)
  for (let time = 0; time < 2; time++) {
    await prompts.begin(aMessage()).kept
    await expect(say('one')).rejects.toThrow('away')
  }
  expect(logged).toEqual(['a message could not be saved on disk'])
  isAway = false
  await say('one')
  await until('the agent to have it', () => main.texts().join() === 'one')
  expect(told).toEqual([])
})

test('a message that is offered again and again has one mark on disk', async () => {
  const { begin: mark } = begin()
  const offered = aMessage({ message_id: 'again' })
  const marks = [mark(offered), mark(offered), mark(aMessage({ message_id: 'another' }))]
  await Promise.all(marks.map(({ kept }) => kept))
  expect(await store.prompts()).toHaveLength(2)
  for (const { end } of marks) end()
  await until('them to be forgotten', async () => (await store.prompts()).length === 0)
})

describe('an agent on a node', () => {
  const removed = `The agent's machine desk is no node of this gate, so no message reaches the agent.
Talk to another agent → /agents
Let the machine in → /nodes add desk`
  const away = "The agent's machine desk is not connected.\n→ /nodes"

  test.each([
    ['connected', 'The agent is starting. It gets your message as soon as it is running.'],
    ['away', `The agent gets your message as soon as it is connected.\n${away}`],
    ['removed', `Your message waits, and no agent gets it now.\n${removed}`],
  ] as const)('that is %s: who writes to it is told when it gets the message', async (state, said) => {
    const { say, told } = begin({ name: 'desk', state })
    await say('one')
    expect(told).toEqual([`main: ${said}`])
  })

  const stoppedIn =
    'The agent stopped while it worked on your last message. It does not continue with it. Send it again if you still want it.'
  test.each([
    ['connected', left.replace('running', 'connected'), stoppedIn],
    ['away', `${left.replace('running', 'connected')}\n${away}`, `${stoppedIn}\n${away}`],
    [
      'removed',
      `The agent stopped before it began your last message. The message waits.\n${removed}`,
      `${stoppedIn}\n${removed}`,
    ],
  ] as const)('that is %s when it leaves is not said to be restarted', async (state, notBegun, cut) => {
    const { say, subscribe, began, told } = begin({ name: 'desk', state })
    const first = agent()
    const leave = subscribe('main', first.send)
    await say('one')
    await say('two')
    await until('the agent to have both', () => first.texts().length === 2)
    began('main', first.ids()[0] ?? '')
    leave()
    expect(told).toEqual([`main: ${notBegun}`, `main: ${cut}`])
  })
})

describe('a restart of the gate', () => {
  test('gives what waited and tells what the agent had', async () => {
    const before = begin()
    const first = agent()
    before.subscribe('main', first.send)
    await before.say('had it')
    await until('it to be given', async () => (await states())[0] === 'had it given')
    await before.say('waits', 'helper', 2)
    const after = begin()
    await after.restore()
    expect(after.told).toEqual([`main: ${stopped}`])
    const helper = agent()
    after.subscribe('helper', helper.send)
    await until('the helper to have it', () => helper.texts().join() === 'waits')
    await until('the given one to be forgotten', async () => (await states()).join() === 'waits given')
  })

  test('says of what waits whose words it is, as before', async () => {
    await begin().prompt({
      channel: 'web',
      chat_id: 'group',
      sender_id: 'bob',
      sender_name: 'Bob',
      text: 'hi',
      inGroup: 'member',
      atMs: 1,
    })
    await begin().say('alone', 'main', 2)
    const after = begin()
    await after.restore()
    const main = agent()
    after.subscribe('main', main.send)
    await until('the agent to have both', () => main.texts().length === 2)
    expect(main.lines.map((line) => ('inGroup' in line ? line.inGroup : undefined))).toEqual([
      'member',
      undefined,
    ])
  })

  test('does not give twice what came in since the start, and gives the older first', async () => {
    await begin().say('older', 'main', 1)
    const after = begin()
    await after.begin(aMessage({ channel: 'web', chat_id: 'main' })).kept
    await after.say('newer', 'main', 2)
    const toldBefore = after.told.length
    await after.restore()
    expect(after.told).toHaveLength(toldBefore)
    const main = agent()
    after.subscribe('main', main.send)
    await until('the agent to have both', () => main.texts().length === 2)
    expect(main.texts()).toEqual(['older', 'newer'])
  })

  test('in the middle of looking at a message tells its chat, and says where a command can be checked', async () => {
    const before = begin()
    const whose = aMessage({ channel: 'web', chat_id: 'main' })
    const done = before.begin(whose)
    await done.kept
    done.end()
    done.end()
    await before.begin({ ...whose, chat_id: 'other' }).kept
    const after = begin()
    await after.restore()
    expect(after.told).toEqual([
      `other: ${stopped.replace('want it.', 'want it. /hooks shows what a command has changed.')}`,
    ])
    await until('it to be forgotten', async () => (await store.prompts()).length === 0)
  })
})

describe('files of a message', () => {
  const file = { name: 'a.jpg', type: 'image/jpeg', size: 3, bytes: () => Promise.resolve(new Uint8Array(3)) }
  const with2 = {
    channel: 'web',
    chat_id: 'main',
    sender_id: 'owner',
    sender_name: 'Mia',
    text: 'look',
    atMs: 1,
    files: [file, { ...file, name: 'b.jpg' }],
  }

  test('the agent is told of them, and has them while it works on it: no other agent, and nobody before or after', async () => {
    const { prompt, subscribe, ended, file: fileOf } = begin()
    await prompt(with2)
    const main = agent()
    expect(fileOf('main', `p${count}.0`)).toBeUndefined()
    subscribe('main', main.send)
    await until('the agent to have it', () => main.texts().join() === 'look')
    const [id = ''] = main.ids()
    expect(main.lines[0]).toMatchObject({
      files: [
        { id: `${id}.0`, name: 'a.jpg', type: 'image/jpeg', size: 3 },
        { id: `${id}.1`, name: 'b.jpg' },
      ],
    })
    expect([
      fileOf('main', `${id}.1`)?.name,
      fileOf('helper', `${id}.1`),
      fileOf('main', `${id}.2`),
      fileOf('main', id),
    ]).toEqual(['b.jpg', undefined, undefined, undefined])
    ended('main', id)
    expect(fileOf('main', `${id}.1`)).toBeUndefined()
    await until('it to be forgotten', async () => (await states()).length === 0)
  })

  test('a message whose files a restart would lose is told as cut short, never given without them', async () => {
    await begin().prompt(with2)
    const later = begin()
    await later.restore()
    const main = agent()
    later.subscribe('main', main.send)
    expect([later.told.at(-1), main.texts()]).toEqual([`main: ${stopped}`, []])
  })
})

describe('chats', () => {
  const make = (recalled?: string, chosen?: string) => {
    const kept: string[] = []
    const choices: string[] = []
    const chats = createChats({
      agents: [
        { id: 'main', chats: [] },
        { id: 'helper', chats: ['telegram:-5', '77', 'telegram:-9/3'] },
        { id: 'third', chats: ['-5/3'] },
      ],
      configured: ['telegram:-9', 'telegram:-12/4'],
      groupOf: ({ chat_id }) => (chat_id.startsWith('-') ? chat_id.split('/', 1)[0] : undefined),
      owners: () => [{ id: 'telegram:7', chat_id: '7' }, { id: 'telegram:8' }],
      recall: () => Promise.resolve(recalled),
      remember: (all) => {
        kept.push(all)
        return Promise.resolve()
      },
      recallChosen: () => Promise.resolve(chosen),
      rememberChosen: (all) => Promise.resolve(void choices.push(all)),
      log: () => undefined,
    })
    return { ...chats, kept, choices }
  }
  const at = (chat_id: string, channel = 'telegram') => ({ channel, chat_id })

  test('an owner chooses another agent for one chat, over a restart; the earlier one may finish there', async () => {
    const { agentOf, choose, isOwnChat, choices } = make()
    expect(choose(at('7'), 'helper')).toEqual({ before: 'main' })
    expect(choose(at('7'), 'helper')).toEqual({ before: 'helper' })
    expect(choose(at('7'), 'nobody')).toBeUndefined()
    expect([agentOf(at('7')), agentOf(at('8'))]).toEqual(['helper', 'main'])
    expect(['main', 'helper', 'third'].map((agent) => isOwnChat(agent, at('7')))).toEqual([true, true, false])
    const later = make(undefined, choices.at(-1))
    await later.restore()
    expect(later.agentOf(at('7'))).toBe('helper')
    expect(later.isOwnChat('main', at('7'))).toBe(false)
  })

  test('a choice of an agent that is gone, and a damaged list of choices, change nothing', async () => {
    for (const chosen of ['[["telegram:7","gone"]]', '{', '[7]', '[[7,7]]']) {
      const { agentOf, restore } = make(undefined, chosen)
      await restore()
      expect(agentOf(at('7'))).toBe('main')
    }
  })

  test('each has one agent: the one that names it, else the first', () => {
    const { agentOf } = make()
    expect([agentOf(at('-5')), agentOf(at('77', 'web')), agentOf(at('1'))]).toEqual([
      'helper',
      'helper',
      'main',
    ])
  })

  test('a topic is served as its group is, unless it is named by itself', () => {
    const { agentOf, isConfigured, isOwnChat, note } = make()
    expect(['-5/2', '-5/3', '-9/3', '-9/2', '-12/4'].map((id) => agentOf(at(id)))).toEqual([
      'helper',
      'third',
      'helper',
      'main',
      'main',
    ])
    expect(['-9/2', '-12/4', '-12', '-12/5', '-1/2'].map((id) => isConfigured(at(id)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    note(at('-20/2'))
    expect([
      isOwnChat('main', at('-20/2')),
      isOwnChat('main', at('-20')),
      isOwnChat('main', at('-20/3')),
      isOwnChat('helper', at('-9/3')),
      isOwnChat('main', at('-9/3')),
    ]).toEqual([true, false, false, true, false])
  })

  test("an agent may speak in owners' chats, configured ones and those that wrote to it, each only in its own", async () => {
    const { isOwnChat, note, ofOwners, isConfigured, kept } = make()
    expect(ofOwners()).toEqual([at('7')])
    expect([isConfigured(at('-9')), isConfigured(at('7'))]).toEqual([true, false])
    expect([isOwnChat('main', at('7')), isOwnChat('main', at('-9')), isOwnChat('main', at('1'))]).toEqual([
      true,
      true,
      false,
    ])
    note(at('1'))
    note(at('1'))
    note(at('-5'))
    expect([
      isOwnChat('main', at('1')),
      isOwnChat('helper', at('1')),
      isOwnChat('helper', at('-5')),
      isOwnChat('main', at('-5')),
    ]).toEqual([true, false, true, false])
    expect(kept).toEqual(['telegram:1', 'telegram:1\ntelegram:-5'])
    const later = make(kept.at(-1))
    await later.restore()
    expect(later.isOwnChat('main', at('1'))).toBe(true)
  })
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCardButtons } from '../../src/commands/cards/card-buttons.ts'
import { createCommands } from '../../src/commands/table.ts'
import { EVENT_NAMES } from '../../src/core/model/events/event.ts'
import { createBridgeService, type BridgeService } from './rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
})
afterEach(() => desk.stop())

/** The words to type for the families that a help names. */
const familiesIn = (help: string): readonly string[] =>
  [...help.matchAll(/^(\w+): /gm)].map(([, name = '']) => name)

test('the help names families on one screen of a phone, and each command with its usage in one of them', async () => {
  const commands = createCommands(desk.ports, createCardButtons(desk.ports))
  const [help, hooksHelp] = [await desk.say('/help'), await desk.say('/hooks help')]
  for (const text of [help, hooksHelp]) {
    expect(text.split('\n').length).toBeLessThanOrEqual(24)
    for (const line of text.split('\n').filter((one) => one.startsWith('  ')))
      expect(line.length).toBeLessThanOrEqual(38)
  }
  const whole = await Promise.all([
    ...familiesIn(help).map((name) => desk.say(`/help ${name}`)),
    ...familiesIn(hooksHelp).map((name) => desk.say(`/hooks help ${name}`)),
  ])
  for (const { path, usage, summary } of commands) {
    const named = whole.filter((text) => text.includes(`${usage}\n  ${summary}`))
    expect(named.length, path).toBeGreaterThan(0)
  }
  expect(help).toContain('A text with // before it goes to the agent.')
  const events = await desk.say('/hooks help events')
  for (const event of EVENT_NAMES) expect(events).toContain(event)
})

test('a help of one command is that command, and of no command it is the families', async () => {
  // The name of a family.
  desk.theirs('more')
  expect(await desk.say('/help undo')).toMatch(/^\/undo \[agent\]\n {2}restore the files/)
  expect(await desk.say('/help /Undo')).toBe(await desk.say('/help undo'))
  expect(await desk.say('/hooks help try')).toMatch(/^\/hooks try <handle>/)
  expect(await desk.say('/help hooks')).toBe(await desk.say('/hooks help'))
  expect(await desk.say('/help nonsense')).toBe(`There is no nonsense here.\n${await desk.say('/help')}`)
  expect(await desk.say('/hooks help nonsense')).toBe('There is no nonsense here.\n→ /hooks help')
})

test('every command has an answer to nothing and to nonsense, and none of it stays English in Chinese', async () => {
  desk.chat.language = 'zh'
  // The name of a family.
  desk.theirs('more')
  for (const { path } of createCommands(desk.ports, createCardButtons(desk.ports)))
    for (const words of ['', ' zzz', ' zzz 9 :)'])
      expect(await desk.say(`/${path}${words}`), path).not.toBe('')
})

test('what changes the gate is privileged, off has no age, and what else needs no owner is named here', () => {
  const needs = Object.fromEntries(
    createCommands(desk.ports, createCardButtons(desk.ports)).map(({ path, need }) => [path, need]),
  )
  expect(needs).toEqual({
    'hooks list': 'viewer',
    'hooks diff': 'owner',
    'hooks on': 'privileged',
    'hooks off': 'off',
    'hooks approve': 'privileged',
    'hooks shadow': 'privileged',
    'hooks promote': 'privileged',
    'hooks gallery': 'owner',
    'hooks protect': 'privileged',
    'hooks revoke': 'privileged',
    'hooks show': 'owner',
    'hooks test': 'owner',
    'hooks doctor': 'owner',
    'hooks why': 'viewer',
    'hooks log': 'viewer',
    'hooks stats': 'viewer',
    'hooks try': 'privileged',
    'hooks held': 'owner',
    'hooks release': 'privileged',
    'hooks withhold': 'privileged',
    asks: 'approver',
    'hooks recover': 'privileged',
    'hooks help': 'person',
    new: 'owner',
    stop: 'owner',
    start: 'owner',
    goal: 'owner',
    agent: 'owner',
    agents: 'owner',
    nodes: 'privileged',
    compact: 'owner',
    edit: 'privileged',
    undo: 'owner',
    whoami: 'person',
    help: 'person',
    'hooks pending': 'owner',
    pair: 'privileged',
    y: 'approver',
    n: 'approver',
    answer: 'approver',
    owners: 'privileged',
    grants: 'privileged',
    budget: 'owner',
    'budget extend': 'privileged',
    lang: 'person',
    passkeys: 'privileged',
    tz: 'person',
    login: 'privileged',
  })
})

test("a messenger's menu has every command that says something alone, with the words of its table", () => {
  const { menu } = desk.table
  const commands = createCommands(desk.ports, createCardButtons(desk.ports))
  const alone = commands.map(({ path }) => path).filter((path) => !path.includes(' '))
  const answers = ['y', 'n', 'edit', 'answer', 'start']
  expect(menu.map(({ command }) => command)).toEqual([
    'hooks',
    ...alone.filter((path) => !answers.includes(path)),
  ])
  for (const { command, description, translated } of menu) {
    const { summary } =
      commands.find(({ path }) => path === (command === 'hooks' ? 'hooks list' : command)) ?? {}
    expect(description.toLowerCase()).toBe(summary?.toLowerCase())
    expect(command).toMatch(/^[a-z0-9_]{1,32}$/)
    for (const text of [description, translated?.zh ?? '']) {
      expect(text.length).toBeGreaterThan(0)
      expect(text.length).toBeLessThanOrEqual(256)
    }
  }
})

test.each([
  ['/hook', '/hook is not a command. Did you mean /hooks?'],
  ['/hooks aprove x', '/hooks aprove is not a command. Did you mean /hooks approve x?'],
  ['/hooks aprove wgpmt', '/hooks aprove is not a command. Did you mean /hooks approve wgpmt?'],
  ['/approve wgpmt', '/approve is not a command. Did you mean /hooks approve wgpmt?'],
  ['/hooks snooze', '/hooks snooze is not a command. Did you mean /hooks off?'],
  ['/snooze 15m', '/snooze is not a command. Did you mean /hooks off 15m?'],
  ['/hooks constructor', '/hooks constructor is not a command.'],
  ['/hooks lst', '/hooks lst is not a command. Did you mean /hooks list?'],
  ['/whoam', '/whoam is not a command. Did you mean /whoami?'],
  ['/frobnicate', '/frobnicate is not a command.'],
  ['/hooks@otherbot', '/hooks@otherbot is not a command.'],
])('%s', async (typed, expected) => {
  expect(await desk.say(typed)).toBe(`${expected} The agent did not get it.\n→ /help`)
})

test('a line among commands that is none was given to nobody, and is told', async () => {
  expect(await desk.say('/whoami\nthanks')).toMatch(
    /\n\nthanks is not a command\. The agent did not get it\. To send it to the agent, send it as its own message\.$/,
  )
})

test('full-width letters are understood, and what was understood is shown', async () => {
  expect(await desk.say('／ｈｏｏｋｓ ｏｎ')).toBe(
    'Understood as /hooks on\nHooks are ON.\nNo hook is approved yet.',
  )
  expect(await desk.say('／hooks off')).toMatch(/^Hooks are OFF\./)
})

test.each(['/hooks status', '/hooks ls', '/hooks STATUS'])('%s answers as /hooks does', async (typed) => {
  expect(await desk.say(typed)).toBe(await desk.say('/hooks'))
})

test.each([
  ['/hooks。', '/hooks'],
  ['/hooks！', '/hooks'],
  ['/hooks，', '/hooks'],
  ['/hooks、', '/hooks'],
  ['/hooks．', '/hooks'],
  ['/hooks.', '/hooks'],
  ['/hooks list。', '/hooks list'],
])('%s is understood without the sign that ends a sentence', async (typed, understood) => {
  expect(await desk.say(typed)).toBe(`Understood as ${understood}\n${await desk.say('/hooks')}`)
})

test('a time with the sign that ends a sentence is understood, and a goal keeps its own', async () => {
  expect(await desk.say('/hooks off 15m。')).toMatch(/^Hooks are OFF until /)
  await desk.say('/goal 写完。')
  expect(desk.told.at(-1)).toBe('goal: 写完。')
})

test.each(['--atack', '--attack', 'attack'])(
  'doctor does not run on an argument that it does not know, and names the attack: %s',
  async (typed) => {
    expect(await desk.say(`/hooks doctor ${typed}`)).toBe(
      `Doctor did not run: it takes nothing after “/hooks doctor”, but got ${typed}.\nAn attack runs at a terminal, on a gate of its own: hookgate attack\nTo check every approved hook → /hooks doctor`,
    )
    expect(desk.doctored).toEqual([])
  },
)

test('/stop says that nothing is running while the agent works on no message of the chat', async () => {
  desk.chat.isWorking = false
  expect(await desk.say('/stop')).toBe('Nothing is running: the agent works on no message of this chat.')
  // The agent may still be compacting the conversation.
  expect(desk.told).toEqual(['cancel 7'])
})

test('/start greets an owner with what is connected and where to begin', async () => {
  const end = 'The switch and every hook → /hooks\nAll that you can type → /help'
  expect(await desk.say('/start')).toBe(
    `This is hookgate. An agent prepares hooks; only you activate them.\nConnected: the agent main and the messengers web, telegram.\n${end}`,
  )
  desk.chat.isWorking = false
  expect(await desk.say('/start')).toContain(
    '\nConnected: the messengers web, telegram. The agent main is not connected yet.\n',
  )
})

test('two commands in one message are carried out one after another', async () => {
  expect(await desk.say('/hooks on\n/hooks off')).toMatch(/^Hooks are ON\.[^]*Hooks are OFF\./)
  expect(desk.gatekeeper.state().isOn).toBe(false)
})

test("the chat's own commands", async () => {
  expect(await desk.say('/whoami')).toBe(
    "You are telegram:7, an owner.\nThis chat is telegram:7, private.\nThe gate's revision is 1.",
  )
  expect(await desk.say('/new')).toBe('This session ends; your next message starts a new one.')
  expect(await desk.say('/new', { chat: '9' })).toBe(
    'The agent is not connected; your next message starts a new session.',
  )
  expect(await desk.say('/stop')).toBe('Stopping.')
  expect(await desk.say('/stop', { chat: '9' })).toBe('The agent is not connected; nothing runs.')
  expect(await desk.say('/goal make it work')).toBe(
    'The agent works on it until it claims that it is done and no hook objects. /stop stops it, /goal off ends the goal.',
  )
  expect(desk.told.at(-1)).toBe('goal: make it work')
  expect([
    await desk.say('/goal'),
    await desk.say('/goal OFF'),
    await desk.say('/goal', { chat: '9' }),
  ]).toEqual([
    'The agent will tell you its goal.',
    'The agent is told to end its goal, and answers.',
    'The agent is not connected.',
  ])
  expect(await desk.say(`/goal ${'x'.repeat(4001)}`)).toBe(
    'A goal has at most 4000 characters. Put the details into a message, then name the goal.',
  )
  expect(await desk.say('/compact')).toBe(
    'The agent compacts the conversation as soon as it is free, and reports the result.',
  )
  expect(await desk.say('/compact', { chat: '9' })).toBe('The agent is not connected.')
  expect(desk.told).toEqual([
    'new 7',
    'new 9',
    'cancel 7',
    'cancel 9',
    'goal: make it work',
    'goal 7',
    'goal_off 7',
    'goal 9',
    'compact 7',
    'compact 9',
  ])
  expect(await desk.say('/hooks doctor')).toBe('running\n\nall well')
})

test("a goal that an owner sets in a group is an owner's words there", async () => {
  await desk.say('/goal make it work', { isPrivate: false })
  expect(desk.told).toEqual(['goal of owner: make it work'])
})

test('each event stands once in the help, under what hooks can do there, and by itself with all that it has', async () => {
  const all = await desk.say('/hooks help events')
  for (const event of EVENT_NAMES) expect(all.split('\n').filter((line) => line === event)).toHaveLength(1)
  const sections = all.split('\n\n')
  const titleOf = (event: string): string | undefined =>
    sections.find((section) => section.split('\n').includes(event))?.split('\n')[0]
  expect(
    [
      'pre_tool_call',
      'on_permission_request',
      'on_stop',
      'transform_tool_result',
      'on_tool_error',
      'on_error',
    ].map(titleOf),
  ).toEqual([
    'Hooks can block or ask:',
    'Hooks can allow or block:',
    'Hooks can block:',
    'Hooks can rewrite:',
    'Hooks can add context:',
    'Hooks only watch:',
  ])
  expect(await desk.say('/hooks help ON_STOP')).toMatch(
    /^on_stop\n {2}when the agent stops to answer\n {2}may: block \([^)]*\), add context\n[^]*\n {2}fields: response, /,
  )
  expect(await desk.say('/hooks help on_stp')).toBe('on_stp is not an event. Did you mean on_stop?')
})

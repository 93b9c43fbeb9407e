import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import type { ScriptedCall } from '../fixtures/model/wire.ts'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { opened, sentMessages, tap } from '../permissions/caller.ts'
import { until } from '../plane.ts'
import { claudeCode, copilot, gemini, kimi, openCode, put, type RealClient } from './clients.ts'
import { startRig, type Rig } from './rig.ts'

const done = { text: 'All is said.' }
const colour = {
  question: 'Which colour shall it be?',
  header: 'Colour',
  options: [
    { label: 'Red', description: 'like fire' },
    { label: 'Blue', description: 'like the sea' },
  ],
}
const parts = {
  question: 'Which parts?',
  header: 'Parts',
  options: [
    { label: 'Door', description: 'at the front' },
    { label: 'Roof', description: 'on the top' },
    { label: 'Wall', description: 'at the sides' },
  ],
}
/** Both questions; the second one takes several answers, by the client's own word for that. */
const both = (word: string) => ({
  questions: [
    { ...colour, [word]: false },
    { ...parts, [word]: true },
  ],
})

/** Claude Code with a program behind it that answers for it, such as an editor: only then it may ask. */
const hosted: RealClient = {
  ...claudeCode,
  command: (stage, prompt) => [...claudeCode.command(stage, prompt), '--permission-prompt-tool', 'stdio'],
}
const askClaude: ScriptedCall = { name: 'AskUserQuestion', input: both('multiSelect') }

/** A rig and what the chat of its owner shows of a run. */
const rigOf = (client: RealClient, ...more: readonly string[]) => {
  let rig: Rig
  let from = 0
  beforeAll(async () => {
    rig = await startRig(client)
    expect((await rig.hookgate('install', client.name, ...more)).code).toBe(0)
  })
  afterAll(() => rig.stop())
  const shown = (): readonly OutgoingMessage[] => sentMessages(rig.plane).slice(from)
  const card = (words: string): Promise<OutgoingMessage> =>
    until(`a card with ${words}`, () => shown().findLast(({ text }) => text.includes(words)), 60_000)
  return {
    run: (call: ScriptedCall) => {
      from = sentMessages(rig.plane).length
      return rig.run({ toolCalls: [call] }, done)
    },
    shown,
    card,
    tap: async (words: string, label: string) => tap(rig.plane, await card(words), label),
    open: async (words: string) => opened(rig.plane, await card(words)),
    reply: async (words: string, answer: string) =>
      rig.plane.say(answer, { reply_to: (await card(words)).outgoing_id }),
  }
}
type Run = Awaited<ReturnType<Rig['run']>>
const toldBy = ({ turns }: Run): string | undefined => turns[1]?.toolResults[0]?.text

/** The owner taps an option, then two, and sends both answers. */
const answerBoth = async ({ tap: press }: ReturnType<typeof rigOf>, name: string): Promise<void> => {
  await press(`${name} asks you (1 of 2)`, '2')
  await press(`${name} asks you (2 of 2)`, '1')
  await press('☑ 1. Door', '3')
  await press('☑ 3. Wall', 'Done')
  await press(`Your answers to ${name}`, 'Send')
}
const inWords = 'The person answered:\nWhich colour shall it be?\n→ Blue\nWhich parts?\n→ Door, Wall'

describe.each([['over HTTP', '--http'], ['by command']])(
  'claude-code %s',
  { timeout: 120_000 },
  (_, ...more) => {
    const chat = rigOf(hosted, ...more)

    test('its question tool gets the answers of the owner, and its model reads them as its result', async () => {
      const running = chat.run(askClaude)
      await answerBoth(chat, 'claude-code')
      const ran = await running
      expect(toldBy(ran), ran.output).toContain(
        'Your questions have been answered: "Which colour shall it be?"="Blue", "Which parts?"="Door, Wall".',
      )
    })

    test('own words reach its model, too, and a question that nobody wants to answer is refused with the reason', async () => {
      const running = chat.run(askClaude)
      await chat.reply('(1 of 2)', 'green, like a meadow')
      await chat.reply('(2 of 2)', 'the garden')
      await chat.tap('Your answers to', 'Send')
      const ran = await running
      expect(toldBy(ran), ran.output).toContain('"green, like a meadow", "Which parts?"="the garden"')

      const refused = chat.run(askClaude)
      await chat.tap('(1 of 2)', 'Do not answer')
      expect(toldBy(await refused)).toContain('The person does not want to answer')
    })
  },
)

describe('claude-code', { timeout: 120_000 }, () => {
  // By command it can be told that nobody is at a terminal, and its call is parked.
  const chat = rigOf(hosted, '--http')

  test('a question that is left to its terminal is asked there, and no card asks for a yes to it', async () => {
    const running = chat.run(askClaude)
    await chat.tap('(1 of 2)', 'At the terminal')
    const ran = await running
    // Nobody reads what it asks on its own way.
    expect(toldBy(ran), ran.output).toContain('Tool permission request failed')
    expect(chat.shown().filter(({ text }) => text.includes(' · denied at '))).toEqual([])
  })
})

describe('claude-code, which a hook asks about', { timeout: 120_000 }, () => {
  const chat = rigOf(claudeCode)
  const call = claudeCode.shell('touch made # ask-me')

  test('"Deny and stop" ends its run, and a plain no lets its model go on', async () => {
    const denied = chat.run(call)
    await chat.tap(' · denied at ', 'Deny')
    expect((await denied).turns).toHaveLength(2)

    const stopped = chat.run(call)
    await chat.open(' · denied at ')
    await chat.tap(' · denied at ', 'Deny and stop')
    const ran = await stopped
    expect(ran.made('made'), ran.output).toBe(false)
    expect(ran.turns, ran.output).toHaveLength(1)
  })

  test('a grant answers the same call of its next session, and no card comes', async () => {
    const running = chat.run(call)
    await chat.open(' · denied at ')
    await chat.tap(' · denied at ', 'Allow always…')
    await chat.tap('Allow without a question from now on?', 'This call: 1 hour')
    const first = await running
    expect(first.made('made'), first.output).toBe(true)

    const next = await chat.run(call)
    expect(next.made('made'), next.output).toBe(true)
    expect(chat.shown().filter(({ text }) => text.includes(' · denied at '))).toEqual([])
  })
})

describe('claude-code without a program behind it', { timeout: 120_000 }, () => {
  const server = resolve(import.meta.dirname, '../fixtures/mcp/form.ts')
  const chat = rigOf({
    ...claudeCode,
    prepare: ({ project }) =>
      put(
        join(project, 'servers.json'),
        JSON.stringify({ mcpServers: { tables: { command: process.execPath, args: [server] } } }),
      ),
    command: (stage, prompt) => [
      ...claudeCode.command(stage, prompt),
      'mcp__tables__book',
      '--mcp-config',
      join(stage.project, 'servers.json'),
    ],
  })

  test('has no question tool, so its model cannot ask', async () => {
    const ran = await chat.run(askClaude)
    expect(toldBy(ran), ran.output).toContain('AskUserQuestion is disabled for this session')
    expect(ran.turns[0]?.toolNames).not.toContain('AskUserQuestion')
  })

  test('the form of a tool server is filled in by the owner, with the types that it wants', async () => {
    const running = chat.run({ name: 'mcp__tables__book', input: {} })
    await chat.tap('(1 of 3)', '2')
    await chat.reply('(2 of 3)', '4')
    await chat.tap('(3 of 3)', 'Skip')
    await chat.tap('Your answers to', 'Send')
    const ran = await running
    expect(toldBy(ran), ran.output).toBe('{"action":"accept","content":{"day":"Tuesday","seats":4}}')
  })

  test('the form that the owner does not answer is declined', async () => {
    const running = chat.run({ name: 'mcp__tables__book', input: {} })
    await chat.tap('(1 of 3)', 'Do not answer')
    expect(toldBy(await running)).toBe('{"action":"decline"}')
  })
})

const served = await freePort()
const ways: readonly (readonly [RealClient, ScriptedCall])[] = [
  [kimi, { name: 'AskUserQuestion', input: both('multi_select') }],
  [
    {
      ...openCode,
      command: (stage, prompt) => [
        process.execPath,
        join(import.meta.dirname, 'opencode-serve.ts'),
        openCode.command(stage, prompt)[0] ?? '',
        String(served),
        prompt,
      ],
    },
    { name: 'question', input: both('multiple') },
  ],
]

describe.each(ways.map(([client, call]) => [client.name, client, call] as const))(
  '%s',
  { timeout: 120_000 },
  (name, client, call) => {
    const chat = rigOf(client)

    test('its question tool does not ask again, and its model reads the answers of the owner', async () => {
      const running = chat.run(call)
      await answerBoth(chat, name)
      const ran = await running
      expect(ran.turns[0]?.toolNames).toContain(call.name)
      expect(toldBy(ran), ran.output).toContain(inWords)
    })
  },
)

describe('copilot', { timeout: 120_000 }, () => {
  const chat = rigOf(copilot)

  test('`copilot -p` does not offer its question tool, and a call of it is answered all the same', async () => {
    const running = chat.run({
      name: 'ask_user',
      input: { question: colour.question, choices: ['Red', 'Blue'], allow_freeform: true },
    })
    await chat.tap('copilot asks you', '2')
    const ran = await running
    expect(ran.turns[0]?.toolNames).not.toContain('ask_user')
    expect(toldBy(ran), ran.output).toContain('The person answered: Blue')
  })
})

describe('gemini', { timeout: 120_000 }, () => {
  const chat = rigOf(gemini)

  test('`gemini -p` has no question tool', async () => {
    const ran = await chat.run({ name: 'ask_user', input: both('multiSelect') })
    expect(ran.turns[0]?.toolNames).not.toContain('ask_user')
    expect(toldBy(ran), ran.output).toContain('Tool "ask_user" not found')
  })
})

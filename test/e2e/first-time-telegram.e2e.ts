import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import {
  asks,
  expectNoOwner,
  hasAgent,
  hasLetter,
  ofBlocks,
  plain,
  redacted,
  refused,
  says,
  under,
  wrote,
} from './first-time.ts'
import { startProgram, until, type Program } from './program.ts'
import { openPhone, token, type Chat } from './rig.ts'

/**
 * One person, a phone and a bare home: what they do and read, from the first start to the end of their first
 * hook.
 */
describe('the first hour, over Telegram', { timeout: 90_000 }, () => {
  let api: BotApi
  let program: Program
  let phone: Chat
  beforeAll(async () => {
    api = await startBotApi({ token })
    program = await startProgram({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: api.root })
    phone = openPhone(api)
  })
  afterAll(async () => {
    await program.remove()
    await api.stop()
  })

  /** A message of hookgate, but for the pinned head and blocks. Those come at times of their own. */
  const isCard = (text: string): boolean =>
    text.startsWith('🛡 ') && !text.startsWith('🛡 hookgate ledger') && !ofBlocks.test(text)
  /** All that hookgate says in the chat as it stands now, without its mark. */
  const shown = (): readonly string[] =>
    phone
      .texts()
      .filter(isCard)
      .map((text) => plain(text.slice('🛡 '.length)))
  const count = (text: string): number => shown().filter((one) => one === text).length
  /**
   * Row by row, under the newest of its words: what the agent says comes when the messenger's limit lets it.
   */
  const labels = (): readonly (readonly string[])[] =>
    (api.sent(7).findLast(({ text = '' }) => isCard(text))?.reply_markup?.inline_keyboard ?? []).map((row) =>
      row.map(({ text }) => text),
    )
  const newest = (): string => shown().at(-1) ?? ''
  /** The newest of its words become these: a new message, or one that takes another's place. */
  const reads = (text: string): Promise<boolean> =>
    until(`hookgate to say it`, () => shown().includes(text), 40_000).catch(() => {
      expect(newest()).toBe(text)
      return false
    })
  /** What the agent answers. */
  const agent = (words: string, answer: string): Promise<string> => {
    const from = phone.texts().length
    api.say(words)
    return until(
      `the agent to answer ${words.slice(0, 40)} with ${answer}`,
      () =>
        phone
          .texts()
          .slice(from)
          .find((text) => text === answer),
      40_000,
    )
  }
  let messages = 0

  test('the console says how to own the gate, and no agent runs before somebody does', () => {
    expectNoOwner(program)
    expect(api.sent()).toEqual([])
  })

  test('the code of the console, sent to the bot: the gate is theirs, and the agent starts', async () => {
    api.say(`/pair ${program.pairing()}`)
    await reads('Paired: you are now an owner of this gate. You can type commands here.\n→ /hooks\n→ /help')
    await reads(says.protect)
    expect(labels()).toEqual(under.protect)
    await until('the agent', () => hasAgent(program))
    expect(program.output()).toContain(
      'telegram:7 owns this gate now. The link and the code above have expired, and the agent starts.\nEnter prints a new link.\n',
    )
    await until(
      'the pinned head',
      () =>
        plain(api.pinned()?.text ?? '') ===
        '🛡 hookgate ledger\nrevision 2 · head HEAD\nIt shows if the gate was put back to an older state. Leave it pinned.',
    )
  })

  test('the list says that hooks are off, and what waits', async () => {
    api.say('/hooks')
    await reads(says.list)
    expect(labels()).toEqual([['Show pending']])
  })

  test('the agent prepares a hook with its own tools, and a card comes, once', async () => {
    await agent(asks.write, wrote(asks.write))
    await agent(asks.propose, 'No output.')
    await reads(says.announced)
    expect(labels()).toEqual(under.waiting)
    expect(count(says.announced)).toBe(1)
  })

  test('what waits does nothing', async () => {
    await agent(asks.make, 'No output.')
    expect(hasLetter(program)).toBe(true)
    await agent(asks.remove, 'No output.')
    expect(hasLetter(program)).toBe(false)
  })

  test('Details brings the whole script in the place of the card', async () => {
    await api.read()
    api.tap('Details')
    await reads(says.whole)
    expect(count(says.announced)).toBe(0)
    expect(labels()).toEqual(under.whole)
  })

  test('a tap approves, and that card becomes the receipt; the next tap turns hooks on, and the receipt stays', async () => {
    messages = shown().length
    await api.read()
    api.tap('Approve and fail closed')
    await reads(says.approved)
    expect(count(says.whole)).toBe(0)
    expect(labels()).toEqual(under.approved)
    await api.read()
    api.tap('Turn hooks on')
    await reads(says.on)
    expect(count(says.approved)).toBe(0)
    expect(labels()).toEqual([])
    expect(shown()).toHaveLength(messages)
  })

  test('the hook blocks, and the agent says why', async () => {
    await agent(asks.make, 'No output.')
    await agent(asks.remove, refused)
    expect(hasLetter(program)).toBe(true)
  })

  test('the agent changes the script: what was approved runs on, and the owner is told once', async () => {
    await agent(asks.weaken, wrote(asks.weaken))
    await reads(says.drifted)
    expect(labels()).toEqual(under.changed)
    await agent(asks.remove, refused)
    expect(hasLetter(program)).toBe(true)
    expect(count(says.drifted)).toBe(1)
  })

  test('/hooks diff shows what changed, with the answers under it', async () => {
    const handle = /^([a-z0-9]{5}) changed since approval/m.exec(
      phone.texts().findLast((text) => text.includes('A changed hook waits')) ?? '',
    )?.[1]
    api.say(`/hooks diff ${handle}`)
    await reads(says.weakerDiff)
    expect(labels()).toEqual(under.diff)
  })

  test('the button of a card that is out of date says so and brings the new card in its place', async () => {
    const old = api.sent(7).findLast(({ text = '' }) => text.includes('Approved → proposed now'))
    await agent(asks.better, wrote(asks.better))
    await until('the next change to be told', () => count(says.driftedAgain) === 1)
    messages = shown().length
    const button = old?.reply_markup?.inline_keyboard.flat().find(({ text }) => text === 'Approve')
    if (old === undefined || button === undefined || !('callback_data' in button))
      throw new Error('There is no button under the difference.')
    await api.read()
    api.press(button.callback_data ?? '', old)
    await reads(says.stale)
    expect(count(says.weakerDiff)).toBe(0)
    expect(shown()).toHaveLength(messages)
    await agent(asks.find, 'No output.')
    expect(hasLetter(program)).toBe(false)
  })

  test('a look at the difference and a tap approve the new bytes, and they run', async () => {
    api.tap('Diff')
    await reads(says.betterDiff)
    expect(labels()).toEqual(under.diff)
    await api.read()
    api.tap('Approve and fail closed')
    await reads(says.approvedAgain)
    await agent(asks.make, 'No output.')
    await agent(asks.find, refused)
    await agent(asks.remove, refused)
    expect(hasLetter(program)).toBe(true)
  })

  test('a tap revokes it, and it fires no more', async () => {
    api.say('/hooks show ./hooks/careful.sh')
    await reads(says.inForce)
    expect(labels()).toEqual(under.inForce)
    await api.read()
    api.tap('Revoke')
    await reads(says.revoked)
    await agent(asks.remove, 'No output.')
    expect(hasLetter(program)).toBe(false)
    expect(await phone.ask('/hooks', /Hooks are/)).toBe(
      '🛡 Hooks are ON. Nothing protects you yet.\n15 wait for you',
    )
  })

  test('a tap on the first card protects', async () => {
    const first = api.sent(7).find(({ text = '' }) => text.includes('One tap protects you'))
    const button = first?.reply_markup?.inline_keyboard[0]?.[0]
    if (first === undefined || button === undefined || !('callback_data' in button))
      throw new Error('There is no button under the first card.')
    api.press(button.callback_data ?? '', first)
    await reads(says.protected)
    expect(count(says.protect)).toBe(0)
    await agent(asks.leak, redacted)
  })

  test('through all of it each thing was told once', () => {
    expect(count(says.drifted)).toBe(1)
    expect(count(says.driftedAgain)).toBe(1)
    expect(shown().filter((text) => text.includes('hook waits for you'))).toHaveLength(2)
    expect(api.answered()).toHaveLength(8)
  })
})

import { expect, test } from 'vitest'
import { createPrompts } from '../../src/prompts/prompts.ts'
import { createGivenPrompts } from '../../src/prompts/given-prompts.ts'
import { budgets } from '../../src/shared/base/budgets.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'
import type { EventRecord, Prompt } from '../../src/core/model/events/record.ts'
import type { InboxLine } from '../../src/shared/events/inbox-line.ts'

const { perSender, perChat, inAll, perOwner } = budgets.prompts

/** An agent that has begun with nothing yet, and people who write to it. */
const start = (before: readonly Prompt[] = []) => {
  const told: string[] = []
  const owners: string[] = []
  const recorded: EventRecord[] = []
  const got: Extract<InboxLine, { type: 'prompt' }>[] = []
  let count = 0
  const nothing = async (): Promise<void> => undefined
  const prompts = createPrompts({
    given: createGivenPrompts(),
    store: {
      putPrompt: nothing,
      setPromptGiven: nothing,
      removePrompt: nothing,
      prompts: async () => before,
    },
    agentOf: () => 'main',
    nodeOf: () => undefined,
    newId: () => `p${++count}`,
    after: () => undefined,
    now: () => 1,
    log: () => undefined,
    working: () => undefined,
    isOwner: ({ sender_id }) => sender_id.startsWith('owner'),
    notify: async ({ chat_id }, text) => void told.push(`${chat_id}: ${proseText(text)}`),
    tellOwners: (text) => void owners.push(proseText(text)),
    record: (record) => void recorded.push(record),
  })
  prompts.subscribe('main', (line) => void (line.type === 'prompt' && got.push(line)))
  const say = async (times: number, sender_id: string, chat_id = 'group', text = 'x'): Promise<number> => {
    const before = got.length
    const message = {
      channel: 'telegram',
      chat_id,
      sender_id,
      sender_name: `(${sender_id})\n🛡`,
      text,
      atMs: 1,
    }
    for (let time = 0; time < times; time++) await prompts.prompt(message)
    await new Promise(setImmediate)
    return got.length - before
  }
  return { ...prompts, told, owners, recorded, got, say }
}

test('one member has few messages with an agent at once, and who reads is told once', async () => {
  const { say, told, owners, recorded } = start()
  expect(await say(8000, 'flooder')).toBe(perSender.count)
  expect(told).toEqual([expect.stringContaining('group: Too many messages are waiting for the agent.')])
  expect(owners).toEqual([
    expect.stringContaining('flooder (telegram:flooder) sends messages to telegram:group faster'),
  ])
  expect(recorded.length).toBeLessThan(20)
  expect(recorded.at(-1)).toMatchObject({
    kind: 'refusal',
    subject: 'message',
    reason: expect.stringContaining('too_many'),
  })
})

test('the bytes of a member, a chat and all together are bounded, too', async () => {
  const { say } = start()
  const text = 'ä'.repeat(20_000)
  expect(await say(25, 'one', 'group', text)).toBe(Math.floor(perSender.bytes / 40_000))
  await say(25, 'two', 'group', text)
  expect(await say(25, 'three', 'group', text)).toBeLessThan(2)
  let all = 0
  for (let chat = 0; chat < 60; chat++) all += await say(25, `s${chat}`, `c${chat}`, text)
  expect(all * 40_000).toBeLessThanOrEqual(inAll.bytes)
})

test('many members of one chat, and many chats, have a bound together', async () => {
  const { say, owners } = start()
  let inOne = 0
  for (let at = 0; at < 10; at++) inOne += await say(10, `m${at}`)
  expect(inOne).toBe(perChat.count)
  let all = inOne
  for (let at = 0; at < 60; at++) all += await say(20, `n${at}`, `chat-${at}`)
  expect(all).toBe(inAll.count)
  expect(owners).toHaveLength(1)
})

test('an owner has room of their own, however full it is, and hears of what was not kept', async () => {
  const { say, told } = start()
  for (let at = 0; at < 60; at++) await say(20, `n${at}`, `chat-${at}`)
  told.length = 0
  expect(await say(perOwner.count + 1000, 'owner')).toBe(perOwner.count)
  expect(told).toHaveLength(10)
  expect(await say(1, 'owner2')).toBe(1)
})

test('what the agent has done with makes room, and a flood that comes later is told again', async () => {
  const { say, got, ended, told } = start()
  await say(30, 'flooder')
  for (const { prompt_id } of got) ended('main', prompt_id)
  expect(await say(30, 'flooder')).toBe(perSender.count)
  expect(told).toHaveLength(2)
})

test('what waited when the gate last stopped takes its room', async () => {
  const old = {
    agent_id: 'main',
    channel: 'telegram',
    chat_id: 'group',
    sender_name: 's',
    text: 'x',
    atMs: 1,
  }
  const before = Array.from({ length: perSender.count }, (_, at): Prompt => ({
    ...old,
    prompt_id: `old${at}`,
    sender_id: 'flooder',
    state: 'waiting',
  }))
  const { restore, say, got, told } = start(before)
  await restore()
  await say(1, 'flooder')
  expect([got.length, told.length]).toEqual([perSender.count, 1])
})

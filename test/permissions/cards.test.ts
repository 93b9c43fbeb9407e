import { expect, test } from 'vitest'
import type { Address } from '../../src/core/model/chat/push.ts'
import { begin, eight, no, once, page, seven } from './begin.ts'

type Began = ReturnType<typeof begin>
const key = ({ permissions }: Began): string => permissions.waiting()[0]?.key ?? ''
/** What a chat got, the first thing first. */
const inChat = ({ told }: Began, chat: Address) =>
  told.filter(({ address }) => address.chat_id === chat.chat_id)

test('a card is pinned in each chat while it waits, and no more when it is over', async () => {
  const began = begin({ chats: [seven, eight], edits: true })
  const verdict = began.fire()
  await began.settled()
  expect(began.told.map(({ isPinned }) => isPinned)).toEqual([true, true])
  began.answer(no)
  await verdict
  expect(began.told.slice(2).map(({ text, isPinned }) => [text, isPinned])).toEqual([
    ['over deny', false],
    ['over deny', false],
  ])
})

test('of the cards of one question in a chat one is pinned, also after a restart, and all are taken down', async () => {
  const before = begin({ chats: [seven], edits: true })
  void before.fire()
  await before.settled()
  before.permissions.showAgain(key(before), seven)
  expect(inChat(before, seven).map(({ isPinned }) => isPinned)).toEqual([true, undefined])
  const after = begin({ chats: [seven], stored: before.stored, edits: true })
  await after.permissions.restore()
  expect(after.told.map(({ isPinned }) => isPinned)).toEqual([true, undefined])
  after.pass(60_000)
  expect(after.told.slice(2).map(({ text, isPinned }) => [text, isPinned])).toEqual([
    ['over gone', false],
    ['over gone', false],
  ])
})

test('a card that opens in its place stays one card: pinned as before, and said once how it ended', async () => {
  const began = begin({ chats: [seven, eight], edits: true })
  const verdict = began.fire()
  await began.settled()
  const card = JSON.parse([...began.stored.values()][0]?.state ?? '') as {
    readonly cards: readonly { readonly messageId: string }[]
  }
  const [id = ''] = card.cards.map(({ messageId }) => messageId)
  for (const opens of ['more', 'always'] as const)
    began.permissions.showAgain(key(began), seven, { opens }, id)
  expect(inChat(began, seven).slice(1)).toMatchObject([
    { text: 'card bash more', replaces: id, isPinned: true },
    { text: 'card bash always', replaces: id, isPinned: true },
  ])
  const from = began.told.length
  began.answer(once, { owner: 'telegram:8', address: eight })
  await verdict
  expect(began.told.slice(from).map(({ address }) => address.chat_id)).toEqual(['8', '7'])
  expect(began.told.at(-1)).toMatchObject({ text: 'over once', replaces: id, isPinned: false })
})

test('a card that opens while its question ends says how it ended', async () => {
  const began = begin({ chats: [seven], isSlow: true, edits: true })
  const verdict = began.fire()
  await began.settled()
  for (const arrive of began.arrivals.splice(0)) arrive()
  const id = JSON.parse([...began.stored.values()][0]?.state ?? '') as {
    readonly cards: readonly { readonly messageId: string }[]
  }
  began.permissions.showAgain(key(began), seven, { opens: 'more' }, id.cards[0]?.messageId)
  began.pass(60_000)
  await verdict
  for (const arrive of began.arrivals.splice(0)) arrive()
  expect(began.told.at(-1)).toMatchObject({ text: 'over expired', replaces: id.cards[0]?.messageId })
})

test('a card counts as shown in a chat from when it was delivered there until its question is over', async () => {
  const began = begin({ chats: [seven], isSlow: true })
  const verdict = began.fire()
  await began.settled()
  const asked = key(began)
  const isShown = (address: Address): boolean => began.permissions.isShownIn(asked, address)
  expect(isShown(seven)).toBe(false)
  for (const arrive of began.arrivals) arrive()
  expect([isShown(seven), isShown(eight), isShown(page)]).toEqual([true, false, false])
  began.answer(no)
  await verdict
  expect(isShown(seven)).toBe(false)
})

test('a no that stops ends the turn of whoever asked, and the record says who stopped it', async () => {
  const { fire, settled, answer, records, told } = begin({ chats: [seven] })
  const verdict = fire()
  await settled()
  answer({ kind: 'deny', words: '', isStop: true })
  expect(await verdict).toMatchObject({
    verdict: 'block',
    reason: 'The person said no and stopped this turn.',
    stopsTurn: true,
  })
  expect(records.at(-1)).toMatchObject({
    kind: 'gate',
    outcome: 'denied',
    reason: 'bash by telegram:7, who stopped the agent',
  })
  const next = fire()
  await settled()
  answer(no)
  expect((await next).stopsTurn).toBeUndefined()
  expect(told.at(-1)?.text).toBe('over deny')
})

test('a no that stops counts for the questions of an agent, and after a restart, too', async () => {
  const form = {
    fields: { tool_name: 'ask_user', tool_input: { questions: [{ question: 'Which?' }] } },
    takesAnswers: true,
  } as const
  const before = begin({ chats: [seven] })
  before.hooks.pre_tool_call = () => ({})
  void before.fire(form)
  await before.settled()
  const after = begin({ chats: [seven], stored: before.stored })
  after.hooks.pre_tool_call = () => ({})
  await after.permissions.restore()
  after.answer({ kind: 'deny', words: '', isStop: true })
  expect(await after.fire(form)).toMatchObject({ verdict: 'block', stopsTurn: true })
})

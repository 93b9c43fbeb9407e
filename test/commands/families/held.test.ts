import { afterAll, beforeAll, expect, test } from 'vitest'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane
beforeAll(async () => {
  // It would object to its own name and reason, too.
  const ask = `#!/bin/sh\nprintf '%s' '{"decision": "ask", "reason": "it names a customer"}'\n`
  plane = await startPlane(
    'hooks:\n  - {event: on_outbound_message, matcher: customer, command: ./ask.sh, name: Ask if a customer is named}\n',
    { 'ask.sh': ask },
  )
  await plane.ask('/hooks approve on_outbound_message ./ask.sh', (text) => text.includes('✓ Approved'))
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
})
afterAll(() => plane.stop())

let count = 0
const mine = (): readonly OutgoingMessage[] =>
  plane.memory.sent().filter(({ chat_id }) => chat_id === 'owner')
const push = async (text: string) =>
  plane.gate.dispatcher.push({
    channel: 'memory',
    chat_id: 'owner',
    push_id: `p${++count}`,
    agent_id: 'main',
    session_id: 's',
    cwd: plane.workspace,
    ...plain('text', text),
  })
const hold = async (text: string): Promise<OutgoingMessage> => {
  const from = mine().length
  expect(await push(text)).toMatchObject({ outcome: 'held' })
  return until('the card', () =>
    mine()
      .slice(from)
      .find((outgoing) => outgoing.text.includes('waits for your decision')),
  )
}
const tap = async (card: OutgoingMessage, label: string, who = 'owner'): Promise<void> => {
  const press = card.buttons?.flat().find((button) => button.label === label)?.press ?? ''
  plane.memory.press(press, card.outgoing_id, { chat_id: 'owner', sender_id: who })
}

test('a held message comes as a card that says who, what kind, how long and why, but not what', async () => {
  const card = await hold('hello customer 4711')
  expect(card.text.replace(/[a-z0-9]{5} Held/, '….. Held')).toBe(
    [
      '🛡 ….. Held: a message from main to memory, just now. It waits for your decision.',
      'Ask if a customer is named: it names a customer',
      'text · 19 characters',
      'Its text is not shown before you ask for it.',
      'Later messages to that chat wait behind it for up to a minute. Without an answer it ends within a day.',
    ].join('\n'),
  )
  expect(card.buttons?.map((row) => row.map(({ label }) => label))).toEqual([
    ['Release', 'Withhold'],
    ['Show the text'],
  ])
  await tap(card, 'Release')
  await until('it', () => mine().some(({ text }) => text === 'hello customer 4711'))
  await until('the receipt in its place', () =>
    mine().some(
      ({ text, replaces }) =>
        replaces === card.outgoing_id &&
        text.startsWith('🛡 Released: a message from main to memory (text · 19 characters).'),
    ),
  )
})

test('one tap shows its text to an owner in private, behind a spoiler, though the hook still asks about it', async () => {
  const card = await hold('customer C, see /new and ./x/y')
  await tap(card, 'Show the text')
  const shown = await until('the text', () => mine().find(({ text }) => text.includes('customer C')))
  expect(shown.text).toContain('\nIt says:\ncustomer C, see /\u2060new and ./\u2060x/\u2060y\n')
  const [spoiler, ...more] = shown.marks
  expect(more).toEqual([])
  expect(spoiler?.type).toBe('spoiler')
  const at = spoiler?.offset ?? 0
  expect(shown.text.slice(at, at + (spoiler?.length ?? 0))).toBe(
    'customer C, see /\u2060new and ./\u2060x/\u2060y',
  )
  expect(shown.code.filter(({ offset }) => offset >= at && offset < at + (spoiler?.length ?? 0))).toEqual([])
  expect(shown.buttons?.map((row) => row.map(({ label }) => label))).toEqual([['Release', 'Withhold']])
  const handle = /🛡 ([a-z0-9]{5}) /.exec(shown.text)?.[1] ?? ''
  plane.say(`/hooks held ${handle}`, { chat_id: 'group', isPrivate: false })
  const inGroup = await until('the answer in the group', () =>
    plane.memory.sent().find(({ chat_id }) => chat_id === 'group'),
  )
  expect(inGroup.text).toContain('I answered you in private.')
  await tap(shown, 'Withhold')
  await until('the end', () => plane.gate.dispatcher.held().length === 0)
})

test('the hook judges neither its own words nor its own card, and what others write', async () => {
  const card = await plane.ask('/hooks show ./ask.sh', (text) => !text.startsWith('🛡 Withheld'))
  expect(card).toContain('customer')
  expect(card).not.toMatch(/withheld by|hid part/)
  plane.say('/hooks show customer-4711')
  await until('what others write is judged', () =>
    mine().find(({ text }) => text.includes('[withheld by Ask if a customer is named]')),
  )
})

test('a long held message is shown in part, and its length is told', async () => {
  const card = await hold(`customer ${'x'.repeat(6000)}`)
  await tap(card, 'Show the text')
  const shown = await until('the text', () => mine().find(({ text }) => text.includes('customer xxx')))
  expect(shown.text).toContain('\n… and 3509 more characters. The web page shows all of it.\n')
  await tap(shown, 'Withhold')
  await until('the end', () => plane.gate.dispatcher.held().length === 0)
})

test('by typing too: the list has a handle for each, which one owner may use once', async () => {
  await hold('customer A')
  const listed = await plane.ask('/hooks held', (text) => text.includes('waits for your decision'))
  const handle = /🛡 ([a-z0-9]{5}) /.exec(listed)?.[1] ?? ''
  expect(await plane.ask(`/hooks withhold ${handle}`, (text) => text.includes('ithheld'))).toBe(
    '🛡 Withheld: a message from main to memory (text · 10 characters).',
  )
  expect(
    await plane.ask(`/hooks release ${handle}`, (text) => text.includes('Nothing was changed')),
  ).toContain('the message no longer waits')
  expect(await plane.ask('/hooks held', (text) => text.includes('No message'))).toBe(
    '🛡 No message waits for your decision.\n→ /hooks log',
  )
  expect(mine().some(({ text }) => text === 'customer A')).toBe(false)
})

test("nobody else releases it: a stranger's tap, a stranger's words and a forwarded command change nothing", async () => {
  const card = await hold('customer B')
  const handle = /🛡 ([a-z0-9]{5}) /.exec(card.text)?.[1] ?? ''
  await tap(card, 'Release', 'mallory')
  plane.say(`/hooks release ${handle}`, { sender_id: 'mallory' })
  plane.say(`/hooks release ${handle}`, { origin: 'forwarded' })
  plane.say(`/hooks release ${handle}`, { isPrivate: false })
  await plane.ask('/whoami', (text) => text.includes('owner'))
  expect(plane.gate.dispatcher.held()).toHaveLength(1)
  await tap(card, 'Withhold')
  await until('the end', () => plane.gate.dispatcher.held().length === 0)
})

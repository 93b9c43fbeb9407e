import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Message } from '../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { call, labels, nextCard, opened, sentMessages, send, tap } from './caller.ts'

const askMs = 120_000
let plane: Plane
let from = 0

beforeAll(async () => {
  const home = join(await mkdtemp(join(tmpdir(), 'hookgate-ask-')), 'home')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'gate.yaml'), 'agents: {main: {kind: demo, ask: [bash]}}\n')
  plane = {
    ...(await startPlane(
      'hooks:\n  - {event: on_stop, command: ./waits.sh}\n',
      { 'waits.sh': '#!/bin/sh\n' },
      { HOOKGATE_HOME: home },
    )),
    home,
  }
})
afterAll(async () => {
  await plane.stop()
  await rm(dirname(plane.home), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})
beforeEach(() => {
  from = sentMessages(plane).length
})

const ask = async (command: string) => {
  const verdict = send(plane, 'pre_tool_call', call('bash', { command }), { askMs })
  return { verdict, card: await nextCard(plane, from, command) }
}
const reply = (to: OutgoingMessage, text: string, more: Partial<Message> = {}): void =>
  plane.say(text, { reply_to: to.outgoing_id, ...more })
const said = (part: string, since = from): Promise<string> =>
  until(`${part} in ${JSON.stringify(plane.texts().slice(since))}`, () =>
    plane
      .texts()
      .slice(since)
      .find((text) => text.includes(part)),
  )

describe('a reply to the card of a tool call', () => {
  test.each(['yes', 'Y', 'OK.', '是', '好。', '允许'])('%s allows it once', async (word) => {
    const { verdict, card } = await ask(`allow ${word}`)
    reply(card, word)
    expect((await verdict).body.verdict).toBe('allow')
    await said('Allowed once by you.\n│ command: ')
  })

  test.each([
    ['no', 'The person said no.'],
    ['拒绝', 'The person said no.'],
    ['不', 'The person said no.'],
    ['No, use the tests.', 'The person said no: use the tests.'],
    ['use the tests\nand then ask me', 'The person said no: use the tests\nand then ask me'],
    ['yes, but not on a Friday', 'The person said no: yes, but not on a Friday'],
    ['no need to ask', 'The person said no: no need to ask'],
  ])('%s denies it, with the words for the agent', async (words, reason) => {
    const { verdict, card } = await ask(`deny ${words.length}`)
    reply(card, words)
    expect((await verdict).body).toMatchObject({ verdict: 'block', reason })
  })

  test('“Deny with a reason” opens a reply, and every word of it is the reason', async () => {
    for (const words of ['yes', 'use staging']) {
      from = sentMessages(plane).length
      const { verdict, card } = await ask(`with a reason ${words}`)
      tap(plane, await opened(plane, card), 'Deny with a reason')
      const prompt = await until('the prompt', () =>
        sentMessages(plane)
          .slice(from)
          .find(({ asksReply }) => asksReply),
      )
      reply(prompt, words)
      expect((await verdict).body).toMatchObject({ verdict: 'block', reason: `The person said no: ${words}` })
      reply(prompt, 'too late')
      await said('Nothing was changed: it was already answered. Denied, with your reason.')
    }
  })

  test('typed, the same asks for a typed reason, since nothing can be replied to there', async () => {
    const { verdict, card } = await ask('typed reason')
    const handle = /🛡 (\w{5})/.exec(card.text)?.[1] ?? ''
    plane.say(`/n ${handle} …`)
    await said(`Type this with your own reason. The agent gets it:\n→ /n ${handle} because…`)
    plane.say(`/n ${handle}`)
    await verdict
  })

  test('a typed command in a reply is that command', async () => {
    const { verdict, card } = await ask('typed')
    const handle = /🛡 (\w{5})/.exec(card.text)?.[1] ?? ''
    reply(card, `/y ${handle} session`)
    expect((await verdict).body.verdict).toBe('allow')
  })

  test('a reply to a card that is over changes nothing, says so, and does not go to the agent', async () => {
    const { verdict, card } = await ask('over soon')
    reply(card, 'no')
    await verdict
    from = sentMessages(plane).length
    reply(card, 'say leaked words')
    const text = await said('Nothing was changed: it was already answered. Denied by you.')
    expect(text).toContain('The agent did not get your message.')
    await plane.ask('say the end', (answer) => answer === 'the end')
    expect(plane.texts().slice(from).join()).not.toContain('leaked')
  })

  test('it counts only in the form in which a typed answer counts', async () => {
    const { verdict, card } = await ask('well formed')
    for (const origin of ['edited', 'forwarded', 'quoted', 'captioned', 'via_bot', 'voice'] as const)
      reply(card, 'yes', { origin })
    reply(card, 'yes', { sentAtMs: Date.now() - 6 * 60_000 })
    reply(card, 'yes', { sender_id: 'stranger' })
    reply(card, 'yes', { isPrivate: false })
    await said('Your reply had no effect: That message is 6 minutes old')
    expect(
      plane
        .texts()
        .slice(from)
        .filter((text) => text.includes('Your reply had no effect')),
    ).toHaveLength(7)
    from = sentMessages(plane).length
    reply(card, 'no')
    expect((await verdict).body.verdict).toBe('block')
  })

  test('of two replies at once the first counts, and the second is told how it ended', async () => {
    const { verdict, card } = await ask('twice')
    reply(card, 'no')
    reply(card, 'yes')
    expect((await verdict).body.verdict).toBe('block')
    await said('Nothing was changed: it was already answered. Denied by you.')
  })
})

describe('yes or no without a reply', () => {
  test('while one call waits, shows its card again with its buttons, and does not go to the agent', async () => {
    const { verdict } = await ask('needs a word')
    const since = sentMessages(plane).length
    plane.say('Yes')
    const hint = await nextCard(plane, since, 'needs a word')
    expect(hint.text).toContain(
      '“Yes” was not sent to the agent. Tap a button, or reply to this message. To say it to the agent, write it in a sentence.',
    )
    expect(labels(hint)[0]).toEqual(['Allow once', 'Deny'])
    reply(hint, '好')
    expect((await verdict).body.verdict).toBe('allow')
    const edited = await until('both cards to be over', () => {
      const over = sentMessages(plane)
        .slice(from)
        .filter(({ replaces }) => replaces !== undefined)
      return over.length === 2 && over
    })
    expect(edited[0]?.text).toContain('Allowed once by you.')
  })

  test('while several wait, names the way to them; a sentence and a double slash go to the agent', async () => {
    const first = await ask('the first of two')
    const second = await ask('the second of two')
    plane.say('no')
    await said(
      '“no” was not sent to the agent, because 2 tool calls wait for your decision. Reply to the card that you mean. To say it to the agent, write it in a sentence.\n→ /asks',
    )
    await plane.ask('say yes and no', (answer) => answer === 'yes and no')
    reply(first.card, 'no')
    reply(second.card, 'no')
    await Promise.all([first.verdict, second.verdict])
  })

  test('while none waits, it is for the agent', async () => {
    expect(await plane.ask('yes', (answer) => !answer.startsWith('🛡'))).not.toContain('🛡')
  })
})

test('a reply to the card of a hook is a typed yes or no; other words change nothing', async () => {
  const cardOf = async (line: string): Promise<OutgoingMessage> => {
    await plane.ask(line, (text) => text.includes('waits.sh'))
    const card = sentMessages(plane).findLast(
      ({ buttons, text }) => buttons !== undefined && text.includes('waits.sh'),
    )
    if (card === undefined) throw new Error('There is no card.')
    return card
  }
  reply(await cardOf('/hooks pending'), 'yes')
  await said('you have not seen all of it yet.')
  const card = await cardOf('/hooks show ./waits.sh')
  reply(card, 'looks fine')
  await said('Nothing was changed: reply yes or no to this card, or tap a button of it.')
  expect(plane.gate.rows()[0]?.status).toBe('waiting')
  reply(card, 'yes')
  await said('✓ Approved: on_stop')
})

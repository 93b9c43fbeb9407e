import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BotApi } from '../fixtures/bot-api/server.ts'
import { send } from '../permissions/caller.ts'
import { cards, isCard, openMore, standsAt, startAsking, storedCards } from './ask-rig.ts'
import { until, type Program } from './program.ts'
import { tapUntil, type Chat } from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat
beforeAll(async () => {
  ;({ api, program, phone } = await startAsking())
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

describe('a hook asks, and the owners answer from their phones', () => {
  test('the card says why, what, who and until when, and is pinned; allowed, it runs, and both cards say who said so', async () => {
    const from = phone.texts().length
    api.say('!touch one.txt && ls')
    const { mine, theirs } = await cards(api)
    expect(mine.text?.replace(/^🛡 \w{5}/, '🛡 k7f2q').replace(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d/, '12:34')).toBe(
      [
        '🛡 k7f2q ./asks.sh: it touches a file',
        '│ command: touch one.txt && ls',
        'main · bash · denied at 12:34 UTC',
      ].join('\n'),
    )
    expect(mine.reply_markup?.inline_keyboard.map((row) => row.map(({ text }) => text))).toEqual([
      ['Allow once', 'Deny'],
      ['More…'],
    ])
    await until('both cards to be pinned', () =>
      [mine, theirs].every(({ chat, message_id }) => api.pinned(chat.id)?.message_id === message_id),
    )
    await tapUntil(
      api,
      () => api.tap('Allow once'),
      'both cards to be edited',
      () => !isCard(standsAt(api, mine)) && !isCard(standsAt(api, theirs)),
    )
    await phone.reply(/^one\.txt|\none\.txt/, from)
    expect(standsAt(api, mine)).toMatch(
      /^🛡 Allowed once by you\.\n│ command: touch one\.txt && ls\nmain · bash\n→ \/hooks why \w+$/,
    )
    await until('no card to be pinned', () =>
      [mine, theirs].every(({ chat, message_id }) => api.pinned(chat.id)?.message_id !== message_id),
    )
    expect(standsAt(api, theirs)).toContain('🛡 Allowed once by telegram:7.')
    expect(await readFile(join(program.workspace, 'one.txt'), 'utf8')).toBe('')
  })

  test('denied with words from the other phone: the agent says them, and nothing ran', async () => {
    const [from, fromTheirs] = [phone.texts().length, api.texts(8).length]
    api.say('!touch two.txt')
    const { mine } = await cards(api)
    await openMore(api, 8)
    api.tap('Deny with a reason', 8)
    const way = await until('the way', () =>
      api
        .texts(8)
        .slice(fromTheirs)
        .flatMap((text) => /→ (\/n \w{5}) because…/.exec(text)?.[1] ?? [])
        .at(-1),
    )
    api.say(`${way} use three.txt`, 8)
    await phone.reply(/^I did not run bash: The person said no: use three\.txt/, from)
    await expect(readFile(join(program.workspace, 'two.txt'))).rejects.toThrow(/ENOENT/)
    await until('the card to say so', () => standsAt(api, mine).includes('Denied by telegram:8.'))
  })

  test('the gate is killed while a question waits: the old button counts after the start, when the caller asks again', async () => {
    const question = { tool_name: 'bash', tool_input: { command: 'touch seven.txt' } }
    const ask = () =>
      send({ home: program.gate }, 'pre_tool_call', question, { askMs: 300_000 }).then(
        ({ body }) => body.verdict,
        () => 'closed',
      )
    const asked = ask()
    const { mine, theirs } = await cards(api)
    await storedCards(program)
    const button = mine.reply_markup?.inline_keyboard[0]?.[0]
    if (button === undefined || !('callback_data' in button)) throw new Error('There is no button.')
    await program.kill()
    expect(await asked).toBe('closed')
    program = await program.again()
    // The card changes, so a tap counts a second later.
    await until('the card to say that hookgate was started again', () =>
      standsAt(api, mine).includes('started again'),
    )
    await tapUntil(
      api,
      () => api.press(button.callback_data, mine),
      'the answer in the place of the card',
      () => standsAt(api, mine).startsWith('🛡 Allowed once by you.'),
    )
    expect(standsAt(api, mine)).toContain('The answer counts when main asks again.')
    await until('the other card to say so', () =>
      standsAt(api, theirs).includes('Allowed once by telegram:7.'),
    )
    expect(await ask()).toBe('allow')
  })
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { answerOf, call as bridgeCall, refusal, runBridge } from '../bridge/run-bridge.ts'
import type { StandingCard } from '../../src/permissions/questions/question-store.ts'
import { send } from '../permissions/caller.ts'
import { startProgram, until, type Program } from './program.ts'
import { arm, openPhone, ownedEnv, put, type Chat } from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat

const home = (): { readonly home: string } => ({ home: program.gate })
/** The newest message of a chat as it stands now. */
const last = (chatId: number): string => api.texts(chatId).at(-1) ?? ''
const isCard = (text: string): boolean => /^🛡 [a-z0-9]{5} May main use bash\?\n/.test(text)
/** After a kill the gate shows a card anew when it had not stored the card's message yet. */
const storedCards = (): Promise<unknown> =>
  until('both cards to be stored', () => {
    const store = new DatabaseSync(join(program.gate, 'state.db'), { readOnly: true })
    try {
      return store.prepare('SELECT state FROM question').all().some(isStoredTwice)
    } finally {
      store.close()
    }
  })
const isStoredTwice = ({ state }: Record<string, unknown>): boolean => {
  const { cards } = JSON.parse(String(state)) as { readonly cards: readonly StandingCard[] }
  return cards.filter(({ address }) => address.channel === 'telegram').length === 2
}
/** A card in both owners' chats. */
const cards = (): Promise<unknown> => until('the cards', () => isCard(last(7)) && isCard(last(8)))

beforeAll(async () => {
  api = await startBotApi({ token: '123456:test-token' })
  program = await startProgram({ ...ownedEnv(api), HOOKGATE_OWNERS: 'telegram:7,telegram:8' })
  phone = openPhone(api)
  await put(
    program,
    'asks.sh',
    `#!/bin/sh\nprintf '%s' '{"decision": "ask", "reason": "it touches a file"}'\n`,
  )
  await arm(program, phone, [{ event: 'pre_tool_call', matcher: 'touch', command: './asks.sh' }])
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

describe('a hook asks, and the owners answer from their phones', () => {
  test('the card has the tool, its arguments, where, why, until when and five buttons; allowed, it runs, and both cards say who said so', async () => {
    api.say('!touch one.txt && ls')
    await cards()
    expect(
      last(7)
        .replace(/^🛡 \w{5}/, '🛡 k7f2q')
        .replace(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d/, '12:34'),
    ).toBe(
      [
        '🛡 k7f2q May main use bash?',
        '│ command: touch one.txt && ls',
        `in ${program.workspace}`,
        'why: ./asks.sh: it touches a file',
        'denied automatically at 12:34 UTC (in 10 min)',
      ].join('\n'),
    )
    expect(api.labels()).toEqual([
      ['Allow once', 'Deny'],
      ['Allow for this session'],
      ['Allow always…'],
      ['Deny with a reason', 'Edit'],
    ])
    const [mine, theirs] = [api.sent(7).at(-1)?.message_id, api.sent(8).at(-1)?.message_id]
    await api.read()
    api.tap('Allow once')
    await phone.reply(/^one\.txt|\none\.txt/)
    const stands = (chatId: number, id: number | undefined): string =>
      api.sent(chatId).find(({ message_id }) => message_id === id)?.text ?? ''
    await until('both cards to be edited', () => !isCard(stands(7, mine)) && !isCard(stands(8, theirs)))
    expect(stands(7, mine)).toMatch(
      /^🛡 Allowed once\.\nbash of main:\n│ touch one\.txt && ls\n→ \/hooks why \w+$/,
    )
    expect(stands(8, theirs)).toContain('🛡 Allowed once by telegram:7.')
    expect(await readFile(join(program.workspace, 'one.txt'), 'utf8')).toBe('')
  })

  test('denied with words from the other phone: the agent says them, and nothing ran', async () => {
    const from = api.texts(7).length
    api.say('!touch two.txt')
    await cards()
    api.tap('Deny with a reason', 8)
    const way = await until('the way', () => /→ (\/n \w{5}) because…/.exec(last(8))?.[1])
    api.say(`${way} use three.txt`, 8)
    await phone.reply(/^I did not run bash: The person said no: use three\.txt/, from)
    await expect(readFile(join(program.workspace, 'two.txt'))).rejects.toThrow(/ENOENT/)
    await until('the card to say so', () =>
      api.texts(7).some((text) => text.includes('Denied by telegram:8.')),
    )
  })

  test('allowed for the session: the same call runs unasked until /new', async () => {
    const ls = /^(No output\.|Exit code 0)/m
    api.say('!touch four.txt')
    await cards()
    let from = api.texts(7).length
    await api.read()
    api.tap('Allow for this session')
    await phone.reply(ls, from)
    expect(await phone.ask('!touch four.txt', ls)).toMatch(ls)
    await phone.ask('/new', /This session ends/)
    from = api.texts(7).length
    api.say('!touch four.txt')
    await cards()
    await api.read()
    api.tap('Deny')
    await phone.reply(/^I did not run bash/, from)
  })

  test('/stop ends the question, and its cards say so', async () => {
    api.say('!touch five.txt')
    await cards()
    await phone.ask('/stop', /^Stopped\.$/)
    await until('the cards to say so', () =>
      [7, 8].every((chat) =>
        api
          .texts(chat)
          .some((text) =>
            text.includes('Cancelled: the agent stopped waiting.\nbash of main:\n│ touch five.txt'),
          ),
      ),
    )
  })

  test('nobody answers in time: a no, and the cards say so', async () => {
    const asked = send(
      home(),
      'pre_tool_call',
      { tool_name: 'bash', tool_input: { command: 'touch six.txt' } },
      { askMs: 8000 },
    )
    await cards()
    expect((await asked).body).toMatchObject({
      verdict: 'block',
      reason: 'Nobody answered in time, so the call is denied.',
    })
    await until('the cards to say so', () =>
      [7, 8].every((chat) => last(chat).includes('Denied: nobody answered in time.')),
    )
    expect(api.sent(7).at(-1)?.reply_markup).toBeUndefined()
  })

  test('the gate is killed while a question waits: the old button counts after the start, when the caller asks again', async () => {
    const question = { tool_name: 'bash', tool_input: { command: 'touch seven.txt' } }
    const ask = () =>
      send(home(), 'pre_tool_call', question, { askMs: 60_000 }).then(
        ({ body }) => body.verdict,
        () => 'closed',
      )
    const asked = ask()
    await cards()
    await storedCards()
    const card = api.sent(7).at(-1)
    const data = card?.reply_markup?.inline_keyboard[0]?.[0]
    if (card === undefined || data === undefined || !('callback_data' in data))
      throw new Error('There is no card.')
    await program.kill()
    expect(await asked).toBe('closed')
    program = await program.again()
    const stands = (): string =>
      api.sent(7).find(({ message_id }) => message_id === card.message_id)?.text ?? ''
    // The card changes, so a tap counts a second later.
    await until('the card to say that hookgate was started again', () => stands().includes('started again'))
    await api.read()
    api.press(data.callback_data, card)
    await until('the answer in the place of the card', () => stands().startsWith('🛡 Allowed once.'))
    expect(stands()).toContain('The answer counts when main asks again.')
    await until('the other card to say so', () => last(8).includes('Allowed once by telegram:7.'))
    expect(await ask()).toBe('allow')
  })

  test('a client at the desk waits over the kill: its question stands in the same card, and a reply answers it', async () => {
    const bridged = runBridge(['claude-code', 'PreToolUse', '--deadline', '90'], {
      home: program.home,
      stdin: bridgeCall('touch eight.txt'),
    })
    await until('the card', () => /May claude-code use bash/.test(last(7)))
    const card = api.sent(7).at(-1)
    if (card === undefined) throw new Error('There is no card.')
    await storedCards()
    // The bridge asks again only when it has waited for a second.
    await new Promise((done) => setTimeout(done, 1200))
    await program.kill()
    program = await program.again()
    const stands = () => api.sent(7).find(({ message_id }) => message_id === card.message_id)
    await until('the card without the words about the restart', () => {
      const { text = '', reply_markup } = stands() ?? {}
      return text.includes('May claude-code') && !text.includes('started again') && reply_markup !== undefined
    })
    api.say('不', 7, { reply_to_message: card })
    expect(answerOf(await bridged)).toEqual(refusal(expect.stringContaining('The person said no')))
    await until('the card to be over', () => stands()?.reply_markup === undefined)
    expect(stands()?.text).toMatch(/^🛡 Denied\./)
  })

  test('Edit: the new command comes as a reply, runs, and the agent is told', async () => {
    const from = api.texts(7).length
    api.say('!touch eleven.txt && echo soft')
    await cards()
    await api.read()
    api.tap('Edit')
    const prompt = await until('the prompt', () => {
      const newest = api.sent(7).at(-1)
      return newest?.text?.includes('Reply to this message with the new command.') === true && newest
    })
    expect(prompt.text).toContain('│ command: touch eleven.txt && echo soft')
    api.say('touch twelve.txt && echo hard', 7, { reply_to_message: prompt })
    expect(await phone.reply(/^hard/m, from)).toContain('The person changed the argument "command"')
    await until('both cards to be over', () =>
      api.texts(8).some((text) => text.includes('Allowed with a change by telegram:7.')),
    )
    expect(await readFile(join(program.workspace, 'twelve.txt'), 'utf8')).toBe('')
    await expect(readFile(join(program.workspace, 'eleven.txt'))).rejects.toThrow(/ENOENT/)
  })

  test('a reply in words and “Deny with a reason” on the phone; a bare yes shows the card again', async () => {
    const from = api.texts(7).length
    api.say('!touch nine.txt')
    await cards()
    api.say('yes')
    await until('the hint', () => last(7).includes('“yes” was not sent to the agent.'))
    await api.read()
    api.tap('Deny with a reason')
    const prompt = await until(
      'the prompt',
      () => /Reply to this message with your reason/.test(last(7)) && api.sent(7).at(-1),
    )
    expect(api.calls('sendMessage').at(-1)?.params['reply_markup']).toEqual({ force_reply: true })
    api.say('use ten.txt', 7, { reply_to_message: prompt })
    await phone.reply(/^I did not run bash: The person said no: use ten\.txt/, from)
    await until('both cards to be over', () => !api.sent(7).some(({ text = '' }) => isCard(text)))
  })
})

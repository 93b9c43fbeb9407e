import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BotApi } from '../fixtures/bot-api/server.ts'
import { answerOf, call as bridgeCall, refusal, runBridge } from '../bridge/run-bridge.ts'
import { send } from '../permissions/caller.ts'
import { cards, isCard, last, openMore, startAsking, storedCards } from './ask-rig.ts'
import { until, type Program } from './program.ts'
import type { Chat } from './rig.ts'

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

const home = (): { readonly home: string } => ({ home: program.gate })

describe('a hook asks, and the owners answer in other ways', () => {
  test('allowed for the session: the same call runs unasked until /new', async () => {
    const ls = /^(No output\.|Exit code 0)/m
    api.say('!touch four.txt')
    await cards(api)
    let from = api.texts(7).length
    await openMore(api)
    api.tap('Allow for this session')
    await phone.reply(ls, from)
    expect(await phone.ask('!touch four.txt', ls)).toMatch(ls)
    await phone.ask('/new', /This session ends/)
    from = api.texts(7).length
    api.say('!touch four.txt')
    await cards(api)
    await api.read()
    api.tap('Deny')
    await phone.reply(/^I did not run bash/, from)
  })

  test('/stop ends the question, and its cards say so', async () => {
    api.say('!touch five.txt')
    await cards(api)
    await phone.ask('/stop', /^Stopped\.$/)
    await until('the cards to say so', () =>
      [7, 8].every((chat) =>
        api
          .texts(chat)
          .some((text) =>
            text.includes('Cancelled: the agent stopped waiting.\n│ command: touch five.txt\nmain · bash'),
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
    await cards(api)
    expect((await asked).body).toMatchObject({
      verdict: 'block',
      reason: 'Nobody answered in time, so the call is denied.',
    })
    await until('the cards to say so', () =>
      [7, 8].every((chat) => last(api, chat).includes('Denied: nobody answered in time.')),
    )
    expect(api.sent(7).at(-1)?.reply_markup).toBeUndefined()
  })

  test('a client at the desk waits over the kill: its question stands in the same card, and a reply answers it', async () => {
    const bridged = runBridge(['claude-code', 'PreToolUse', '--deadline', '90'], {
      home: program.home,
      stdin: bridgeCall('touch eight.txt'),
    })
    await until('the card', () => /claude-code · bash · denied at/.test(last(api, 7)))
    const card = api.sent(7).at(-1)
    if (card === undefined) throw new Error('There is no card.')
    await storedCards(program)
    // The bridge asks again only when it has waited for a second.
    await new Promise((done) => setTimeout(done, 1200))
    await program.kill()
    program = await program.again()
    const stands = () => api.sent(7).find(({ message_id }) => message_id === card.message_id)
    await until('the card without the words about the restart', () => {
      const { text = '', reply_markup } = stands() ?? {}
      return (
        text.includes('claude-code · bash · denied at') &&
        !text.includes('started again') &&
        reply_markup !== undefined
      )
    })
    api.say('不', 7, { reply_to_message: card })
    expect(answerOf(await bridged)).toEqual(refusal(expect.stringContaining('The person said no')))
    await until('the card to be over', () => stands()?.reply_markup === undefined)
    expect(stands()?.text).toMatch(/^🛡 Denied by you\./)
  })

  test('Edit: the new command comes as a reply, runs, and the agent is told', async () => {
    const from = api.texts(7).length
    api.say('!touch eleven.txt && echo soft')
    await cards(api)
    await openMore(api)
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
    await cards(api)
    api.say('yes')
    await until('the hint', () => last(api, 7).includes('“yes” was not sent to the agent.'))
    await openMore(api)
    api.tap('Deny with a reason')
    const prompt = await until(
      'the prompt',
      () => /Reply to this message with your reason/.test(last(api, 7)) && api.sent(7).at(-1),
    )
    expect(api.calls('sendMessage').at(-1)?.params['reply_markup']).toEqual({ force_reply: true })
    api.say('use ten.txt', 7, { reply_to_message: prompt })
    await phone.reply(/^I did not run bash: The person said no: use ten\.txt/, from)
    await until('both cards to be over', () => !api.sent(7).some(({ text = '' }) => isCard(text)))
  })
})

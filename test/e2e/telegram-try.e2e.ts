import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { needs } from '../needs.ts'
import { startProgram, until, type Program } from './program.ts'
import { openPhone, ownedEnv, propose, put, type Chat } from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat

const last = (): string => api.texts(7).at(-1) ?? ''
const said = ['echo inform', 'echo warm', 'echo farm', 'ls', 'echo hello']

beforeAll(async () => {
  api = await startBotApi({ token: '123456:test-token' })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  for (const command of said) {
    api.say(`!${command}`)
    const word = command.split(' ')[1] ?? 'config'
    await phone.reply(new RegExp(`^${word}|\\n${word}`))
  }
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

/** The handle at the top of a card. */
const handleOf = (card: string): string => /^(?:🛡 )?(\w{5}) ✗/mu.exec(card)?.[1] ?? ''

/** The end of a trial, as its card shows it. */
const trialOf = (pattern: RegExp): Promise<string> =>
  until('the end of the trial', () =>
    /Nothing was decided/.test(last()) && pattern.test(last()) ? last() : false,
  )

describe('an owner asks a proposal about the past before the approval', needs('bwrap'), () => {
  test('a guard that is too wide names the innocent events that it would have blocked, and a mended one names none', async () => {
    await put(program, 'wide.sh', '#!/bin/sh\ncat > /dev/null\necho "no rm" >&2\nexit 2\n')
    await propose(program, phone, [{ event: 'pre_tool_call', matcher: 'rm', command: './wide.sh' }])
    expect(api.labels().flat()).toContain('Try')
    const before = api.texts(7).length
    api.tap('Try')
    const wide = await trialOf(/Of 5 past events/)
    expect(api.texts(7).length).toBe(before + 1)
    expect(wide).toMatch(
      /Of 5 past events 3 matched: 3 blocked, 0 let through\.\np50 [\d.]+ ms, p95 [\d.]+ ms\n/,
    )
    for (const command of ['echo inform', 'echo warm', 'echo farm']) expect(wide).toContain(command)
    expect(wide).toMatch(/would block · it was let through just now/)
    expect(api.labels().flat()).toEqual([])
    const [, id = ''] = /→ \/hooks why (\S+)/.exec(wide) ?? []
    expect(await phone.ask(`/hooks why ${id}`, /pre_tool_call/)).toContain(id)

    await propose(program, phone, [{ event: 'pre_tool_call', matcher: '^rm ', command: './wide.sh' }])
    api.tap('Try')
    expect(await trialOf(/0 matched/)).toMatch(/Of 5 past events 0 matched: 0 let through\./)
    // Nothing of it decided, or was kept.
    await phone.ask('/hooks', /1 waits for you/)
  })

  test('the mended guard is a shadow for twenty events, is promoted and blocks, and the statistics say what happened', async () => {
    await phone.ask('/hooks on', /Hooks are ON/)
    const listed = handleOf(await phone.ask('/hooks pending', /NOT approved/))
    // Another version of it was shown before, so the difference comes first, with what the trial found.
    const shown = await phone.ask(`/hooks shadow ${listed}`, /Nothing was approved/)
    expect(shown).toMatch(/-asked on: rm\n│ \+asked on: .*\^rm /)
    expect(shown).toContain('of 5 past events 0 matched: 0 let through')
    expect(await phone.ask(`/hooks shadow ${handleOf(shown)}`, /Shadow: pre_tool_call/)).toContain(
      './wide.sh',
    )
    for (let at = 0; at < 20; at += 1) {
      const command = at % 10 === 3 ? `rm -f nothing-${at}; echo gone-${at}` : `echo step-${at}`
      api.say(`!${command}`)
      await phone.reply(new RegExp(`^${command.split(' ').at(-1) ?? ''}$`, 'm'))
    }
    expect(await phone.ask('/hooks stats ./wide.sh', /as a shadow/)).toMatch(
      /was asked as a shadow 2 times · would have blocked 2$/m,
    )
    expect(await phone.ask('/hooks promote ./wide.sh', /It decides/)).toContain('./wide.sh')
    const before = phone.texts().length
    api.say('!rm -f nothing')
    await phone.reply(/no rm/, before)
    const stats = await phone.ask('/hooks stats ./wide.sh', /as a shadow/)
    expect(stats).toMatch(/was asked once · blocked 1$/m)
    expect(stats).toMatch(/was asked as a shadow 2 times/)
  })
})

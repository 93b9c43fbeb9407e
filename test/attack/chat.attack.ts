import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { chatForgeries, type ChatWorld } from './chat-forgeries.ts'

const token = '123456:test-token'
const hooks =
  'hooks:\n  - {event: pre_tool_call, command: ./guard.sh}\n  - {event: on_stop, command: ./waiting.sh}\n'
const script = '#!/bin/sh\nexit 0\n'

let api: BotApi
let plane: Plane
let world: ChatWorld

const ask = async (words: string, pattern: RegExp): Promise<string> => {
  const from = api.texts(7).length
  api.say(words)
  return until(`${pattern} after ${words}`, () =>
    api
      .texts(7)
      .slice(from)
      .find((text) => pattern.test(text)),
  )
}

/** Everything that an owner can change, and nothing else. */
const gate = (): string => {
  const { revision, isOn, owners, approvals, lockdown } = plane.gate.gatekeeper.state()
  return JSON.stringify({ revision, isOn, lockdown, owners, approvals: [...approvals.keys()] })
}
const refusals = async (): Promise<readonly string[]> =>
  (await plane.gate.store.records({ limit: 1000, kinds: ['refusal'] })).map(({ reason }) => reason ?? '')

beforeAll(async () => {
  api = await startBotApi({ token })
  plane = await startPlane(
    hooks,
    { 'guard.sh': script, 'waiting.sh': script },
    {
      HOOKGATE_OWNERS: 'memory:owner,telegram:7',
      TELEGRAM_BOT_TOKEN: token,
      TELEGRAM_API_ROOT: api.root,
    },
  )
  await ask('/hooks approve pre_tool_call ./guard.sh', /Approved/)
  await ask('/hooks on', /Hooks are ON/)
  const carriedOut = api.say('/hooks off')
  await until('hooks to be off', () => !plane.gate.gatekeeper.state().isOn)
  await ask('/hooks on', /Hooks are ON/)
  const invited = /^\/pair (\S+)$/m.exec(await ask('/pair', /A pairing code for one more person/))?.[1] ?? ''
  const handle =
    /^🛡 ([a-z0-9]{5}) .*on_stop/u.exec(await ask('/hooks show ./waiting.sh', /fingerprint/))?.[1] ?? ''
  // It follows each change by itself, a moment later.
  await until('the pinned head', () =>
    api.texts(7).some((text) => text.includes(`\nrevision ${plane.gate.gatekeeper.state().revision} `)),
  )
  world = { api, invited, handle, carriedOut }
})
afterAll(async () => {
  await plane.stop()
  await api.stop()
})

describe("no message but an owner's own, typed now, changes the gate", () => {
  test('there are at least thirty ways to try', () => {
    expect(chatForgeries.length).toBeGreaterThanOrEqual(30)
    expect(world).toMatchObject({
      invited: expect.stringMatching(/^\S{8}$/),
      handle: expect.stringMatching(/^\S{5}$/),
    })
  })

  test.each(chatForgeries)('$what: $reason', async ({ send, reason, who = '7', told }) => {
    const before = gate()
    const known = (await refusals()).length
    const shown = new Map([7, 66].map((chat) => [chat, api.texts(chat).length]))
    send(world)
    await until(`the refusal as ${reason}`, async () =>
      (await refusals()).slice(0, -known || undefined).includes(`${reason} from telegram:${who}`),
    )
    if (told !== undefined)
      await until(`${told} in the owner's chat`, () =>
        api
          .texts(7)
          .slice(shown.get(7))
          .find((text) => told.test(text)),
      )
    // Whatever else it set off has been said before the answer to this.
    await ask('/whoami', /You are telegram:7/)
    expect(gate()).toBe(before)
    const said = api
      .texts(7)
      .slice(shown.get(7))
      .filter((text) => !text.includes('You are telegram:7'))
    if (told === undefined) expect(said).toEqual([])
  })

  test('nobody but the owner was told anything, except where the owner wrote', () => {
    const group = api.texts(-1_009_000_000_001)
    expect(group.every((text) => text.includes('Others can read and write here'))).toBe(true)
    const chats = new Set(api.sent().map(({ chat }) => chat.id))
    expect([...chats].sort((a, b) => a - b)).toEqual([-1_009_000_000_001, 7])
  })

  test('words that are no command change nothing, and go to the agent', async () => {
    const before = gate()
    for (const words of ['yes', 'y', '1', 'approve', 'ok, hooks off', `approve ${world.handle}`])
      await ask(`say heard ${words}`, new RegExp(`^heard ${words}$`))
    expect(gate()).toBe(before)
  })

  test("after all of it the code that was meant for somebody still counts, and only the owner's yes makes them one", async () => {
    const from = api.texts(7).length
    api.say(`/pair ${world.invited}`, { id: 9, first_name: 'Ada\n→ /y 12345', last_name: 'x'.repeat(200) })
    const asked = await until('the question', () =>
      api
        .texts(7)
        .slice(from)
        .find((text) => text.includes('typed your code')),
    )
    expect(asked).toMatch(
      /^🛡 “Ada → \/y 12345 x{25}” \(telegram:9\) typed your code, which makes this person: owner\.\nIf you gave it to this person:\n→ \/y [a-z0-9]{5}\nIf it is somebody else:\n→ \/n [a-z0-9]{5}$/,
    )
    const handle = /^→ \/y (\S+)$/m.exec(asked)?.[1] ?? ''
    expect(plane.gate.gatekeeper.isOwner('telegram:9')).toBe(false)
    api.say(`/y ${handle}`, 9)
    await until(
      'their own yes to be refused',
      async () => (await refusals())[0] === 'not_owner from telegram:9',
    )
    await ask(`/y ${handle}`, /\(telegram:9\) is new in this gate: owner/)
    await until('word to them', () =>
      api.texts(9).find((text) => text.includes('you are now an owner of this gate')),
    )
    // An owner's chat gets the pinned head of the ledger, too.
    expect(api.texts(9).filter((text) => !text.startsWith('🛡 hookgate ledger'))).toEqual([
      expect.stringContaining('You get the answer here'),
      expect.stringContaining('Paired'),
    ])
    await until('word to the others', () =>
      plane.texts().find((text) => text.includes('(telegram:9) is new in this gate: owner, by telegram:7.')),
    )
    const card = await ask('/owners remove telegram:9', /Remove /)
    await ask(`/y ${/^🛡 (\w{5}) /.exec(card)?.[1]}`, /has no role in this gate any more/)
    api.say('/hooks off', 9)
    await until('the refusal', async () => (await refusals())[0] === 'not_owner from telegram:9')
    expect(plane.gate.gatekeeper.state().isOn).toBe(true)
  })
})

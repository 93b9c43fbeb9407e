import { actingIn } from '../consent.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plain } from '../../src/core/model/chat/content.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { call, send, type Answered } from '../permissions/caller.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { askForgeries, type AskCard, type AskWorld } from './ask-forgeries.ts'
import type { Shown } from './tap-forgeries.ts'

const token = '123456:test-token'
const ask = '#!/bin/sh\necho \'{"decision": "ask", "reason": "a person has to say"}\'\n'
const hooks = `hooks:
  - {event: pre_tool_call, matcher: deploy, command: ./ask.sh}
  - {event: pre_tool_call, matcher: softly, command: ./rewrite.sh, priority: 200}
  - {event: on_outbound_message, matcher: HOLDME, command: ./hold.sh}
`

let api: BotApi
let plane: Plane
let world: AskWorld
/** How each question that waits in the end was answered. */
const answers = new Map<string, string>()

const asks = (command: string, signal?: AbortSignal): Promise<Answered> => {
  answers.set(command, 'waits')
  const answer = send(plane, 'pre_tool_call', call('bash', { command }), {
    askMs: 3_600_000,
    ...(signal === undefined ? {} : { signal }),
  })
  answer
    .then(({ body }) => answers.set(command, `${body.verdict} ${body.reason}`))
    .catch(() => answers.delete(command))
  return answer
}
const shown = (chat: number, words: RegExp, label: string): Shown | undefined => {
  for (const message of api.sent(chat).toReversed()) {
    const button = message.reply_markup?.inline_keyboard.flat().find(({ text }) => text === label)
    if (words.test(message.text ?? '') && button !== undefined && 'callback_data' in button)
      return { message: structuredClone(message), data: button.callback_data ?? '' }
  }
  return undefined
}
const button = (words: RegExp, label: string, chat = 7): Promise<Shown> =>
  until(
    `${label} under ${words} in ${api.texts(chat).join('\n---\n')}`,
    () => shown(chat, words, label),
    20_000,
  )
const cardOf = async (words: RegExp): Promise<AskCard> => {
  const { data, message } = await button(words, 'More…')
  api.press(data, message)
  return {
    session: await button(words, 'Allow for this session'),
    once: await button(words, 'Allow once'),
    deny: await button(words, 'Deny'),
  }
}
const tap = async (
  { data, message }: Shown,
  now: RegExp,
  from = 7,
): Promise<Readonly<Record<string, unknown>>> => {
  const id = api.press(data, message, from)
  const [update] = api.pending().filter((update) => update.callback_query?.id === id)
  await until(
    `${now} in place of the card`,
    () =>
      api.sent(from).some(({ message_id, text = '' }) => message_id === message.message_id && now.test(text)),
    20_000,
  )
  return { ...update?.callback_query }
}
const handleOf = ({ message }: Shown): string => /^🛡 ([a-z0-9]{5}) /.exec(message.text ?? '')?.[1] ?? ''
const says = async (words: string, pattern: RegExp, from = 7): Promise<string> => {
  const before = api.texts(from).length
  api.say(words, from)
  return until(
    `${pattern} after ${words} in ${api.texts(from).slice(before).join('\n---\n')}`,
    () =>
      api
        .texts(from)
        .slice(before)
        .find((text) => pattern.test(text)),
    20_000,
  )
}
const hold = (text: string) =>
  plane.gate.dispatcher.push({
    channel: 'telegram',
    chat_id: '8',
    push_id: text,
    agent_id: 'main',
    session_id: 's',
    cwd: plane.workspace,
    ...plain('text', text),
  })
const said = (from: number, chat: string): readonly string[] =>
  api
    .calls()
    .slice(from)
    .filter(
      ({ method, params }) =>
        /^(sendMessage|editMessageText)$/.test(method) && String(params['chat_id']) === chat,
    )
    .map(({ params }) => String(params['text']))
const refusals = async (): Promise<readonly string[]> =>
  (await plane.gate.store.records({ limit: 1000, kinds: ['refusal'] })).map(({ reason }) => reason ?? '')

/** Whatever an owner's answer could change. */
const facts = (): string => {
  const { revision, isOn, owners, approvals, lockdown } = plane.gate.gatekeeper.state()
  return JSON.stringify({
    revision,
    isOn,
    lockdown,
    owners,
    approvals: [...approvals.keys()],
    answers: [...answers],
    held: plane.gate.dispatcher.held().map(({ key }) => key),
    left: api.texts(8).filter((text) => text.includes('HOLDME')),
  })
}

beforeAll(async () => {
  api = await startBotApi({ token })
  const rewrite = '#!/bin/sh\necho \'{"tool_input": {"command": "deploy hard"}}\'\n'
  plane = await startPlane(
    hooks,
    { 'ask.sh': ask, 'hold.sh': ask, 'rewrite.sh': rewrite },
    {
      HOOKGATE_OWNERS: 'memory:owner,telegram:7,telegram:8',
      TELEGRAM_BOT_TOKEN: token,
      TELEGRAM_API_ROOT: api.root,
    },
  )
  const { gatekeeper } = plane.gate
  const approve = async (name: string): Promise<void> => {
    for (const { entry, command } of plane.gate.rows())
      if (entry !== undefined && command === name) await actingIn(gatekeeper).approve(entry)
  }
  for (const name of ['./ask.sh', './hold.sh']) await approve(name)
  await actingIn(gatekeeper).setSwitch(true)

  const first = asks('deploy first')
  const answered = await cardOf(/deploy first/)
  const tapped = await tap(answered.once, /Allowed once/)
  expect((await first).body.verdict).toBe('allow')

  const second = asks('deploy second')
  const handle = handleOf(await button(/deploy second/, 'Deny'))
  const words = api.say(`/n ${handle}`)
  expect((await second).body.verdict).toBe('block')

  const third = asks('deploy third')
  const elsewhere = await cardOf(/deploy third/)
  await tap(await button(/deploy third/, 'Deny', 8), /Denied/, 8)
  expect((await third).body.verdict).toBe('block')

  const leaving = new AbortController()
  const fourth = asks('deploy fourth', leaving.signal)
  const gone = await cardOf(/deploy fourth/)
  leaving.abort()
  await expect(fourth).rejects.toThrow()

  void asks('deploy softly')
  const rewritten = await cardOf(/deploy softly/)
  await approve('./rewrite.sh')
  await tap(rewritten.once, /Allowed once/)
  await button(/deploy hard/, 'Allow once')

  await hold('HOLDME first')
  const heldFirst = {
    release: await button(/waits for your decision/, 'Release'),
    withhold: await button(/waits for your decision/, 'Withhold'),
  }
  await tap(heldFirst.withhold, /Withheld/)
  await hold('HOLDME second')
  const release = await until(
    'the second card',
    async () => {
      const found = await button(/waits for your decision/, 'Release')
      return found.message.message_id !== heldFirst.release.message.message_id && found
    },
    20_000,
  )
  const live = asks('deploy live')
  void live
  const asked = await cardOf(/deploy live/)
  world = {
    api,
    asked: { ...asked, handle: handleOf(asked.once) },
    held: {
      release,
      withhold: await button(/waits for your decision/, 'Withhold'),
      handle: handleOf(release),
    },
    theirs: {
      once: await button(/deploy live/, 'Allow once', 8),
      release: await button(/waits for your decision/, 'Release', 8),
    },
    answered: { asked: answered, held: heldFirst, tap: tapped, words },
    elsewhere,
    gone,
    rewritten,
  }
  await until(
    'the pinned head',
    () => api.texts(7).some((text) => text.includes(`\nrevision ${gatekeeper.state().revision} `)),
    20_000,
  )
}, 180_000)
afterAll(async () => {
  await plane.stop()
  await api.stop()
})

describe("no message and no tap but an owner's own on a live card of theirs answers a tool call, or releases a message", () => {
  test('there are at least sixty ways to try, each of its own, and what they are after waits', () => {
    expect(askForgeries.length).toBeGreaterThanOrEqual(60)
    expect(new Set(askForgeries.map(({ what }) => what)).size).toBe(askForgeries.length)
    expect([...answers]).toEqual([
      ['deploy first', expect.stringContaining('allow')],
      ['deploy second', expect.stringContaining('block')],
      ['deploy third', expect.stringContaining('block')],
      ['deploy softly', 'waits'],
      ['deploy live', 'waits'],
    ])
    expect(plane.gate.dispatcher.held()).toHaveLength(1)
    for (const { handle } of [world.asked, world.held]) expect(handle).toMatch(/^\S{5}$/)
  })

  test.each(askForgeries)('$what: $reason', async ({ send: attempt, reason, who = '7', told }) => {
    const before = facts()
    const known = (await refusals()).length
    const from = api.calls().length
    attempt(world)
    if (reason !== undefined)
      await until(`the refusal as ${reason}`, async () =>
        (await refusals()).slice(0, -known || undefined).includes(`${reason} from telegram:${who}`),
      )
    if (told !== undefined)
      await until(`${told}`, () => said(from, who).find((text) => told.test(text)), 20_000).catch(
        (error: unknown) => {
          throw new Error(`${String(error)} It shows:\n${said(from, who).join('\n---\n')}`)
        },
      )
    // Whatever else it set off has been said before the answer to this.
    await says('/whoami', /You are telegram:7/)
    expect(facts()).toBe(before)
    expect((await refusals()).length).toBe(reason === undefined ? known : known + 1)
    if (told === undefined && who === '7')
      expect(said(from, '7').filter((text) => !text.includes('You are telegram:7'))).toEqual([])
  })

  test('words that are no command answer nothing, and go to the agent', async () => {
    const before = facts()
    for (const words of ['yes', 'y', 'allow', `y ${world.asked.handle}`, `release ${world.held.handle}`])
      await says(`say heard ${words}`, new RegExp(`^heard ${words}$`))
    expect(facts()).toBe(before)
  })

  test("after all of it the owner's own answers count, each once", async () => {
    await tap(world.asked.once, /Allowed once/)
    await until('the call to be allowed', () => answers.get('deploy live')?.startsWith('allow'))
    await tap(await button(/deploy hard/, 'Deny'), /Denied/)
    await until('the rewritten call to be denied', () => answers.get('deploy softly')?.startsWith('block'))
    await tap(world.held.release, /Released/)
    await until('the message', () => api.texts(8).includes('HOLDME second'), 20_000)
  })
})

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { Parts } from '../../src/compose/parts.ts'
import { assemble } from '../../src/main.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { until } from '../plane.ts'
import { tapForgeries, type Shown, type TapWorld } from './tap-forgeries.ts'

const token = '123456:test-token'
const group = -1_009_000_000_001
const script = (words: string): string => `#!/bin/sh\n# ${words}\nexit 0\n`
const hooks = ['guard', 'waiting', 'stale', 'changing', 'put'] as const

let root: string
let api: BotApi
let running: Parts
let world: TapWorld

const begin = (): Promise<Parts> => {
  const config = loadConfig({
    HOOKGATE_HOME: join(root, 'gate'),
    HOOKGATE_WORKSPACE: join(root, 'workspace'),
    HOOKGATE_PORT: '0',
    XDG_CONFIG_HOME: root,
    HOOKGATE_OWNERS: 'telegram:7,telegram:8',
    TELEGRAM_BOT_TOKEN: token,
    TELEGRAM_API_ROOT: api.root,
  })
  return assemble({ ...config, separation: 'none' }, { log: () => undefined, leastAgeMs: 0 })
}
const change = (name: string, words: string): Promise<void> =>
  writeFile(join(root, `workspace/${name}.sh`), script(words), { mode: 0o755 })
const ask = async (words: string, pattern: RegExp, from = 7): Promise<string> => {
  const before = api.texts(from).length
  api.say(words, from)
  return until(`${pattern} after ${words}`, () =>
    api
      .texts(from)
      .slice(before)
      .find((text) => pattern.test(text)),
  )
}
/** A button under the newest message of somebody's that the pattern fits. */
const shown = (pattern: RegExp, label: string, chat = 7): Shown => {
  for (const message of api.sent(chat).toReversed()) {
    const button = message.reply_markup?.inline_keyboard.flat().find(({ text }) => text === label)
    if (pattern.test(message.text ?? '') && button !== undefined && 'callback_data' in button)
      return { message: structuredClone(message), data: button.callback_data ?? '' }
  }
  throw new Error(`There is no button ${label} under ${pattern} in\n${api.texts(chat).join('\n---\n')}`)
}
/** The whole card of what waits. */
const cardOf = async (name: string, chat = 7): Promise<(label: string) => Shown> => {
  const pattern = new RegExp(`./${name}.sh\n[^]*\nfingerprint`)
  await ask(`/hooks show ./${name}.sh`, pattern, chat)
  return (label) => shown(pattern, label, chat)
}
const tapped = async (
  { data, message }: Shown,
  pattern: RegExp,
): Promise<Readonly<Record<string, unknown>>> => {
  const id = api.press(data, message)
  const [update] = api.pending().filter((update) => update.callback_query?.id === id)
  await until(`${pattern} in place of the card`, () =>
    api.sent(7).find(({ message_id, text = '' }) => message_id === message.message_id && pattern.test(text)),
  )
  return { ...update?.callback_query }
}

/** Everything that an owner can change, and nothing else. */
const gate = (): string => {
  const { revision, isOn, owners, approvals, lockdown } = running.gatekeeper.state()
  return JSON.stringify({
    revision,
    isOn,
    lockdown,
    owners,
    approvals: [...approvals].map(([fingerprint, { failsClosed }]) => [fingerprint, failsClosed]),
  })
}
const refusals = async (): Promise<readonly string[]> =>
  (await running.store.records({ limit: 1000, kinds: ['refusal'] })).map(
    ({ subject, reason }) => `${subject} ${reason}`,
  )

/** What the owner was told since a request, whether as a new message or in the place of one. */
const said = (from: number): readonly string[] =>
  api
    .calls()
    .slice(from)
    .filter(
      ({ method, params }) =>
        /^(sendMessage|editMessageText)$/.test(method) && String(params['chat_id']) === '7',
    )
    .map(({ params }) => String(params['text']))

/** What an agent says over its socket, with whatever it adds. */
const push = (body: object): Promise<string> =>
  new Promise((resolve, reject) => {
    const call = request(
      {
        socketPath: join(root, 'gate/run/main.sock'),
        path: '/v1/push',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      },
      (answer) => {
        let text = ''
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => (text += chunk))
          .on('end', () => resolve(text))
      },
    )
    call.on('error', reject).end(JSON.stringify(body))
  })

beforeAll(async () => {
  api = await startBotApi({ token })
  root = await mkdtemp(join(tmpdir(), 'hookgate-taps-'))
  await mkdir(join(root, 'workspace/config'), { recursive: true })
  for (const name of hooks) await change(name, 'first')
  await writeFile(
    join(root, 'workspace/config/shell_hooks.yaml'),
    `hooks:\n${hooks.map((name) => `  - {event: on_stop, command: ./${name}.sh}\n`).join('')}`,
  )
  running = await begin()
  await cardOf('guard')
  const older = (await cardOf('waiting'))('Approve')
  await running.stop()
  // It waits at Telegram until hookgate is back: when it was tapped nobody knows.
  api.press(older.data, older.message)
  running = await begin()
  await until('the tap that waited', async () => (await refusals()).includes('press too_old from telegram:7'))

  // What was shown before a restart is shown again first.
  await ask('/hooks approve on_stop ./guard.sh', /it may have changed since you saw it/)
  const list = await ask('/hooks approve on_stop ./guard.sh', /Approved/)
  const on = shown(/Approved: on_stop\n {2}\.\/guard\.sh/, 'Turn hooks on')
  expect(list).toContain('Hooks are OFF')
  await ask('/hooks on', /Hooks are ON/)
  await ask('/hooks show ./guard.sh', /✓ approved/)
  const revoke = shown(/✓ approved {2}on_stop\n {2}\.\/guard\.sh/, 'Revoke')
  await ask('/hooks revoke ./guard.sh', /Revoked/)
  await ask('/hooks approve on_stop ./guard.sh', /Approved/)

  const answered = await cardOf('changing')
  const [approve, wait] = [answered('Approve'), answered('Not now')]
  const carriedOut = await tapped(approve, /^🛡 ✓ Approved/)
  const put = (await cardOf('put'))('Not now')
  await tapped(put, /^🛡 Not now: /)
  const stale = await cardOf('stale')
  const staleButtons = {
    approve: stale('Approve'),
    close: stale('Approve and fail closed'),
    wait: stale('Not now'),
  }
  await change('stale', 'second')
  await change('changing', 'second')
  await until('the change to be told', () =>
    api.texts(7).find((text) => /A changed hook waits for you:\n[^]*changing/.test(text)),
  )
  await tapped(shown(/A changed hook waits for you:\n[^]*\.\/changing\.sh/, 'Details'), /\nfingerprint/)
  const changing = (label: string): Shown =>
    shown(/changed since approval {2}on_stop\n[^]*\.\/changing\.sh\n[^]*\nfingerprint/, label)
  const changed = { changed: changing('Approve'), changedClose: changing('Approve and fail closed') }
  await change('changing', 'third')
  await until('the next change to be told', () =>
    api.texts(7).find((text) => /A changed hook waits for you:\n[^]*changing/.test(text)),
  )

  const theirs = (await cardOf('waiting', 8))('Approve')
  const waiting = await cardOf('waiting')
  const now = waiting('Approve')
  const spoken = await ask('say tap Approve', /^tap Approve$/)
  const messageOf = (text: string): TapWorld['spoken'] => {
    const message = api.sent(7).find((one) => one.text === text)
    if (message === undefined) throw new Error(`Nobody said ${text}.`)
    return message
  }
  world = {
    api,
    older,
    on,
    revoke,
    theirs,
    carriedOut,
    approve: now,
    close: waiting('Approve and fail closed'),
    wait: waiting('Not now'),
    answered: { approve, wait, put },
    stale: { ...staleButtons, ...changed },
    spoken: messageOf(spoken),
    handle: /^🛡 ([a-z0-9]{5}) /.exec(now.message.text ?? '')?.[1] ?? '',
    fingerprint: /^fingerprint (\w{16})$/m.exec(now.message.text ?? '')?.[1] ?? '',
  }
  // It follows each change by itself, a moment later.
  await until('the pinned head', () =>
    api.texts(7).some((text) => text.includes(`\nrevision ${running.gatekeeper.state().revision} `)),
  )
}, 90_000)
afterAll(async () => {
  await running.stop()
  await api.stop()
  await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

describe("no tap but an owner's own on a live button of theirs changes the gate", () => {
  test('there are at least thirty ways to try, each of its own', () => {
    expect(tapForgeries.length).toBeGreaterThanOrEqual(30)
    expect(new Set(tapForgeries.map(({ what }) => what)).size).toBe(tapForgeries.length)
    expect(world).toMatchObject({
      handle: expect.stringMatching(/^\S{5}$/),
      fingerprint: expect.stringMatching(/^\w{16}$/),
    })
    expect([...running.gatekeeper.state().approvals]).toHaveLength(2)
  })

  test.each(tapForgeries)('$what: $reason', async ({ send, reason, who = '7', told }) => {
    const before = gate()
    const known = (await refusals()).length
    const from = api.calls().length
    send(world)
    const record = `${reason === 'repeated' ? 'message' : 'press'} ${reason} from telegram:${who}`
    await until(record, async () => (await refusals()).slice(0, -known || undefined).includes(record))
    if (told !== undefined)
      await until(`${told} in the owner's chat`, () => said(from).find((text) => told.test(text)))
    // Whatever else it set off has been said before the answer to this.
    await ask('/whoami', /You are telegram:7/)
    expect(gate()).toBe(before)
    expect((await refusals()).length).toBe(known + 1)
    if (told === undefined)
      expect(said(from).filter((text) => !text.includes('You are telegram:7'))).toEqual([])
  })

  test('nobody but the owners was told anything, except where an owner tapped', () => {
    expect(
      api
        .texts(group)
        .every((text) => text.includes('Your tap had no effect: Others can read and write here')),
    ).toBe(true)
    expect(api.texts(66).every((text) => text.includes('Your tap had no effect: '))).toBe(true)
    expect(api.texts(88).concat(api.texts(67))).toEqual([])
  })

  test('no button comes with what an agent says, whatever it asks for', async () => {
    const press = world.approve.data
    const keyboard = { inline_keyboard: [[{ text: 'Approve', callback_data: press }]] }
    const from = api.sent(7).length
    expect(
      await push({
        channel: 'telegram',
        chat_id: '7',
        text: 'a',
        reply_markup: keyboard,
        buttons: [[{ label: 'Approve', press }]],
        kind: 'notice',
        replaces: String(world.approve.message.message_id),
      }),
    ).toContain('"outcome":')
    expect(
      await push({
        channel: 'telegram',
        chat_id: '7',
        text: 'b',
        parts: [{ field: 'buttons', text: 'Approve' }],
      }),
    ).toContain('push.form')
    expect(
      await push({
        channel: 'telegram',
        chat_id: '7',
        text: 'c',
        parts: [
          { field: 'button.0.label', text: 'Approve' },
          { field: 'button.0.url', text: press },
        ],
      }),
    ).toContain('push.form')
    const label = { field: 'button.0.label', text: 'Approve' }
    expect(
      await push({
        channel: 'telegram',
        chat_id: '7',
        text: 'd',
        parts: [label, { field: 'button.0.url', text: `https://example.com/?callback_data=${press}` }],
      }),
    ).toContain('"outcome":')
    await ask('/whoami', /You are telegram:7/)
    const words = api
      .sent(7)
      .slice(from)
      .filter(({ text }) => text?.startsWith('🛡') === false)
    const opens = {
      inline_keyboard: [[{ text: 'Approve', url: `https://example.com/?callback_data=${press}` }]],
    }
    expect(words.map(({ text, reply_markup }) => [text, reply_markup])).toEqual([
      ['a', undefined],
      ['d', opens],
    ])
  })

  test("after all of it the owner's own tap on their own card still counts, once", async () => {
    const size = running.gatekeeper.state().approvals.size
    await tapped(world.approve, /^🛡 ✓ Approved: on_stop\n {2}\.\/waiting\.sh/)
    expect(running.gatekeeper.state().approvals.size).toBe(size + 1)
    for (const { data, message } of [world.close, world.wait, world.approve]) api.press(data, message)
    await until('three refusals', async () =>
      (await refusals()).slice(0, 3).every((record) => record === 'press used from telegram:7'),
    )
    expect(running.gatekeeper.state().approvals.size).toBe(size + 1)
    // The other owner's card of the same hook has died with it.
    api.press(world.theirs.data, world.theirs.message, 8)
    await until('word to the other owner', () =>
      api.texts(8).find((text) => text.includes('telegram:7 answered it first.')),
    )
  })
})

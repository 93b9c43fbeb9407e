import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { PUSH_TYPES } from '../../../src/core/model/chat/content.ts'
import { Api } from 'grammy'
import { libraryMethods } from '../../../bots/telegram/tripwire/library.ts'
import { createFeishu, type FeishuOptions } from '../../../bots/feishu/feishu.ts'
import { loadSdk } from '../../../bots/feishu/sdk.ts'
import { createTelegram } from '../../../bots/telegram/telegram.ts'
import { createWeb } from '../../../bots/web/web.ts'
import { startBotApi } from '../../fixtures/bot-api/server.ts'
import { startFeishu } from '../../fixtures/feishu/server.ts'
import { startPlane, until, type Plane } from '../../plane.ts'
import type { Rehearsable } from './rehearsal.ts'
import { beside, cleanUp, cover, createNotes, filesLeft, memoryWith } from './rig.ts'
import { feishuTwin } from './twins/feishu.ts'
import { telegramTwin } from './twins/telegram.ts'
import { webTwin } from './twins/web.ts'

let plane: Plane | undefined
afterEach(async () => {
  await plane?.stop()
  plane = undefined
})
afterAll(cleanUp)

const coverageIn = (answer: string): readonly string[] => answer.slice(answer.indexOf('Coverage')).split('\n')

test('/hooks doctor ends with what each connected channel can send, and nothing leaves, runs or is recorded for it', async () => {
  const token = '1234:coverage'
  const server = await startBotApi({ token })
  const feishu = await startFeishu()
  plane = await startPlane(
    'hooks: []\n',
    {},
    {
      TELEGRAM_BOT_TOKEN: token,
      TELEGRAM_API_ROOT: server.root,
      FEISHU_APP_ID: feishu.appId,
      FEISHU_APP_SECRET: feishu.appSecret,
      FEISHU_API_ROOT: feishu.root,
    },
  )
  await until('the bot', () => server.calls().some(({ method }) => method === 'getUpdates'))
  await until('the app', () => feishu.isConnected())
  const asked = feishu.calls().length
  const before = server.calls().filter(({ method }) => method !== 'getUpdates').length
  const lines = coverageIn(await plane.ask('/hooks doctor', (answer) => answer.includes('Coverage')))
  expect(lines.map((line) => line.replace(/\d+/, 'N'))).toEqual([
    'Coverage',
    '  ✓ web · N message types judged',
    '  ✓ telegram · N message types judged',
    '  ✓ telegram · N other methods blocked',
    '  ✓ feishu · N message types judged',
    '  ✓ feishu · N other methods blocked',
    '  ✓ memory · N message types judged',
  ])
  for (const name of ['telegram', 'memory'])
    expect(lines).toContain(`  ✓ ${name} · ${PUSH_TYPES.length} message types judged`)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(44)
  expect(server.calls().filter(({ method }) => method !== 'getUpdates')).toHaveLength(before)
  expect((await plane.gate.store.records({ limit: 500 })).filter(({ kind }) => kind === 'push')).toEqual([])
  expect(feishu.calls()).toHaveLength(asked)
  await server.stop()
  await feishu.stop()
})

test('a method that an upgrade brings is blocked and counted', async () => {
  const { refused } = libraryMethods()
  Object.assign(Api.prototype, { sendHologram: () => undefined })
  try {
    expect(libraryMethods()).toEqual({ refused: refused + 1 })
  } finally {
    Reflect.deleteProperty(Api.prototype, 'sendHologram')
  }
})

describe('each bot over a transport that records', () => {
  const { ports } = createNotes()
  const webPorts = {
    ...ports,
    preferences: () => Promise.reject(new Error('none')),
    onPreferences: () => () => undefined,
    loginMisused: () => undefined,
  }
  const bots: readonly Rehearsable[] = [
    {
      ...createTelegram({ token: '1:a', chats: [] }, ports),
      rehearse: async (twin) => telegramTwin({ token: '1:a', chats: [] }, twin),
    },
    {
      ...createWeb({ host: '127.0.0.1', port: 0 }, webPorts),
      rehearse: async (twin) => webTwin({ host: '127.0.0.1', port: 0 }, { ...webPorts, ...twin }),
    },
    memoryWith((rehearsal) => rehearsal),
  ]
  test.each(bots.map((bot) => [bot.name, bot] as const))(
    '%s judges every form whole, and blocks every way around the door',
    async (name, bot) => {
      const lines = await cover([bot])()
      expect(lines).toEqual([
        `ok ${name} · ${bot.forms.length} forms judged whole`,
        expect.stringMatching(new RegExp(`^ok ${name} · \\d+ ways round held$`)),
      ])
    },
  )

  test('Feishu does so with the methods of its SDK, and nobody there hears of it', async () => {
    const options: Omit<FeishuOptions, 'sdk'> = {
      appId: 'cli_0123456789abcdef',
      appSecret: 's3cret',
      platform: 'feishu',
    }
    const stops: (() => void)[] = []
    const bot: Rehearsable = {
      ...createFeishu({ ...options, sdk: await loadSdk() }, ports),
      rehearse: (twin) => feishuTwin(options, twin, (stop) => void stops.push(stop)),
    }
    const lines = await cover([bot])()
    for (const stop of stops) stop()
    expect(lines).toEqual(['ok feishu · 8 forms judged whole', 'ok feishu · 24 ways round held'])
  })
})

describe('what would leave unjudged is named with its path and what to do', () => {
  const remedy = ' → Disconnect it until that is mended.'

  test('a part of a form that the hooks are not shown', async () => {
    const lines = await cover(
      [memoryWith((rehearsal) => rehearsal)],
      (out) => (channel, judge) =>
        out(channel, async (payload) => {
          const parts = (payload['parts'] as { field: string }[]).filter(({ field }) => field !== 'option.1')
          const verdict = await judge({ ...payload, parts })
          return { ...verdict, payload }
        }),
    )()
    expect(lines).toContain(`bad memory · poll: option.1 was not judged.${remedy}`)
  })

  test('a file whose bytes the hooks cannot read', async () => {
    const lines = await cover(
      [memoryWith((rehearsal) => rehearsal)],
      (out) => (channel, judge) =>
        out(channel, async (payload) => ({ ...(await judge({ ...payload, files: [] })), payload })),
    )()
    expect(lines).toContain(`bad memory · voice: file.0 was not judged.${remedy}`)
  })

  test('a writer that takes a text from somewhere else than the outgoing', async () => {
    let asked = ''
    const channel = memoryWith((rehearsal) => {
      const { rehearsal: changed, put } = beside(rehearsal)
      return {
        ...changed,
        channel: {
          ...changed.channel,
          deliver: (outgoing) => (
            put(outgoing.type === 'contact' ? asked : ''),
            rehearsal.channel.deliver(outgoing)
          ),
        },
      }
    })
    const lines = await cover([channel], (out) => (channel, judge) => {
      const { push, ...rest } = out(channel, judge)
      return { ...rest, push: (push_) => ((asked = push_.parts.at(0)?.text ?? ''), push(push_)) }
    })()
    expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([
      `bad memory · contact: phone left as it was before a hook rewrote it.${remedy}`,
    ])
  })

  test('a word of a hook that changes nothing', async () => {
    const lines = await cover(
      [memoryWith((rehearsal) => rehearsal)],
      (out) => (channel, judge) =>
        out(channel, async (payload) => ({ ...(await judge(payload)), verdict: 'allow' })),
    )()
    expect(lines).toContain(`bad memory · text: it left although it was blocked.${remedy}`)
  })

  test('what shows before it was judged', async () => {
    let put: (text: string) => void = () => undefined
    const channel = memoryWith((rehearsal) => {
      const made = beside(rehearsal)
      put = made.put
      return made.rehearsal
    })
    const lines = await cover([channel], (out) => (channel, judge) => {
      const { push, ...rest } = out(channel, judge)
      return { ...rest, push: (asked) => (put(asked.type === 'draft' ? asked.text : ''), push(asked)) }
    })()
    expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([
      `bad memory · draft: it left before it was judged.${remedy}`,
    ])
  })

  test.each([
    ['as it is', 'latin1'],
    ['as base64', 'base64'],
    ['as hex', 'hex'],
  ] as const)('a outgoing that did not come through the door, %s', async (_, encoding) => {
    const channel = memoryWith((rehearsal, ports) => {
      const { rehearsal: changed, put } = beside(rehearsal)
      return {
        ...changed,
        hand: async ({ text }) => (
          ports.tripped('memory', 'deliver'),
          put(`..${Buffer.from(`a${text}b`).toString(encoding)}`)
        ),
      }
    })
    expect((await cover([channel])()).slice(1)).toEqual([
      `bad memory · a outgoing of its own: it left.${remedy}`,
      `bad memory · the copy of one that left: it left.${remedy}`,
      `bad memory · one that left, again: it left.${remedy}`,
    ])
  })

  test('a send that is refused and told to nobody', async () => {
    const lines = await cover([
      memoryWith(
        (rehearsal) => rehearsal,
        (ports) => ({ ...ports, tripped: () => undefined }),
      ),
    ])()
    expect(lines).toContain(`bad memory · one that left, again: nothing says that it was refused.${remedy}`)
  })
})

test('a form that could not be tried is a warning and no proof', async () => {
  const channel = memoryWith((rehearsal) => ({
    ...rehearsal,
    channel: {
      ...rehearsal.channel,
      deliver: async (outgoing) =>
        outgoing.type === 'voice'
          ? { kind: 'failed', why: 'No sound here.' }
          : rehearsal.channel.deliver(outgoing),
    },
  }))
  expect((await cover([channel])()).slice(0, 2)).toEqual([
    'warn memory · voice: not tried: No sound here.',
    'ok memory · 12 forms judged whole',
  ])
})

test('a bot that hangs, fails or has no rehearsal is told as such, and the others are examined all the same', async () => {
  const hangs = memoryWith((rehearsal) => ({
    ...rehearsal,
    channel: { ...rehearsal.channel, deliver: () => new Promise(() => undefined) },
  }))
  const fails = memoryWith(() => {
    throw new Error('no stage')
  })
  const { rehearse: _, ...without } = memoryWith((rehearsal) => rehearsal)
  const named = (channel: Rehearsable, name: string): Rehearsable => ({ ...channel, name })
  const started = performance.now()
  expect(
    (
      await cover(
        [
          named(hangs, 'one'),
          named(fails, 'two'),
          named(without, 'three'),
          memoryWith((rehearsal) => rehearsal),
        ],
        undefined,
        2000,
      )()
    ).slice(0, 4),
  ).toEqual([
    'bad one · not done within 2 s. Try again.',
    'bad two · not tried: no stage',
    'warn three · cannot be rehearsed',
    'ok memory · 13 forms judged whole',
  ])
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('asked twice at a time it runs once, and no file is left', async () => {
  let runs = 0
  const run = cover([memoryWith((rehearsal) => (runs++, rehearsal))])
  const [one, two] = await Promise.all([run(), run()])
  expect(one).toEqual(two)
  await run()
  expect(runs).toBe(2)
  expect(filesLeft()).toEqual([])
})

import * as fc from 'fast-check'
import { InputFile, type Api } from 'grammy'
import type { Update } from 'grammy/types'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiMethods } from '../../../../bots/telegram/tripwire/library.ts'
import { methods } from '../../../../bots/telegram/tripwire/methods.ts'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { menu, rawCall, token, wire } from '../rig.ts'
import { nest, textFields } from '../text-fields.ts'
import { tries } from '../../../tries.ts'

/**
 * Whatever is called inside the bot, by whatever way and in whatever dress, the canary is in nothing that
 * leaves.
 */
const runs = tries(20_000)
const canary = 'cAnary-7f3kQz9w'
const bytes = Buffer.from(canary)
/** As it would look in any of these: the text itself, a form, base64 at each of its three offsets, hex. */
const looks = [
  canary,
  encodeURIComponent(canary),
  bytes.toString('hex'),
  ...[0, 1, 2].map((skip) =>
    bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 3)).toString('base64'),
  ),
]

let server: BotApi
const tripped: string[] = []
const replies: string[] = []
beforeAll(async () => {
  server = await startBotApi({ token })
})
afterAll(() => server.stop())

const right: Readonly<Record<string, object>> = {
  getMe: {},
  getUpdates: { timeout: 0 },
  setMyCommands: { commands: menu },
  getChat: { chat_id: 7 },
  sendChatAction: { chat_id: 7, action: 'typing' },
  answerCallbackQuery: { callback_query_id: '42' },
  sendMessage: { chat_id: 7, text: 'judged' },
}
const pathOf = fc.constantFrom(...textFields.map(([, path]) => path))
const methodOf = fc.oneof(
  { arbitrary: fc.constantFrom(...apiMethods()), weight: 8 },
  { arbitrary: fc.constantFrom(...Object.keys(right)), weight: 4 },
  {
    arbitrary: fc.constantFrom(
      canary,
      `getMe?text=${canary}`,
      `getMe/${canary}`,
      'sendmessage',
      'constructor',
    ),
    weight: 1,
  },
)
/**
 * The method, and a field of which the list says that it bears text there, or that it bears text elsewhere.
 */
const called = fc.oneof(fc.constantFrom(...textFields), fc.tuple(methodOf, pathOf))

const dresses: Readonly<Record<string, (payload: Record<string, unknown>) => unknown>> = {
  plain: (payload) => payload,
  frozen: (payload) => Object.freeze(payload),
  bare: (payload) => Object.assign(Object.create(null) as object, payload),
  inherited: (payload) => Object.create(payload) as object,
  proxy: (payload) => new Proxy(payload, {}),
  'late proxy': (payload) => {
    let looks = 0
    return new Proxy(
      {},
      {
        ownKeys: () => (looks++ < 2 ? [] : Reflect.ownKeys(payload)),
        getOwnPropertyDescriptor: (_, key) => ({
          ...Reflect.getOwnPropertyDescriptor(payload, key),
          configurable: true,
        }),
        get: (_, key) => Reflect.get(payload, key),
      },
    )
  },
  getters: (payload) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(payload).map(([key, value]) => [key, { enumerable: true, get: () => value }]),
      ),
    ),
  toJSON: (payload) => ({ ...payload, toJSON: () => payload }),
  'late toJSON': (payload) =>
    Object.assign(Object.create({ toJSON: () => payload }) as object, right['getChat']),
  hidden: (payload) => Object.defineProperty({ ...right['getChat'] }, 'text', { value: payload }),
  symbol: (payload) => ({ ...right['getChat'], [Symbol('text')]: payload }),
  file: (payload) => ({ ...payload, document: new InputFile(bytes, `${canary}.txt`) }),
  list: (payload) => [payload],
  text: () => canary,
  nothing: () => undefined,
}

type Way = (api: Api, method: string, payload: unknown) => Promise<unknown>
const ways: Readonly<Record<string, (mint: (method: string, payload: object) => object) => Way>> = {
  raw: () => (api, method, payload) => rawCall(api, method)(payload),
  'beside a ticket': (mint) => (api, method, payload) =>
    rawCall(api, method)({ ...mint(method, { chat_id: 7, text: 'judged' }), ...(payload as object) }),
  'with a ticket of another method': (mint) => (api, method, payload) =>
    rawCall(api, method)(mint(`${method}x`, Object(payload) as object)),
  'minted where no push can be': (mint) => (api, method, payload) =>
    rawCall(
      api,
      method,
    )(
      method in methods && methods[method as keyof typeof methods] === 'minted'
        ? payload
        : mint(method, Object(payload) as object),
    ),
}

test('a secret in any field, in any dress, by any way: it is refused and recorded, and no byte of it leaves', async () => {
  const { bot, tripwire } = wire(server, (what) => tripped.push(what))
  const hooked = wire(server, (what) => tripped.push(what), true)
  let passed = 0
  let call: (api: Api) => Promise<unknown> = () => Promise.resolve()
  hooked.bot.use((context) => call(context.api))
  const update = { update_id: 1, message: server.say('hello') } as Update
  const property = fc.asyncProperty(
    called,
    fc.constantFrom(...Object.keys(dresses)),
    fc.constantFrom(...Object.keys(ways)),
    fc.boolean(),
    fc.boolean(),
    async ([method, path], dress, way, isWebhook, isRight) => {
      const payload = dresses[dress]?.({
        ...(isRight ? right[method] : {}),
        ...(nest(path, canary) as object),
      })
      const side = isWebhook ? hooked : { bot, tripwire }
      const before = tripped.length
      let isRefused = false
      call = async (api) => {
        await ways[way]?.((name, what) => side.tripwire.mint(name, what))(api, method, payload).catch(
          (error: unknown) => (isRefused = (error as { error_code?: unknown }).error_code === 403),
        )
      }
      await (isWebhook
        ? hooked.bot.handleUpdate(update, { send: (body) => void replies.push(body) })
        : call(bot.api))
      expect(tripped.length - before).toBe(isRefused ? 1 : 0)
      if (!isRefused) passed += 1
    },
  )
  await fc.assert(property, { numRuns: runs })
  // Whatever passed was free: the canary stood where nothing is sent.
  const left = [...server.calls().map(({ method, body }) => `${method} ${body}`), ...replies]
  for (const look of looks)
    expect(left.filter((text) => text.toLowerCase().includes(look.toLowerCase()))).toEqual([])
  const names = [
    ...server.calls().map(({ method }) => method),
    ...replies.map((reply) => (JSON.parse(reply) as { method: string }).method),
  ]
  expect(names.filter((name) => methods[name as keyof typeof methods] !== 'free')).toEqual([])
  expect(tripped.join()).not.toContain(canary)
  expect(tripped.length).toBeGreaterThan(runs * 0.9)
  expect(passed).toBeGreaterThan(0)
}, 120_000)

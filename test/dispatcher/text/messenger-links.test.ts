import { afterEach, expect, test } from 'vitest'
import { createTelegram } from '../../../bots/telegram/telegram.ts'
import { fromMarkdown } from '../../../src/agents/tools/messages.ts'
import { isMessengerAddress, messengerRanges } from '../../../src/dispatcher/text/messenger-links.ts'
import { commandRanges } from '../../../src/dispatcher/text/text.ts'
import type { Channel, ChannelPorts } from '../../../src/model/chat/channel.ts'
import type { AgentPush, Parcel } from '../../../src/model/chat/push.ts'
import { token } from '../../bots/telegram/rig.ts'
import { createRig as createWechatRig } from '../../bots/wechat/rig.ts'
import { startBotApi } from '../../fixtures/bot-api/server.ts'
import { harmless, spellings, wechatSpellings } from '../link-spellings.ts'
import { createRig } from '../rig.ts'
import { stretched } from '../../stretched.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** The dispatcher over a real bot, without its limits, which would let one message out a second. */
const over = async (start: (ports: Pick<ChannelPorts, 'isAdmitted'>) => Promise<Channel>) => {
  const made: { isAdmitted(parcel: Parcel): boolean } = { isAdmitted: () => false }
  const channel = await start({ isAdmitted: (parcel) => made.isAdmitted(parcel) })
  const rig = await createRig({ wrap: () => ({ ...channel, limits: [] }) })
  made.isAdmitted = (parcel) => rig.dispatcher.isAdmitted(parcel)
  ends.push(() => rig.stop())
  return rig
}

/** What a client of Telegram opens by itself when an address is tapped; undefined for what a browser does. */
const opens = (address: string): string | undefined => {
  const bare = address.replace(/#.*$/s, '')
  const own = /^(?:tg|ton|tonsite):(?:\/\/)?(.+)$/is.exec(bare)
  if (own !== null) return `scheme ${own[1]}`
  const [, host = '', port, rest = ''] = /^(?:https?:\/\/)?([^/?:@]+)(?::(\d+))?(.*)$/is.exec(bare) ?? []
  if (port !== undefined && port !== '80' && port !== '443') return undefined
  const name = decodeURIComponent(host)
    .toLowerCase()
    .replace(/^www\./, '')
  if (['t.me', 'telegram.me', 'telegram.dog'].includes(name)) return rest
  return /^[a-z]\w{3,}\.t\.me$/.test(name) ? `/${name.slice(0, -5)}${rest}` : undefined
}
/** No more than a look at a page. */
const isLook = (opened: string | undefined): boolean =>
  opened === undefined || (/^\/[a-z]\w+(?:\/\d+)?\/?$/i.test(opened) && !/bot/.test(opened))

interface Sent {
  readonly text?: string
  readonly caption?: string
  readonly entities?: readonly Entity[]
  readonly caption_entities?: readonly Entity[]
  readonly reply_markup?: { readonly inline_keyboard?: readonly (readonly { readonly url?: string }[])[] }
}
interface Entity {
  readonly type: string
  readonly offset: number
  readonly length: number
  readonly url?: string
}
const addresses =
  /(?:tg|ton|tonsite):\/\/[^\s<>"]+|(?:https?:\/\/)?[\p{L}\p{N}_.~-]+\.[\p{L}\p{N}_.~-]{2,}(?::\d+)?(?:[/?#][^\s<>"]*)?/giu
/** All that can be tapped in a message: addresses that the server finds outside code, links and buttons. */
const tappable = ({ text, caption, entities, caption_entities, reply_markup }: Sent): readonly string[] => {
  const words = text ?? caption ?? ''
  const shown = entities ?? caption_entities ?? []
  const code = shown.filter(({ type }) => type === 'code' || type === 'pre')
  const found = Array.from(words.matchAll(addresses), ({ 0: address, index }) => ({
    address,
    offset: index,
    length: address.length,
  }))
  const outside = found.filter(
    (one) =>
      !code.some((run) => run.offset < one.offset + one.length && one.offset < run.offset + run.length),
  )
  return [
    ...outside.map(({ address }) => address),
    ...shown.flatMap(({ url }) => url ?? []),
    ...(reply_markup?.inline_keyboard ?? []).flat().flatMap(({ url }) => url ?? []),
  ]
}

const eights = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  all.flatMap((_, at) => (at % 8 === 0 ? [all.slice(at, at + 8)] : []))
const buttons = (addresses: readonly string[]): AgentPush['parts'] =>
  addresses.flatMap((address, at) => [
    { field: `button.${at}.label`, text: 'Approve' },
    { field: `button.${at}.url`, text: address },
  ])
const links = (word: string, addresses: readonly string[]): Partial<AgentPush> => ({
  text: addresses.map(() => word).join('\n'),
  marks: addresses.map((_, at) => ({
    type: 'link',
    offset: at * (word.length + 1),
    length: word.length,
    field: `link.${at}`,
  })),
  parts: addresses.map((address, at) => ({ field: `link.${at}`, text: address })),
})
const picture = {
  type: 'photo',
  files: [{ name: 'a.png', type: 'image/png', bytes: Buffer.from('x') }],
} as const
type Forms = Readonly<
  Record<
    string,
    (addresses: readonly string[]) => Promise<readonly Partial<AgentPush>[]> | readonly Partial<AgentPush>[]
  >
>
/** All that an agent can do with an address, each with many of them. */
const forms: Forms = {
  words: (addresses) => [{ text: addresses.join('\n') }],
  'words in a sentence': (addresses) => [
    { text: addresses.map((one) => `Open (${one}), please.`).join(' ') },
  ],
  'words behind Chinese': (addresses) => [{ text: addresses.map((one) => `请点击：${one}`).join('\n') }],
  'links of Markdown': async (addresses) => [
    await fromMarkdown(addresses.map((one) => `[Approve](<${one}>)`).join(' ')),
  ],
  'links of HTML': async (addresses) => [
    await fromMarkdown(addresses.map((one) => `<a href="${one}">Approve</a>`).join(' ')),
  ],
  'links on words': (addresses) => [links('Approve', addresses)],
  'links on commands': (addresses) => [links('/hooks off', addresses)],
  buttons: (addresses) => eights(addresses).map((some) => ({ text: 'It waits.', parts: buttons(some) })),
  'buttons under pictures': (addresses) =>
    eights(addresses).map((some) => ({ ...picture, text: some[0] ?? '', parts: buttons(some) })),
}

/** What is an address at all; what is none is refused where one has to stand. */
const valid = (addresses: readonly string[]): readonly string[] =>
  addresses.filter((one) => URL.canParse(one))

test('no address with which Telegram itself acts can be tapped, in any spelling and form', async () => {
  const api = await startBotApi({ token })
  const rig = await over(async ({ isAdmitted }) => {
    const ignored = () => undefined
    const ports = {
      receive: ignored,
      isAdmitted,
      tripped: ignored,
      trouble: ignored,
      menu: [],
      now: Date.now,
      elapsedMs: () => performance.now(),
      log: ignored,
    }
    const channel = createTelegram({ token, apiRoot: api.root, chats: [] }, ports)
    ends.push(
      () => api.stop(),
      () => channel.stop(),
    )
    return channel
  })
  const all = Object.values(spellings)
  for (const [form, make] of Object.entries(forms)) {
    for (const asked of await make(/words/.test(form) && !/links/.test(form) ? all : valid(all))) {
      const said = await rig.push('', { channel: 'telegram', chat_id: '7', ...asked })
      expect(said, form).toMatchObject({ outcome: 'delivered' })
    }
  }
  const sent = api
    .calls()
    .flatMap(({ method, params }) => (/^send(?:Message|Photo)$/.test(method) ? [params as Sent] : []))
  expect(sent.length).toBeGreaterThanOrEqual(17)
  expect(sent.flatMap(tappable).filter((one) => !isLook(opens(one)))).toEqual([])
  // What cannot be opened is still said.
  const words = sent.map(({ text, caption }) => text ?? caption ?? '').join('\n')
  expect(valid(all).filter((one) => words.split(one.replace(/\s/g, '')).length < 6)).toEqual([])
}, 20_000)

test.each([
  'https://ｔ.ｍｅ/gate_bot?start=x',
  'https://T%2eMe/gate_bot?start=x',
  ' tg:resolve?domain=gate_bot ',
])('%s is an address of the messenger, in whatever letters', (address) =>
  expect([isMessengerAddress(address), messengerRanges(`Open ${address.trim()} now.`).length]).toEqual([
    true,
    1,
  ]),
)

test('a page that is only looked at stays an address to tap', async () => {
  for (const address of harmless) {
    expect(isMessengerAddress(address), address).toBe(false)
    expect(commandRanges(`See (${address}), and more.`), address).toEqual([])
  }
})

test('an address of WeChat itself cannot be tapped there, in any spelling', async () => {
  const made: { wechat?: Awaited<ReturnType<typeof createWechatRig>> } = {}
  const rig = await over(async (ports) => {
    made.wechat = await createWechatRig({ ports })
    return made.wechat.channel
  })
  ends.push(async () => await made.wechat?.channel.stop())
  for (const form of ['words in a sentence', 'words behind Chinese', 'links on words', 'buttons']) {
    for (const asked of (await forms[form]?.(
      /words i|behind/.test(form) ? wechatSpellings : valid(wechatSpellings),
    )) ?? []) {
      expect(await rig.push('', { channel: 'wechat', chat_id: 'alice', ...asked }), form).toMatchObject({
        outcome: 'delivered',
      })
    }
  }
  const arrived = made.wechat?.arrived.join('\n') ?? ''
  expect(arrived.split('dl/business/').length).toBeGreaterThanOrEqual(5)
  expect(
    arrived.match(/\S*(?:(?:weixin|wxp):\S|(?:wechat|qq)\S*\.com\S|wxaurl\.cn|u(?:\.|%2E)wechat)\S*/gi),
  ).toBeNull()
  await rig.push('See https://mp.weixin.qq.com/s/abc and weixin: my name', {
    channel: 'wechat',
    chat_id: 'alice',
  })
  expect(made.wechat?.arrived.at(-1)).toBe('alice: See https://mp.weixin.qq.com/s/abc and weixin: my name')
})

test('a text made of addresses costs next to nothing', () => {
  const startedAtMs = performance.now()
  for (const text of [
    't.me/'.repeat(20_000),
    't.me/a?start '.repeat(8000),
    '%74'.repeat(30_000),
    '.'.repeat(100_000),
    'ｔ．'.repeat(50_000),
    '%25'.repeat(30_000),
    'tg:'.repeat(30_000),
  ])
    messengerRanges(text)
  expect(performance.now() - startedAtMs).toBeLessThan(stretched(2000))
})

test('a text of signs behind an address costs what its length costs', () => {
  const text = `t.me/${'!'.repeat(200_000)}x`
  const startedAtMs = performance.now()
  messengerRanges(text)
  expect(performance.now() - startedAtMs).toBeLessThan(stretched(500))
})

import { afterEach, expect, test } from 'vitest'
import { createTelegram } from '../../../../bots/telegram/telegram.ts'
import { token } from '../../../bots/telegram/rig.ts'
import { startBotApi } from '../../../fixtures/bot-api/server.ts'
import { harmless, spellings } from '../link-spellings.ts'
import { forms, startOver, valid } from './link-forms.ts'
import { commandRanges, links } from './texts.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

const { isMessengerAddress, linkBreaks, messengerRanges } = links

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

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

test('no address with which Telegram itself acts can be tapped, in any spelling and form', async () => {
  const api = await startBotApi({ token })
  const rig = await startOver(async ({ isAdmitted }) => {
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
  ends.push(() => rig.stop())
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

test.each([
  'https://applink.feishu.cn/client/passport/sso?token=x',
  'https://APPLINK.larksuite.com/client/chat/open?openChatId=oc_1',
  'https://applink%2Efeishu.cn/client/web_url/open?url=x',
  'applink.larkoffice.com/client/mini_program/open?appId=cli_1',
  'lark://client/op/open',
  'feishu://client/invite/member',
])('%s is an address of Feishu, which shows no code, so a blank breaks it in words', (address) =>
  expect([isMessengerAddress(address), linkBreaks(`Open ${address} now.`).length > 0]).toEqual([true, true]),
)

test('a page that is only looked at stays an address to tap', async () => {
  for (const address of harmless) {
    expect(isMessengerAddress(address), address).toBe(false)
    expect(commandRanges(`See (${address}), and more.`), address).toEqual([])
    expect(linkBreaks(`See (${address}), and more.`), address).toEqual([])
  }
})

test('a text made of addresses costs next to nothing', () => {
  const tookMs = measureProcessor()
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
  expect(tookMs()).toBeLessThan(stretched(2000))
})

test('a text of signs behind an address costs what its length costs', () => {
  const text = `t.me/${'!'.repeat(200_000)}x`
  const tookMs = measureProcessor()
  messengerRanges(text)
  expect(tookMs()).toBeLessThan(stretched(500))
})

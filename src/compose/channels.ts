import { join } from 'node:path'
import { createTelegram } from '../../bots/telegram/telegram.ts'
import { createWeb } from '../../bots/web/web.ts'
import { drawCode } from '../../bots/wechat/connect/qr.ts'
import { createWechat } from '../../bots/wechat/wechat.ts'
import { preferencesOf } from '../commands/cards/preferences.ts'
import { menu } from '../commands/table.ts'
import { translateInto } from '../commands/text/catalogues.ts'
import { createReports } from '../dispatcher/notices/reports.ts'
import type { Channel, ChannelPorts, MenuItem } from '../model/chat/channel.ts'
import { prose } from '../model/chat/prose.ts'
import { webOwner, type Base } from './base.ts'
import type { Commands } from './commands.ts'
import type { Gate } from './gate.ts'
import type { Inbox } from './inbox.ts'
import type { Outbound } from './outbound.ts'

export interface Channels {
  /** Connects each channel, the web page first. */
  start(): Promise<void>
}

const webOf = (
  { config, options, page, viewers }: Base,
  { gatekeeper }: Gate,
  { dispatcher }: Outbound,
  commands: Commands,
  ports: ChannelPorts,
): Channel =>
  createWeb(
    { ...config.web, access: page },
    {
      ...ports,
      preferences: () =>
        Promise.resolve(preferencesOf(commands.ports, webOwner.id, webOwner.chat_id, viewers.wechatLogin())),
      onPreferences: viewers.add,
      entered: () => (gatekeeper.claim.byConsole(), options.console?.entered()),
      loginMisused: (why) => dispatcher.alarm('login', prose`⚠ Web login: ${why}`),
    },
  )

const telegramOf = ({ config, options, store }: Base, ports: ChannelPorts): readonly Channel[] =>
  config.telegram === undefined
    ? []
    : [
        createTelegram(
          {
            ...config.telegram,
            recall: () => store.getFact('telegram webhook'),
            remember: (url) => store.setFact('telegram webhook', url),
            named: (username) => options.console?.named?.({ username, draw: drawCode }),
          },
          ports,
        ),
      ]

const wechatOf = ({ config, options, store, viewers }: Base, ports: ChannelPorts): readonly Channel[] =>
  config.wechat === undefined
    ? []
    : [
        createWechat(
          {
            ...config.wechat,
            ilink: { card: join(config.home, 'secrets', 'wechat.json') },
            show: (lines) => options.console?.say(lines),
            shown: viewers.showWechatLogin,
            number: async (prompt, signal) => options.console?.number?.(prompt, signal),
            recall: () => store.getFact('wechat login'),
            remember: (login) => store.setFact('wechat login', login),
          },
          ports,
        ),
      ]

/** An item of the menu with its description in each language of ours. */
const inEveryLanguage = (item: (typeof menu)[number]): MenuItem => {
  const zh = translateInto('zh')(item.description)
  return { ...item, ...(zh === undefined ? {} : { translated: { zh } }) }
}

/** Makes every configured channel, and those of the host program. */
export const createChannels = (
  base: Base,
  gate: Gate,
  outbound: Outbound,
  commands: Commands,
  inbox: Inbox,
): Channels => {
  const { options, life, now, elapsedMs, log } = base
  const { dispatcher } = outbound
  const ports: ChannelPorts = {
    receive: inbox.receive,
    isAdmitted: dispatcher.isAdmitted,
    menu: menu.map(inEveryLanguage),
    now,
    elapsedMs,
    log,
    ...createReports({ tellOwners: dispatcher.tellOwners, alarm: dispatcher.alarm, log }),
  }
  const all = [
    webOf(base, gate, outbound, commands, ports),
    ...telegramOf(base, ports),
    ...wechatOf(base, ports),
    ...(options.channels?.(ports) ?? []),
  ]
  for (const channel of all) base.channels.set(channel.name, channel)
  return {
    start: async () => {
      for (const channel of all) {
        await channel.start()
        life.onStop(() => channel.stop())
      }
    },
  }
}

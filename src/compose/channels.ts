import { join } from 'node:path'
import type { CardFacts } from '../../bots/web/preferences.ts'
import { createWeb } from '../../bots/web/web.ts'
import { pageName, preferencesOf } from '../commands/cards/preferences.ts'
import { sourceOf } from '../commands/diff/source.ts'
import { digestOf } from '../commands/cards/row.ts'
import { createReports } from '../notices/reports.ts'
import type { Channel, ChannelPorts } from '../core/model/chat/channel.ts'
import { rowKey } from '../shared/gate/catalogue.ts'
import { prose, verbatim, type Prose } from '../core/model/chat/prose.ts'
import type { Address } from '../core/model/chat/push.ts'
import { platforms } from '../shared/chat/platform.ts'
import type { Passkey } from '../core/model/gate/passkey.ts'
import type { Acts } from './acts.ts'
import { webOwner, type Base } from './base.ts'
import type { Commands } from './commands.ts'
import type { GateChapter } from './gate.ts'
import { unreadyWords } from './health/unready.ts'
import type { Inbox } from './inbox.ts'
import type { Outbound } from './outbound.ts'
import { ourWords } from '../shared/said/our-words.ts'

const newPasskeyText = ({ owner, rpId }: Passkey, name: string): Prose =>
  prose`${owner} has a new passkey, which logs in at ${rpId}.\nIf you do not know it → /passkeys remove ${verbatim(name)}`

/** What a button under a card does, and the hook that it is about, with a handle for the page. */
const cardFacts =
  ({ gatekeeper, owned, rows }: GateChapter) =>
  (press: string): CardFacts | undefined => {
    const card = gatekeeper.cards.peek(press)
    if (card === undefined || card.owner !== webOwner.id) return undefined
    const { act, fingerprint } = card
    const row =
      fingerprint === undefined
        ? undefined
        : rows().find(({ proposed, live }) => proposed === fingerprint || live === fingerprint)
    const key = row === undefined ? undefined : rowKey(row)
    if (row === undefined || key === undefined) return { act }
    const handle = owned.pageHandle(webOwner.id, webOwner.chat_id, key, digestOf(row) ?? '')
    return { act, hook: { handle, name: pageName(row) } }
  }

const webOf = (
  { config, options, life, page: access, viewers, history, isInCharge }: Base,
  gate: GateChapter,
  { notices, readers }: Outbound,
  acts: Acts,
  commands: Commands,
  ports: ChannelPorts,
): Channel => {
  const { gatekeeper } = gate
  const page: Address = { channel: 'web', chat_id: webOwner.chat_id }
  return createWeb(
    { ...config.web, access },
    {
      ...ports,
      preferences: () =>
        Promise.resolve(preferencesOf(commands.ports, webOwner.id, page, viewers.wechatLogin())),
      onPreferences: viewers.add,
      unready: () =>
        unreadyWords({
          phase: life.phase(),
          isInCharge: isInCharge(),
          isInLockdown: gatekeeper.state().lockdown !== undefined,
        }),
      isOwner: () => gatekeeper.isOwner(webOwner.id),
      cardOf: cardFacts(gate),
      history,
      source: (handle) => sourceOf(commands.ports, webOwner.id, page, handle),
      passkeys: {
        mayEnter: (id) => id === webOwner.id || gatekeeper.isOwner(id),
        find: gatekeeper.passkeys.find,
        idsOf: (owner) =>
          gatekeeper.passkeys.all().flatMap((passkey) => (passkey.owner === owner ? [passkey.id] : [])),
        noteUse: acts.passkeyUses.noteUse,
        add: async (passkey) => {
          const added = await acts.acts.addPasskey(passkey)
          if (added.ok)
            notices.tellOwners(newPasskeyText(added.passkey, gatekeeper.passkeys.nameOf(added.passkey.id)))
          return added
        },
      },
      reads: (language, zone) => readers.report(page, language, zone),
      entered: async (language) => {
        readers.report(page, language)
        const wasClaimed = gatekeeper.claim.isClaimed()
        await gatekeeper.claim.byConsole()
        if (!wasClaimed) commands.offerProtection(page)
        options.console?.entered()
      },
      loginMisused: (why) => notices.alarm('login', prose`⚠ Web login: ${ourWords(why)}`),
    },
  )
}

// The code of a messenger is loaded only when that messenger is configured.
const telegramOf = async (
  { config, options, store }: Base,
  { readers }: Outbound,
  ports: ChannelPorts,
): Promise<Channel | undefined> => {
  if (config.telegram === undefined) return undefined
  const { createTelegram } = await import('../../bots/telegram/telegram.ts')
  const { drawCode } = await import('../../bots/wechat/connect/qr.ts')
  return createTelegram(
    {
      ...config.telegram,
      recall: () => store.getFact('telegram webhook'),
      remember: (url) => store.setFact('telegram webhook', url),
      named: (username) => options.console?.named?.({ username, draw: drawCode }),
      languages: () => readers.chosenIn('telegram'),
    },
    ports,
  )
}

const feishuOf = async ({ config, store }: Base, ports: ChannelPorts): Promise<Channel | undefined> => {
  if (config.feishu === undefined) return undefined
  const { loadSdk } = await import('../../bots/feishu/sdk.ts')
  const { createFeishu } = await import('../../bots/feishu/feishu.ts')
  return createFeishu(
    {
      ...config.feishu,
      sdk: await loadSdk(),
      recall: () => store.getFact('feishu chats'),
      remember: (chats) => store.setFact('feishu chats', chats),
    },
    ports,
  )
}

const wechatOf = async (
  { config, options, store, viewers }: Base,
  { dispatcher }: Outbound,
  ports: ChannelPorts,
): Promise<Channel | undefined> => {
  if (config.wechat === undefined) return undefined
  const { createWechat } = await import('../../bots/wechat/wechat.ts')
  return createWechat(
    {
      ...config.wechat,
      ilink: { card: join(config.home, 'secrets', 'wechat.json') },
      show: (lines) => options.console?.say(lines),
      shown: viewers.showWechatLogin,
      number: async (prompt, signal) => options.console?.number?.(prompt, signal),
      nearlySpent: (chat_id, left) =>
        void dispatcher.notify(
          { channel: 'wechat', chat_id },
          prose`WeChat lets only ${left} more messages leave until you write. hookgate keeps them for questions and notices, and messages of agents wait. → Send anything, such as a dot, and 10 more can leave.`,
        ),
      recall: () => store.getFact('wechat login'),
      remember: (login) => store.setFact('wechat login', login),
    },
    ports,
  )
}

/**
 * Makes every configured channel, and those of the host program. Returns what connects each of them, the web
 * page first.
 */
export const createChannels = async (
  base: Base,
  gate: GateChapter,
  outbound: Outbound,
  acts: Acts,
  commands: Commands,
  inbox: Inbox,
): Promise<() => Promise<void>> => {
  const { options, life, now, elapsedMs, log } = base
  const { dispatcher, notices } = outbound
  const ports: ChannelPorts = {
    receive: inbox.receive,
    isAdmitted: dispatcher.isAdmitted,
    menu: commands.table.menu,
    now,
    elapsedMs,
    log,
    ...createReports({
      ...notices,
      log,
      titles: {
        telegram: 'Telegram',
        wechat: 'WeChat',
        feishu: platforms[base.config.feishu?.platform ?? 'feishu'].name,
      },
    }),
  }
  const all = [
    webOf(base, gate, outbound, acts, commands, ports),
    await telegramOf(base, outbound, ports),
    await feishuOf(base, ports),
    await wechatOf(base, outbound, ports),
    ...(options.channels?.(ports) ?? []),
  ].filter((channel) => channel !== undefined)
  for (const channel of all) base.channels.set(channel.name, channel)
  return async () => {
    await base.waiting.close()
    for (const channel of all) {
      await channel.start()
      life.onStop(() => channel.stop())
    }
  }
}

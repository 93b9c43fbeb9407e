import { join } from 'node:path'
import { createBlockNotices } from '../commands/cards/calls/blocked.ts'
import { translateInto } from '../commands/text/catalogues.ts'
import { createDispatcher, type DispatcherPorts } from '../core/dispatcher/dispatcher.ts'
import { createNotices, type Notices, type NoticesPorts } from '../notices/notices.ts'
import { createOwnerNews } from '../notices/owner-news.ts'
import { createLimits } from '../rate-limits/limits.ts'
import { createPauses } from '../rate-limits/pauses.ts'
import { isBudget } from '../shared/hooks/budget.ts'
import { inertHooks } from './health/inert.ts'
import { createChats } from '../chats/chats.ts'
import { messengerAddresses } from '../chats/messenger-addresses.ts'
import { createReaders } from '../chats/readers.ts'
import { machineZone } from '../shared/chat/zone.ts'
import { createFileStore } from '../store/files.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import type { HookChapter } from './hooks.ts'

/**
 * Connects the dispatcher with what is known of messengers (their addresses and rate limits), and with what
 * hookgate says by itself, which leaves as every other notice.
 */
export const connectDispatcher = (
  ports: Omit<DispatcherPorts, keyof Notices['tellers'] | 'addresses' | 'limits' | 'pauses'> &
    Omit<NoticesPorts, 'addRecord'>,
) => {
  const notices = createNotices({ ...ports, addRecord: ports.store.addRecord })
  const dispatcher = createDispatcher({
    ...ports,
    ...notices.tellers,
    addresses: messengerAddresses,
    limits: createLimits(ports),
    pauses: createPauses(ports),
  })
  notices.onNotice((address, content) => void dispatcher.notify(address, content))
  return { dispatcher, notices }
}

/**
 * The outgoing messages: the dispatcher, the notices that nobody asked for, the agent of each chat, the chats
 * of the owners and the languages of the people. `tellNews` tells the owners what tell_owner has to say of an
 * agent.
 */
export const createOutbound = (
  { config, channels, store, history, newId, after, now, elapsedMs, log }: Base,
  { gatekeeper, state, cardButtons }: GateChapter,
  { hooks }: HookChapter,
) => {
  const { home, workspace } = config
  const chats = createChats({
    agents: config.agents,
    configured: [
      ...(config.telegram?.chats ?? []).map((id) => `telegram:${id}`),
      ...(config.feishu?.chats ?? []).map((id) => `feishu:${id}`),
    ],
    log,
    groupOf: ({ channel, chat_id }) => channels.get(channel)?.groupOf?.(chat_id),
    owners: () => gatekeeper.state().owners.filter(({ id }) => gatekeeper.isOwner(id)),
    recall: () => store.getFact('chats'),
    remember: (keys) => store.setFact('chats', keys),
    recallChosen: () => store.getFact('agents of chats'),
    rememberChosen: (chosen) => store.setFact('agents of chats', chosen),
  })
  const readers = createReaders({
    recall: () => store.getFact('readers'),
    remember: (known) => store.setFact('readers', known),
    zone: machineZone,
    log,
  })
  const { dispatcher, notices } = connectDispatcher({
    judge: hooks.judge,
    gate: state,
    inert: inertHooks(gatekeeper),
    shadows: hooks.shadowsOf,
    isHeard: hooks.isHeard,
    keep: history?.keep,
    blockNotices: createBlockNotices(cardButtons, (fingerprint) =>
      gatekeeper.armed().some((hook) => hook.fingerprint === fingerprint && isBudget(hook.entry)),
    ),
    translateFor: (address) => translateInto(readers.languageOf(address)),
    zoneFor: readers.zoneOf,
    ownerChats: chats.ofOwners,
    channel: (name) => channels.get(name),
    buttonsLeft: gatekeeper.cards.left,
    ownerOf: gatekeeper.ownerOf,
    shown: gatekeeper.handles.shown,
    store,
    files: createFileStore(join(home, 'files')),
    previews: () =>
      config.previews ||
      !gatekeeper
        .armed()
        .some(({ entry, isShadow }) => entry.event === 'on_outbound_message' && isShadow !== true),
    workspace,
    newId,
    after,
    elapsedMs,
    now,
    log,
  })
  const tellNews = createOwnerNews({
    owners: () =>
      gatekeeper
        .state()
        .owners.flatMap(({ id, chat_id }) =>
          chat_id === undefined || !gatekeeper.isOwner(id)
            ? []
            : [{ id, chat: { channel: id.slice(0, id.indexOf(':')), chat_id } }],
        ),
    tellOwner: (chat, text) => notices.tellOwner(chat, text, 'news'),
    after,
    now,
    tz: config.tz,
  })
  return { dispatcher, notices, chats, readers, tellNews }
}

export type Outbound = ReturnType<typeof createOutbound>

import { createAskCards } from '../commands/families/asks.ts'
import { canonicalJson } from '../gatekeeper/seal/canonical.ts'
import type { Gatekeeper } from '../gatekeeper/gatekeeper.ts'
import type { Address } from '../model/chat/push.ts'
import type { AnswerWays } from '../model/gate/permission.ts'
import { messageOf } from '../model/gate/problem.ts'
import { createPermissions, type Permissions } from '../permissions/permissions.ts'
import type { Base } from './base.ts'
import type { Gate } from './gate.ts'
import type { Outbound } from './outbound.ts'

const after = (delayMs: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

/** The handles and buttons of a question under the cards that were delivered to these chats. */
const waysOf = ({ handles, cards }: Gatekeeper, key: string, addresses: readonly Address[]): AnswerWays => {
  const isThere = (owner: string, chat: string): boolean =>
    addresses.some(({ channel, chat_id }) => chat_id === chat && owner.startsWith(`${channel}:`))
  return {
    handles: handles.ofQuestion(key).filter(({ owner, chat }) => isThere(owner, chat)),
    buttons: cards.ofQuestion(key).filter(({ card }) => isThere(card.owner, card.chat)),
  }
}

/** The chapter that asks the owners about tool calls. */
export const createPermissionChapter = (
  { config, store, newId, now, elapsedMs, log }: Base,
  { gatekeeper, handles, cardButtons }: Gate,
  { dispatcher, chats }: Outbound,
): Permissions => {
  const quietly = (write: Promise<void>): void =>
    void write.catch((error: unknown) =>
      log('error', 'a question could not be stored, so it does not outlive hookgate', {
        error: messageOf(error),
      }),
    )
  const unreadable = (error: unknown): readonly [] => {
    log('error', 'the questions of the last run could not be read', { error: messageOf(error) })
    return []
  }
  return createPermissions({
    ...createAskCards(cardButtons, { handle: handles.handle, now }),
    fire: dispatcher.fire,
    notify: dispatcher.notify,
    tellOwners: dispatcher.tellOwners,
    chats: chats.ofOwners,
    isOwner: gatekeeper.isOwner,
    gate: gatekeeper.state,
    listed: (agentId) => config.agents.find(({ id }) => id === agentId)?.ask ?? [],
    canonical: canonicalJson,
    record: store.addRecord,
    stored: {
      put: (question) => quietly(store.putQuestion(question)),
      set: (key, state) => quietly(store.setQuestion(key, state)),
      remove: (key) => quietly(store.removeQuestion(key)),
      all: () => store.questions().catch(unreadable),
      ways: (key, addresses) => waysOf(gatekeeper, key, addresses),
      restoreWays: (key, { handles: shown, buttons }) => {
        for (const one of shown) gatekeeper.handles.restore(key, one)
        for (const { press, card } of buttons) gatekeeper.cards.restore(press, card)
      },
    },
    newId,
    after,
    now,
    elapsedMs,
  })
}

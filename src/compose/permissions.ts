import { createAskCards } from '../commands/families/questions/asks.ts'
import { chatsOf } from '../chats/chats.ts'
import type { Person } from '../core/model/gate/person.ts'
import { mayAnswer, type AskedCall } from '../shared/gate/permission.ts'
import { coverOf, knownCommands } from '../core/gatekeeper/grants/pattern-cover.ts'
import { canonicalJson } from '../core/model/approval/canonical.ts'
import type { Gate } from '../core/gatekeeper/open-gate.ts'
import type { Address } from '../core/model/chat/push.ts'
import type { AnswerWays } from '../core/model/chat/card.ts'
import { messageOf } from '../core/model/gate/problem.ts'
import { createPermissions, type Permissions } from '../permissions/permissions.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import type { Outbound } from './outbound.ts'

const after = (delayMs: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

/** The handles and buttons of a question under the cards that were delivered to these chats. */
const waysOf = ({ handles, cards }: Gate, key: string, addresses: readonly Address[]): AnswerWays => {
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
  { gatekeeper, owned, cardButtons }: GateChapter,
  { dispatcher, notices }: Outbound,
): Permissions => {
  const people = (asked: AskedCall): readonly Person[] =>
    gatekeeper
      .state()
      .people.filter(({ id }) => gatekeeper.person(id) !== undefined)
      .filter((person) => mayAnswer(person, asked))
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
    ...createAskCards(cardButtons, {
      handle: owned.handle,
      gate: gatekeeper.state,
      person: gatekeeper.person,
      isKnownCommand: (line) => knownCommands(line) !== undefined,
      workspace: config.workspace,
      now,
    }),
    fire: dispatcher.fire,
    notify: dispatcher.notify,
    tellOwners: notices.tellOwners,
    chats: (asked) => chatsOf(people(asked)),
    mayAnswer: (id, asked) => people(asked).some((person) => person.id === id),
    gate: gatekeeper.state,
    listed: (agentId) => config.agents.find(({ id }) => id === agentId)?.ask ?? [],
    grants: () => [...gatekeeper.state().grants.values()],
    isOwner: gatekeeper.isOwner,
    coverOf,
    isSealed: (fingerprint) => gatekeeper.state().approvals.get(fingerprint)?.unsealed.length === 0,
    recallUses: () => store.getFact('grant uses'),
    rememberUses: (counts) => store.setFact('grant uses', counts),
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

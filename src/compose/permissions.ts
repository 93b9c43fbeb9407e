import { createAskCards } from '../commands/families/asks.ts'
import { chatsOf } from '../inbox/chats.ts'
import { mayAnswer, type AskedCall, type Person } from '../model/gate/person.ts'
import { compileWhole } from '../hooks/match/pattern.ts'
import { canonicalJson } from '../gatekeeper/seal/canonical.ts'
import { createPermissions, type Permissions } from '../permissions/permissions.ts'
import type { Base } from './base.ts'
import type { Gate } from './gate.ts'
import type { Outbound } from './outbound.ts'

const after = (delayMs: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

/** The chapter that asks the owners about tool calls. */
export const createPermissionChapter = (
  { config, store, newId, now, elapsedMs }: Base,
  { gatekeeper, handles, cardButtons }: Gate,
  { dispatcher }: Outbound,
): Permissions => {
  const people = (asked: AskedCall): readonly Person[] =>
    gatekeeper
      .state()
      .people.filter(({ id }) => gatekeeper.person(id) !== undefined)
      .filter((person) => mayAnswer(person, asked))
  return createPermissions({
    ...createAskCards(cardButtons, {
      handle: handles.handle,
      gate: gatekeeper.state,
      person: gatekeeper.person,
      now,
    }),
    fire: dispatcher.fire,
    notify: dispatcher.notify,
    tellOwners: dispatcher.tellOwners,
    chats: (asked) => chatsOf(people(asked)),
    mayAnswer: (id, asked) => people(asked).some((person) => person.id === id),
    gate: gatekeeper.state,
    listed: (agentId) => config.agents.find(({ id }) => id === agentId)?.ask ?? [],
    grants: () => [...gatekeeper.state().grants.values()],
    isOwner: gatekeeper.isOwner,
    linear: compileWhole,
    isSealed: (fingerprint) => gatekeeper.state().approvals.get(fingerprint)?.unsealed.length === 0,
    recallUses: () => store.getFact('grant uses'),
    rememberUses: (counts) => store.setFact('grant uses', counts),
    canonical: canonicalJson,
    record: store.addRecord,
    newId,
    after,
    now,
    elapsedMs,
  })
}

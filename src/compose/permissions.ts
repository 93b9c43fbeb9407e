import { createAskCards } from '../commands/families/asks.ts'
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
  { dispatcher, chats }: Outbound,
): Permissions =>
  createPermissions({
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
    newId,
    after,
    now,
    elapsedMs,
  })

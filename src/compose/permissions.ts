import { createAskCards } from '../commands/asks.ts'
import type { CommandPorts } from '../commands/ports.ts'
import type { createTable } from '../commands/table.ts'
import type { Config } from '../config/load.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { canonicalJson } from '../gatekeeper/canonical.ts'
import type { Gatekeeper } from '../gatekeeper/gatekeeper.ts'
import type { Chats } from '../inbox/chats.ts'
import { createPermissions, type Permissions } from '../permissions/permissions.ts'
import type { Store } from '../store/store.ts'

export interface PermissionParts {
  readonly config: Config
  readonly dispatcher: Dispatcher
  readonly gatekeeper: Gatekeeper
  readonly chats: Chats
  readonly store: Store
  cardButtons(): ReturnType<typeof createTable>['cardButtons']
  ports(): CommandPorts
  newId(): string
  now(): number
}

const after = (delayMs: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

/** Who asks the owners about tool calls. */
export const createPermissionChapter = ({
  config,
  dispatcher,
  gatekeeper,
  chats,
  store,
  cardButtons,
  ports,
  newId,
  now,
}: PermissionParts): Permissions =>
  createPermissions({
    ...createAskCards(cardButtons, ports),
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
  })

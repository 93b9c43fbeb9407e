import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import type { Gatekeeper } from '../gatekeeper/gatekeeper.ts'
import type { ListedHook } from '../model/gate/catalogue.ts'
import type { Separation } from '../model/gate/separation.ts'
import type { Store } from '../store/store.ts'
import type { Base } from './base.ts'
import type { Gate } from './gate.ts'
import type { Outbound } from './outbound.ts'

/** The parts of a running gate. They can open it, so the public API gives none of them away. */
export interface Parts {
  readonly dispatcher: Dispatcher
  readonly gatekeeper: Gatekeeper
  readonly store: Store
  readonly separation: Separation
  rows(): readonly ListedHook[]
  /** Makes a one-time login address and, while the gate has no owner, a pairing code. */
  invite(): { readonly login: string; readonly pairing?: string }
  stop(): Promise<void>
}

/** Collects the parts of the running gate for its own programs and tests. */
export const partsOf = (
  { store, isolation, page, life }: Base,
  { gatekeeper, rows }: Gate,
  { dispatcher }: Outbound,
): Parts => ({
  dispatcher,
  gatekeeper,
  store,
  separation: isolation.separation,
  rows,
  stop: life.stop,
  invite: () => ({
    login: page.login(),
    ...(gatekeeper.claim.isClaimed() ? {} : { pairing: gatekeeper.pairing.mint() }),
  }),
})

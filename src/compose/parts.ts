import type { ListedHook } from '../shared/gate/catalogue.ts'
import type { Separation } from '../shared/gate/separation.ts'
import { webOwner, type Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import type { Outbound } from './outbound.ts'

/**
 * Collects the parts of the running gate for its own programs and tests. They can open it, so the public API
 * gives none of them away.
 */
export const partsOf = (
  { store, records, isolation, page, life }: Base,
  { gatekeeper, rows }: GateChapter,
  { dispatcher }: Outbound,
) => ({
  dispatcher,
  gatekeeper,
  store,
  records,
  separation: isolation.separation,
  rows,
  stop: life.stop,
  /** Makes a one-time login address and, while the gate has no owner, a pairing code. */
  invite: () => ({
    login: page.login(webOwner.id),
    pairing: gatekeeper.consoleCode(),
  }),
})

export type Parts = ReturnType<typeof partsOf>

/**
 * A running gate, as its host program sees it. Nothing here approves a hook, turns the switch or names an
 * owner: a person does that through a channel.
 */
export interface Running {
  /** A copy of the gate's state. `lockdown` is the reason of a lockdown. `owners` are platform ids. */
  state(): {
    readonly isOn: boolean
    readonly revision: number
    readonly lockdown?: string
    readonly owners: readonly string[]
    /**
     * False until a person has become the owner by the console's login, a pairing code or the environment.
     */
    readonly isClaimed: boolean
  }
  /** How agents and hooks are kept apart from the gate on this machine. */
  readonly separation: Separation
  /** A copy of the list that `/hooks` shows: every proposed and every approved hook. */
  rows(): readonly ListedHook[]
  /**
   * Makes a one-time address of the web page and, while the gate has no owner, a pairing code. Anyone who has
   * one of them can become the owner.
   */
  invite(): { readonly login: string; readonly pairing?: string }
  /**
   * Calls back once when somebody becomes the first owner, with that owner's id; never when there is one
   * already.
   */
  onFirstOwner(listener: (owner: string) => void): void
  /** Stops everything that was started, in the opposite order. Never rejects. */
  stop(): Promise<void>
}

/** Makes the host program's view from the parts of a started gate. */
export const runningOf = ({ gatekeeper, separation, rows, invite, stop }: Parts): Running => {
  const { state, claim } = gatekeeper
  return {
    state: () => {
      const { isOn, revision, lockdown, owners } = state()
      return {
        isOn,
        revision,
        owners: owners.map(({ id }) => id),
        isClaimed: claim.isClaimed(),
        lockdown,
      }
    },
    separation,
    rows: () => structuredClone(rows()),
    invite,
    onFirstOwner: (listener) =>
      void claim.when((owner) => {
        if (owner !== undefined) listener(owner)
      }),
    stop,
  }
}

/** The public API: starts a gate in a process of your own, and names the types of a channel and of an event. */
import type { Config } from './config/load.ts'
import type { Options } from './compose/base.ts'
import { assemble } from './main.ts'
import type { ListedHook } from './model/gate/catalogue.ts'
import type { Separation } from './model/gate/separation.ts'

export { loadConfig, type Config } from './config/load.ts'
export type { Options } from './compose/base.ts'
export { EVENTS, type EventName } from './model/events/event.ts'
export { ProblemError } from './model/gate/problem.ts'
export type { Channel, ChannelPorts, Delivery, Message } from './model/chat/channel.ts'

/**
 * A running gate, as its host program sees it. Nothing here approves a hook, turns the switch or names an owner:
 * a person does that through a channel.
 */
export interface Running {
  /** A copy of the gate's state. `lockdown` says why the gate doubts itself. `owners` are platform ids. */
  state(): {
    readonly isOn: boolean
    readonly revision: number
    readonly lockdown?: string
    readonly owners: readonly string[]
    /** False until a person has become the owner by the console's login, a pairing code or the environment. */
    readonly isClaimed: boolean
  }
  /** How agents and hooks are kept apart from the gate on this machine. */
  readonly separation: Separation
  /** A copy of the list that `/hooks` shows: every proposed and every approved hook. */
  rows(): readonly ListedHook[]
  /** A one-time address of the web page and, while the gate has no owner, a pairing code. Whoever has it can be the owner. */
  invite(): { readonly login: string; readonly pairing?: string }
  /** Calls back once when somebody becomes the first owner, with that owner's id; not at all when there is one already. */
  onFirstOwner(listener: (owner: string) => void): void
  /** Stops everything that was started, in the opposite order. Never rejects. */
  stop(): Promise<void>
}

/** Starts a gate. Throws a ProblemError when that fails, and then nothing is left running. */
export const start = async (config: Config, { log, channels, console }: Options): Promise<Running> => {
  const parts = await assemble(config, {
    log,
    ...(channels === undefined ? {} : { channels }),
    ...(console === undefined ? {} : { console }),
  })
  const { state, claim } = parts.gatekeeper
  return {
    state: () => {
      const { isOn, revision, lockdown, owners } = state()
      return {
        isOn,
        revision,
        owners: owners.map(({ id }) => id),
        isClaimed: claim.isClaimed(),
        ...(lockdown === undefined ? {} : { lockdown }),
      }
    },
    separation: parts.separation,
    rows: () => structuredClone(parts.rows()),
    invite: parts.invite,
    onFirstOwner: (listener) =>
      void claim.when((owner) => {
        if (owner !== undefined) listener(owner)
      }),
    stop: parts.stop,
  }
}

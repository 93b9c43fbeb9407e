import type { ArmedHook } from '../model/hooks/entry.ts'
import type { ApprovedHook } from './approved.ts'
import { armedFrom, type SealPlace } from './arming.ts'
import type { Folded } from './ledger/fold.ts'
import type { GatekeeperOptions } from './gate-state.ts'

interface Arm {
  readonly approved: ApprovedHook
  readonly armed: ArmedHook
}

/** The approvals in force, each ready to run. An approval that did not change keeps its armed hook. */
export interface Armory {
  arms(): readonly Arm[]
  /** Replaces the list by the approvals that the ledger has now. */
  take(folded: Folded): void
}

export const createArmory = (
  place: SealPlace,
  { lockDown, log }: { lockDown(why: string): void } & Pick<GatekeeperOptions, 'log'>,
): Armory => {
  let arms: ReadonlyMap<string, Arm> = new Map()
  const armOf = (approved: ApprovedHook): Arm => {
    const onTampered = (what: string): void => lockDown(`${what} (hook ${approved.fingerprint.slice(0, 12)})`)
    return { approved, armed: armedFrom(approved, place, { onTampered, log }) }
  }
  return {
    arms: () => [...arms.values()],
    take: ({ approvals }) => {
      const before = arms
      arms = new Map(
        [...approvals].map(([fingerprint, approved]) => {
          const known = before.get(fingerprint)
          return [fingerprint, known?.approved === approved ? known : armOf(approved)]
        }),
      )
    },
  }
}

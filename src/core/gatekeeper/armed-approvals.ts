import { isForGate, type ArmedHook } from '../model/hooks/entry.ts'
import type { ApprovedHook } from '../model/approval/approved.ts'
import { armedElsewhere, armedFrom, type SealLocation } from './arming.ts'
import type { Folded } from './ledger/fold.ts'
import type { GatekeeperOptions } from './gate-state.ts'

interface ArmedApproval {
  readonly approved: ApprovedHook
  readonly armed: ArmedHook
}

/** The approvals in force, each ready to run. An approval that did not change keeps its armed hook. */
export interface ArmedApprovals {
  all(): readonly ArmedApproval[]
  /** Replaces the list by the approvals that the ledger has now. */
  update(folded: Folded): void
}

export const createArmedApprovals = (
  location: SealLocation,
  { lockDown, log }: { lockDown(why: string): void } & Pick<GatekeeperOptions, 'log'>,
): ArmedApprovals => {
  let armedApprovals: ReadonlyMap<string, ArmedApproval> = new Map()
  const armedOf = (approved: ApprovedHook): ArmedApproval => {
    if (!isForGate(approved.entry)) return { approved, armed: armedElsewhere(approved, location) }
    const onTampered = (what: string): void => lockDown(`${what} (hook ${approved.fingerprint.slice(0, 12)})`)
    return { approved, armed: armedFrom(approved, location, { onTampered, log }) }
  }
  return {
    all: () => [...armedApprovals.values()],
    update: ({ approvals }) => {
      const before = armedApprovals
      armedApprovals = new Map(
        [...approvals].map(([fingerprint, approved]) => {
          const known = before.get(fingerprint)
          return [fingerprint, known?.approved === approved ? known : armedOf(approved)]
        }),
      )
    },
  }
}

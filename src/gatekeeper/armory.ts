import { approvalOf, hookOf, type ArmedApproval, type SealPlace } from './arming.ts'
import type { Folded } from './fold.ts'
import type { GatekeeperOptions } from './gate-state.ts'

/** The approvals in force, by fingerprint, each ready to run. One that stands as before stays the same. */
export const createArmory = (
  place: SealPlace,
  { lockDown, log }: { lockDown(why: string): void } & Pick<GatekeeperOptions, 'log'>,
) => {
  let armed: ReadonlyMap<string, ArmedApproval> = new Map()
  const armedFrom = (standing: ArmedApproval['standing']): ArmedApproval => {
    const { fingerprint } = standing
    const approval = approvalOf(standing, place)
    const onTampered = (what: string): void => lockDown(`${what} (hook ${fingerprint.slice(0, 12)})`)
    return { standing, approval, hook: hookOf(approval, place, { onTampered, log }) }
  }
  return {
    armed: (): readonly ArmedApproval[] => [...armed.values()],
    /** Takes what the ledger says now. */
    arm: ({ approvals }: Folded): void => {
      const before = armed
      armed = new Map(
        [...approvals].map(([fingerprint, standing]) => {
          const known = before.get(fingerprint)
          return [fingerprint, known?.standing === standing ? known : armedFrom(standing)]
        }),
      )
    },
  }
}

import { createAnchoring, type AnchoringPorts } from './anchoring.ts'
import { createRearm, type RearmPorts } from './rearm.ts'

const monotonicMs = (): number => performance.now()

/** What the gate has to see to by itself: the end of a pause, and the anchors. `look` is to be called about every second. */
export const createUpkeep = (ports: Omit<RearmPorts & AnchoringPorts, 'monotonicMs'>) => {
  const rearm = createRearm({ ...ports, monotonicMs })
  const { look, missing } = createAnchoring({ ...ports, monotonicMs })
  return {
    look: (): void => {
      rearm.look()
      look()
    },
    /** Words when no owner's chat can keep an anchor. */
    noAnchor: missing,
  }
}

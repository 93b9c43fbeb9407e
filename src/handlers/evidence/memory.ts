import { createBoundedMap } from '../../core/model/base/bounded-map.ts'
import type { Evidence } from '../../shared/hooks/evidence.ts'

const maxKept = 200

/** The newest evidence of each hook, or of a hook and its approved version, since the gate started. */
export interface EvidenceMemory {
  remember(evidence: Evidence): void
  /** Evidence of exactly these bytes. `sealed`: compared with this approved version. */
  of(fingerprint: string, sealed: string | undefined): Evidence | undefined
}

export const createEvidenceMemory = (): EvidenceMemory => {
  const kept = createBoundedMap<string, Evidence>(maxKept)
  const keyOf = (fingerprint: string, sealed = ''): string => `${fingerprint} ${sealed}`
  return {
    remember: (evidence) => kept.set(keyOf(evidence.fingerprint, evidence.sealed), evidence),
    of: (fingerprint, sealed) => kept.get(keyOf(fingerprint, sealed)),
  }
}

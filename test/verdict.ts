import type { Payload } from '../src/core/model/events/payload.ts'
import type { Verdict } from '../src/core/model/hooks/verdict.ts'

/** What hooks made of a payload that they left as it is. */
export const verdictOn = (
  payload: Payload,
  verdict: Verdict['verdict'] = 'allow',
  revision = 0,
): Verdict => ({
  verdict,
  isConsent: false,
  payload,
  contexts: [],
  notes: [],
  warnings: [],
  hooks: [],
  revision,
})

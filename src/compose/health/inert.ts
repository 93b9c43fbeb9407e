import { labelOf } from '../../core/model/hooks/entry.ts'
import type { EventName } from '../../core/model/events/event.ts'
import type { RecordedHook } from '../../core/model/hooks/verdict.ts'
import type { Gate } from '../../core/gatekeeper/open-gate.ts'

/** The approved hooks of an event that do not fire now, each with the reason, for the event's record. */
export const inertHooks =
  (gatekeeper: Pick<Gate, 'state'>) =>
  (event: EventName): readonly RecordedHook[] => {
    const { isOn, lockdown, approvals } = gatekeeper.state()
    if (isOn && lockdown === undefined) return []
    const why = lockdown === undefined ? 'the switch is off' : 'the gate is in lockdown'
    return [...approvals.values()]
      .filter(({ entry }) => entry.event === event)
      .map(({ fingerprint, entry, isShadow }) => ({
        fingerprint,
        label: labelOf(entry),
        fired: false,
        why,
        ...(isShadow === true ? { isShadow } : {}),
      }))
  }

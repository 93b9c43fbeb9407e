import type { EventsFound, EventsQuery, EventsFilter, HistoryStats } from '../core/model/events/kept.ts'
import type { Problem } from '../core/model/gate/problem.ts'
import type { Entry } from '../core/model/hooks/entry.ts'
import type { Evidence, TrialScope } from '../shared/hooks/evidence.ts'

/** The events of the last days. */
export interface HistoryPorts {
  /** Absent: gate.yaml keeps none. */
  readonly history:
    | {
        stats(query: EventsFilter): Promise<HistoryStats>
        events(query: EventsQuery): Promise<EventsFound>
      }
    | undefined
}

/** What hooks would have answered to events of the past. */
export interface EvidencePorts {
  /** The newest evidence of exactly these bytes since the start, compared with the version `sealed`. */
  evidenceOf(fingerprint: string, sealed: string | undefined): Evidence | undefined
}

export interface TrialRequest {
  readonly entry: Entry
  readonly fingerprint: string
  /** True: its approved bytes are asked. Otherwise the proposed ones are. */
  readonly isSealed: boolean
  /** The fingerprint of the approved version that is asked, too, to compare. */
  readonly sealed?: string
  readonly scope: TrialScope
}

/** A trial that has begun. */
export interface BegunTrial {
  /** Resolves when nothing of it runs any more. Never rejects. */
  readonly over: Promise<Evidence | Problem>
  /** The listener is called after each event from now on. It can ask for what was found so far. */
  hear(listener: (found: () => Evidence) => void): void
}

/** The trials of hooks on events of the past. One runs at a time. */
export interface TrialPorts {
  readonly tries: {
    /** Resolves when the trial has begun, or with the reason why it cannot. Never rejects. */
    start(request: TrialRequest): Promise<BegunTrial | { readonly problem: Problem }>
    /** Stops the trial that runs. Resolves when nothing of it runs any more. False: there was none. */
    stop(): Promise<boolean>
  }
}

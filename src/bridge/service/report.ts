import type { ClientName, Moment, NativeReport, ToolRan } from '../../model/gate/client.ts'
import type { FireOptions, Happening } from '../../model/events/step.ts'
import type { BridgeSession } from './sessions.ts'

/** What a client reported, in our terms: the event, others of ours that the same moment is, and what it is to a turn. */
export interface BridgeReport {
  readonly kind: 'report'
  readonly report: NativeReport
  readonly also: readonly Happening[]
  readonly moment?: Moment
  readonly ran?: ToolRan
}

/** Who reported it, in which session of theirs, and how they want it handled. */
export interface Reporter {
  readonly client: ClientName
  readonly session: BridgeSession
  readonly sessionId: string
  readonly options: FireOptions
}

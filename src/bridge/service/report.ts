import type { ClientName, LifecyclePoint, NativeReport, ToolRan } from '../../shared/gate/client.ts'
import type { FireOptions, Happening } from '../../shared/events/patience.ts'
import type { BridgeSession } from './sessions.ts'

/**
 * The report of a client in the terms of hookgate: the event, other events of the same moment (`also`), its
 * place in a turn (`moment`), and the tool that ran (`ran`).
 */
export interface BridgeReport {
  readonly kind: 'report'
  readonly report: NativeReport
  readonly also: readonly Happening[]
  readonly moment?: LifecyclePoint
  readonly ran?: ToolRan
}

/** The client that reported it, its session, and the options of the request. */
export interface Reporter {
  readonly client: ClientName
  readonly session: BridgeSession
  readonly sessionId: string
  readonly options: FireOptions
}

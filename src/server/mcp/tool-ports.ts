import type { JsonObject } from '../../core/model/base/json.ts'
import type { Address } from '../../core/model/chat/push.ts'
import type { EventRecord } from '../../core/model/events/record.ts'
import type { RecordQuery } from '../../shared/events/record-class.ts'
import type { ListedHook } from '../../shared/gate/catalogue.ts'

/** The state of the gate as an agent may know it. */
export interface GateSeen {
  readonly isOn: boolean
  readonly lockdown?: string
}

/** What the tools of an agent need beside its events and pushes. Nothing here can change the gate. */
export interface ToolPorts {
  readonly version: string
  /** The node that the agent's workspace is on. Absent: it is on the machine of the gate. */
  readonly node?: string
  gate(): GateSeen
  /** Every proposed and every approved hook. */
  rows(): readonly ListedHook[]
  /** The records, and of this agent the last event that the history alone has. */
  records(query: RecordQuery, agentId: string): Promise<readonly EventRecord[]>
  /** The owners' own chats in which this agent may speak. */
  ownerChats(agentId: string): readonly Address[]
  /**
   * Adds a proposal to the file of the workspace, with the agent's rights. Returns why that was not done, or
   * undefined. Absent: the workspace of this agent is on another machine. Never rejects.
   */
  propose?(hook: JsonObject & { readonly command: string }): Promise<string | undefined>
}

import { version } from '../../config/version.ts'
import type { AgentConfig } from '../../config/load.ts'
import type { ToolPorts } from '../../server/mcp/tool-ports.ts'
import type { Base } from '../base.ts'
import type { Gate } from '../gate.ts'
import type { Outbound } from '../outbound.ts'

/** Makes what the tools of agents need, for each of them. */
export const createToolPorts = (
  base: Base,
  { state, rows }: Gate,
  { chats }: Outbound,
): ((agent: Pick<AgentConfig, 'node'>) => ToolPorts) => {
  const shared: ToolPorts = {
    version: version(),
    gate: state,
    rows,
    records: base.records,
    ownerChats: (agentId) => chats.ofOwners().filter((chat) => chats.isOwnChat(agentId, chat)),
  }
  return ({ node }) => (node === undefined ? { ...shared, propose: base.propose } : { ...shared, node })
}

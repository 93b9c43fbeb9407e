import type { Prose } from '../core/model/chat/prose.ts'
import { nodeTrouble } from '../shared/nodes/agent-node.ts'
import type { CommandPorts } from './ports.ts'

/** Why an agent gets no message because of its node, and what to do. Empty: its node says nothing. */
export const troubleOf = ({ agents }: Pick<CommandPorts, 'agents'>, agentId: string): readonly Prose[] =>
  nodeTrouble(agents().find(({ id }) => id === agentId)?.node)

import type { Gate } from '../../core/gatekeeper/open-gate.ts'
import type { AgentNode } from '../../shared/nodes/agent-node.ts'
import { createNodeOf } from '../../shared/nodes/node-of.ts'
import type { Base } from '../base.ts'

/** Finds the node of an agent. Undefined: the agent runs on the machine of the gate. */
export const agentNodes = (
  { config, nodeQuestions }: Pick<Base, 'config' | 'nodeQuestions'>,
  { nodes }: Pick<Gate, 'nodes'>,
): ((agentId: string) => AgentNode | undefined) => {
  const nodeOf = createNodeOf(config.agents)
  return (agentId) => {
    const name = nodeOf(agentId)
    if (name === undefined) return undefined
    if (!nodes.all().some((node) => node.name === name)) return { name, state: 'removed' }
    return { name, state: nodeQuestions.isHere(name) ? 'connected' : 'away' }
  }
}

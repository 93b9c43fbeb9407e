import { named, prose, type Prose } from '../../core/model/chat/prose.ts'

/** The node on which an agent runs. `removed`: the gate has no such node, and maybe never had. */
export interface AgentNode {
  readonly name: string
  readonly state: 'connected' | 'away' | 'removed'
}

/** Why no message reaches an agent that is not connected, and what to do. Empty: its node says nothing. */
export const nodeTrouble = (node: AgentNode | undefined): readonly Prose[] => {
  if (node === undefined || node.state === 'connected') return []
  const name = named(node.name)
  return node.state === 'away'
    ? [prose`The agent's machine ${name} is not connected.\n→ /nodes`]
    : [
        prose`The agent's machine ${name} is no node of this gate, so no message reaches the agent.\nTalk to another agent → /agents\nLet the machine in → /nodes add ${name}`,
      ]
}

/**
 * Says on which node an agent runs: one of gate.yaml by its setting, and a client by its name, as in
 * `claude-code@desk` or `claude-code@desk:reviewer`.
 */
export const createNodeOf = (
  agents: readonly { readonly id: string; readonly node?: string }[],
): ((agentId: string) => string | undefined) => {
  const byAgent = new Map(agents.map(({ id, node }) => [id, node]))
  return (agentId) => (byAgent.has(agentId) ? byAgent.get(agentId) : /^[^@:]+@([^:]+)/.exec(agentId)?.[1])
}

import { join } from 'node:path'
import { version } from '../../config/version.ts'
import { replaceFile } from '../../config/switch-file.ts'
import type { AgentConfig } from '../../config/load.ts'
import { shellHooksFile } from '../../hooks/sources/place.ts'
import type { ToolPorts } from '../../server/mcp/tool-ports.ts'
import type { Base } from '../base.ts'
import type { Gate } from '../gate.ts'
import type { Outbound } from '../outbound.ts'

/** So many proposals of all agents wait to be written. The next one is refused. */
export const maxProposals = 8

/**
 * Writes proposals into the file of the workspace, one after another. The file is written with the agent's
 * rights, so a link there leads no further than the agent itself.
 */
const createProposing = ({
  config,
  reader,
  isolation,
}: Pick<Base, 'config' | 'reader' | 'isolation'>): NonNullable<ToolPorts['propose']> => {
  const file = join(config.workspace, shellHooksFile)
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  const write: NonNullable<ToolPorts['propose']> = async (hook) => {
    const added = await reader.add(hook)
    if ('why' in added) return added.why
    const words = [`${file}.hookgate-${process.pid}`, file]
    const failed = await isolation.asAgentLater(replaceFile, words, added.text)
    if (failed !== undefined) return 'Expected to write config/shell_hooks.yaml, but that failed.'
    await reader.look(hook.command)
    return undefined
  }
  return async (hook) => {
    if (waiting >= maxProposals)
      return `Expected at most ${maxProposals} proposals at once, got more. Try again.`
    waiting++
    const written = last.then(() => write(hook))
    last = written.catch(() => undefined)
    try {
      return await written
    } finally {
      waiting--
    }
  }
}

/** Makes what the tools of agents need, for each of them. */
export const createToolPorts = (
  base: Base,
  { state, rows }: Gate,
  { chats }: Outbound,
): ((agent: Pick<AgentConfig, 'node'>) => ToolPorts) => {
  const propose = createProposing(base)
  const shared: ToolPorts = {
    version: version(),
    gate: state,
    rows,
    records: base.store.records,
    ownerChats: (agentId) => chats.ofOwners().filter((chat) => chats.isOwnChat(agentId, chat)),
  }
  return ({ node }) => (node === undefined ? { ...shared, propose } : { ...shared, node })
}

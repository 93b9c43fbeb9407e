import { parseArgs } from 'node:util'
import type { Verb } from './verb.ts'

export const mcp: Verb = {
  usage: 'hookgate mcp [--agent ID]',
  does: ['gives an agent that speaks MCP tools to ask and tell its owner'],
  help: `  --agent ID       the agent in whose name the tools act (main)

An MCP client starts it and speaks to it on stdin and stdout:

  claude mcp add hookgate -- npx hookgate mcp

The tools are ask_owner, list_hooks, propose_hook, why and notify_owner. None of them can approve a hook or turn the
switch. Each asks the running gate over run/ID.sock in the gate's folder. There, POST /v1/mcp takes the same calls by
HTTP.`,
  run: async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: { agent: { type: 'string', default: 'main' } },
    })
    // The user of an agent may not read gate.yaml.
    const { chainOf, homeOf } = await import('../config/home.ts')
    const { version } = await import('../config/version.ts')
    const { serveTools } = await import('../server/mcp/stdio.ts')
    const { env } = process
    serveTools({ home: homeOf(env), agent: values.agent, chain: chainOf(env), version: version() })
  },
}

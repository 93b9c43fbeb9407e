import { startAgentHost } from '../../src/agents/agents.ts'

// Stands for the gate in tests that kill it: starts one agent host, tells its process id, and waits to be
// killed.
const [socketPath = '', workspace = ''] = process.argv.slice(2)
const host = startAgentHost({
  agentId: 'main',
  make: { kind: 'demo' },
  socketPath,
  workspace,
  log: () => undefined,
  onExit: () => undefined,
})
process.stdout.write(`${host.pid()}\n`)
setInterval(() => undefined, 60_000)

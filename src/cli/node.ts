import { parseArgs } from 'node:util'
import { print, type Verb } from './verb.ts'

export const node: Verb = {
  usage: 'hookgate node [--gate URL --code CODE]',
  does: ['serves the agents of this machine, and a gate on another machine judges them'],
  help: `  --gate URL          the address of the gate; may be repeated, and then one after another is tried
  --code CODE         the code of /nodes add, for the first start on this machine
  --trusted-network   allows an http:// address, in a network that only your machines use, such as a VPN

Type /nodes add and a name in a chat with hookgate: the answer is the line to start here. Later starts need no
options. "hookgate bridge" works here as it does on the machine of the gate. The gate starts agents here that have
this node in its gate.yaml (agents: {builder: {kind: demo, node: desk}}).
While the gate cannot be reached, clients are refused. If its owner had left the hooks off, that counts for 30 s.
Exit codes: 0 it was stopped, 1 this machine cannot be a node, for example because an owner removed it.`,
  run: async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        gate: { type: 'string', multiple: true, default: [] },
        code: { type: 'string' },
        'trusted-network': { type: 'boolean', default: false },
      },
    })
    const { loadConfig } = await import('../config/load.ts')
    const { logToStderr } = await import('../config/log-line.ts')
    const { runAsNode } = await import('../compose/verbs/node/node.ts')
    const ending = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
    await runAsNode(loadConfig(process.env), {
      gates: values.gate,
      code: values.code,
      isTrustedNetwork: values['trusted-network'],
      say: print,
      log: logToStderr(),
      signal: ending.signal,
    })
    process.exit(0)
  },
}

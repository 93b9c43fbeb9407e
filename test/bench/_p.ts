import { startPlane } from '../plane.ts'
const plane = await startPlane('hooks: []\n', { 'hook.sh': '#!/bin/sh\nread -r payload\necho "{}"\n' })
plane.gate.gatekeeper.setSwitch(true, 'memory:owner')
const { pattern } = await import('./match.ts') as any
const n = Number(process.argv[2])
for (let i = 0; i < n; i++) plane.gate.gatekeeper.approve({ event: 'pre_tool_call', type: 'command', command: './hook.sh', args: [], matcher: { pattern: pattern(i) }, timeoutMs: 20000, onError: 'warn', priority: 100, isAsync: false, env: {}, files: [], origin: 'config/shell_hooks.yaml' }, 'memory:owner')
const command = 'git -C packages/server log --oneline --since=yesterday | head -9 '.repeat(64).slice(0, Number(process.argv[3]))
const fire = () => plane.gate.dispatcher.fire({ agentId: 'main', event: 'pre_tool_call', sessionId: 's', cwd: plane.workspace, fields: { tool_name: 'bash', tool_input: { command }, tool_use_id: 'c' } })
await fire()
for (let r = 0; r < Number(process.argv[4]??20); r++) { const t = performance.now(); for (let i = 0; i < 1000; i++) await fire(); const d = performance.now() - t; const t2=performance.now(); await plane.gate.store.records({limit:1}); if(r%5===4)console.log('fire', d.toFixed(2) , 'us', 'flush', (performance.now()-t2).toFixed(2)) }
await plane.stop(); process.exit()

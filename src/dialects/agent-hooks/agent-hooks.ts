import type { Dialect } from '../../model/hooks/dialect.ts'
import { decodeAgentHooks } from './decode.ts'
import { agentHooksEnv, encodeAgentHooks } from './encode.ts'
import { agentHookEvents } from './events.ts'

/** The Agent Hooks specification (HOOK.md): `decision` at the top, stderr as the reason of exit 2, times in milliseconds. */
export const agentHooks: Dialect = {
  name: 'agent-hooks',
  events: agentHookEvents,
  // Only for a command of ours in its dialect: its own hooks are scripts that run without one.
  shell: 'sh',
  timeoutMs: { default: 30_000, min: 100, max: 600_000 },
  // Its examples cut their fields out of the text after `": "`.
  isSpaced: true,
  encode: encodeAgentHooks,
  decode: decodeAgentHooks,
  env: agentHooksEnv,
}

import type { Dialect } from '../../core/model/hooks/dialect.ts'
import { decodeAgentHooks } from './decode.ts'
import { agentHooksEnv, encodeAgentHooks } from './encode.ts'
import { agentHookEvents } from './events.ts'

/**
 * The Agent Hooks specification (HOOK.md): `decision` stands at the top level, stderr is the reason of exit
 * 2, and times are in milliseconds.
 */
export const agentHooks: Dialect = {
  name: 'agent-hooks',
  events: agentHookEvents,
  // The shell runs only a command entry of ours in this dialect. Hooks of the specification are scripts that
  // run without a shell.
  shell: 'sh',
  timeoutMs: { default: 30_000, min: 100, max: 600_000 },
  // The examples of the specification cut fields out of the text after `": "`.
  isSpaced: true,
  encode: encodeAgentHooks,
  decode: decodeAgentHooks,
  env: agentHooksEnv,
}

import type { Dialect } from '../../shared/hooks/dialect.ts'
import { encodeResponsibleAi } from './context.ts'
import { decodeResponsibleAi } from './decode.ts'
import { responsibleAiEvents } from './events.ts'

/**
 * Agent Hooks 0.1 of github.com/responsibleai/agent-hooks. The specification has interceptors in the agent's
 * process and defines no transport. Here a hook is a program or a server: the context is its input, and the
 * verdict is its output.
 */
export const responsibleAi: Dialect = {
  name: 'responsibleai-agent-hooks',
  events: responsibleAiEvents,
  shell: 'sh',
  timeoutMs: { default: 5000, min: 100, max: 600_000 },
  asksByDeny: true,
  encode: encodeResponsibleAi,
  decode: decodeResponsibleAi,
  env: () => ({}),
}

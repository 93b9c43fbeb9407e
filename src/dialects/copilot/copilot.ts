import type { Dialect } from '../../core/model/hooks/dialect.ts'
import { decodeCopilot } from './decode.ts'
import { encodeCopilot } from './encode.ts'
import { copilotEvents } from './events.ts'

/**
 * GitHub Copilot's hooks. Their fields are in camelCase. Events with a PascalCase name use snake_case and
 * Claude Code's tool names.
 */
export const copilot: Dialect = {
  name: 'copilot',
  events: copilotEvents,
  shell: 'bash',
  timeoutMs: { default: 30_000, min: 1000, max: 600_000 },
  encode: encodeCopilot,
  decode: decodeCopilot,
  env: (_, { hookDir, workspace }) => ({
    COPILOT_CLI: '1',
    COPILOT_PROJECT_DIR: workspace,
    COPILOT_HOOK_DIR: hookDir,
    CLAUDE_PROJECT_DIR: workspace,
  }),
}

import type { Dialect } from '../../core/model/hooks/dialect.ts'
import { decodeClaude } from './answer.ts'
import { claudeEvents } from './events.ts'
import { encodeClaude } from './stdin.ts'

/**
 * Returns the folder that a plugin may write, because its root is sealed. The plugin's id is the name of its
 * folder, with the characters that Claude Code allows.
 */
const pluginData = (root: string): string =>
  `~/.claude/plugins/data/${(root.split('/').at(-1) ?? '').replaceAll(/[^\w-]/g, '-')}`

/** Claude Code as of 2.1.329. */
export const claudeCode: Dialect = {
  name: 'claude-code',
  events: claudeEvents,
  // The shell by Claude Code's documentation of the shell form: `sh -c` on macOS and Linux.
  shell: 'sh',
  timeoutMs: { default: 600_000, min: 1, max: 600_000 },
  encode: encodeClaude,
  decode: decodeClaude,
  // CLAUDE_ENV_FILE is not set: nothing here would read what a script writes there, and scripts check whether
  // it is set.
  env: ({ session_id }, { workspace, root }) => ({
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: workspace,
    CLAUDE_CODE_SESSION_ID: session_id,
    ...(root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: pluginData(root) }),
  }),
}

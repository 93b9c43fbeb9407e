import type { Dialect } from '../../model/hooks/dialect.ts'
import { decodeClaude } from './answer.ts'
import { claudeEvents } from './events.ts'
import { encodeClaude } from './stdin.ts'

/** Where a plugin may write; its root is sealed. Its id is the name of its folder, in the characters that Claude Code leaves. */
const pluginData = (root: string): string =>
  `~/.claude/plugins/data/${(root.split('/').at(-1) ?? '').replaceAll(/[^\w-]/g, '-')}`

/** Claude Code as of 2.1.329. */
export const claudeCode: Dialect = {
  name: 'claude-code',
  events: claudeEvents,
  // Its documentation of the shell form: `sh -c` on macOS and Linux.
  shell: 'sh',
  timeoutMs: { default: 600_000, min: 1, max: 600_000 },
  encode: encodeClaude,
  decode: decodeClaude,
  // No CLAUDE_ENV_FILE: nothing here would read what a script writes there, and scripts look whether it is set.
  env: ({ session_id }, { workspace, root }) => ({
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: workspace,
    CLAUDE_CODE_SESSION_ID: session_id,
    ...(root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: pluginData(root) }),
  }),
}

import type { ForeignDialect } from '../../core/model/hooks/dialect.ts'

/** The file in which the workspace proposes hooks. */
export const shellHooksFile = 'config/shell_hooks.yaml'

/** The systems that a source can belong to, each with the dialect of its hooks. */
export const SYSTEMS = {
  'claude-code': 'claude-code',
  'claude-plugin': 'claude-code',
  'docker-agent': 'docker-agent',
  'agent-hooks': 'agent-hooks',
  copilot: 'copilot',
  codex: 'codex',
  gemini: 'gemini',
  cursor: 'cursor',
  kimi: 'kimi',
  factory: 'factory',
} as const satisfies Readonly<Record<string, ForeignDialect>>

export type System = keyof typeof SYSTEMS
export const SYSTEM_NAMES = Object.keys(SYSTEMS) as readonly System[]
export const isSystem = (name: string): name is System => Object.hasOwn(SYSTEMS, name)

import type { JsonObject } from '../base/json.ts'

/** The foreign hook systems whose hooks run here unchanged. */
export const FOREIGN_DIALECTS = [
  'claude-code',
  'docker-agent',
  'agent-hooks',
  'copilot',
  'codex',
  'gemini',
  'cursor',
  'kimi',
  'kimi-cli',
  'factory',
  'responsibleai-agent-hooks',
] as const

export type ForeignDialect = (typeof FOREIGN_DIALECTS)[number]

/** The shells with which foreign systems run a command's text. */
export const SHELLS = ['sh', 'bash'] as const
export type Shell = (typeof SHELLS)[number]

/** The output of a handler that ended by itself. */
export interface HandlerOutput {
  /** null when it did not exit by itself; 0 when it answered and still runs. */
  readonly exitCode: number | null
  readonly stdout: string
  /**
   * The object that stdout is, where the careful reader has read it already. Who changes stdout removes it.
   */
  readonly json?: JsonObject | undefined
  /** The first and the last 32 KiB of its stderr. */
  readonly stderr: string
  /** Part of stderr is missing. */
  readonly isStderrCut?: true
  /** stdout passed its size limit, so it must never be read as an answer. */
  readonly isTruncated: boolean
}

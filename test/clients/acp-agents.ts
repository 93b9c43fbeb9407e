import { join } from 'node:path'
import { put, claudeCode, codex, copilot, gemini, kimi, modules, openCode, type Stage } from './clients.ts'
import type { ScriptedCall } from '../fixtures/model/wire.ts'
import { geminiProgram } from './gemini.ts'

/** An agent as it stands in gate.yaml under `agents`, with `kind: acp`. */
export interface AcpAgent {
  readonly name: string
  readonly title: string
  readonly version: string
  /** Of the cache; several that are one program share it. */
  readonly folder: string
  /** As npm takes them, pinned. Empty: the lock of this folder has it. */
  readonly packages: readonly string[]
  /** Writes its settings. */
  prepare(stage: Stage): void
  command(stage: Stage): readonly string[]
  env(stage: Stage): Readonly<Record<string, string>>
  /** How its model runs a line of shell that changes something. */
  shell(command: string): ScriptedCall
  /** What its model does with the file of this path in the workspace without asking. */
  look(path: string): ScriptedCall
}

const geminiAcp: AcpAgent = {
  ...gemini,
  name: 'acp gemini',
  folder: 'gemini',
  command: () => [process.execPath, geminiProgram, '--acp', '--skip-trust', '-m', 'gemini-2.5-flash'],
  look: (path) => ({ name: 'glob', input: { pattern: path } }),
}

const claudeAcp: AcpAgent = {
  ...claudeCode,
  name: 'acp claude',
  folder: 'claude-agent-acp',
  version: '2.1.316 by claude-agent-acp 0.100.0',
  packages: ['@agentclientprotocol/claude-agent-acp@0.100.0'],
  command: (stage) => [
    process.execPath,
    join(modules(stage, 'claude-agent-acp'), '@agentclientprotocol/claude-agent-acp/dist/index.js'),
  ],
  // It asks its model what the person may want to write next.
  env: (stage) => ({ ...claudeCode.env(stage), CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' }),
  look: (path) => ({ name: 'Bash', input: { command: `cat ${path}`, description: 'look' } }),
}

const codexAcp: AcpAgent = {
  ...codex,
  name: 'acp codex',
  folder: 'codex-acp',
  version: '0.166.0 by codex-acp 2.6.0',
  packages: ['@agentclientprotocol/codex-acp@2.6.0', '@openai/codex@0.166.0'],
  command: (stage) => [
    process.execPath,
    join(modules(stage, 'codex-acp'), '@agentclientprotocol/codex-acp/dist/index.js'),
  ],
  // It makes no helpers for its sandbox where temporary files are, and its home is there in a test.
  env: (stage) => ({
    ...codex.env(stage),
    INITIAL_AGENT_MODE: 'read-only',
    NO_BROWSER: '1',
    TMPDIR: '/var/tmp',
  }),
  shell: (cmd) => ({
    name: 'exec_command',
    input: { cmd, sandbox_permissions: 'require_escalated', justification: 'it changes something' },
  }),
  look: (path) => ({ name: 'exec_command', input: { cmd: `cat ${path}` } }),
}

const copilotAcp: AcpAgent = {
  ...copilot,
  name: 'acp copilot',
  folder: 'copilot',
  command: (stage) => [join(modules(stage, 'copilot'), '@github/copilot-linux-x64/copilot'), '--acp'],
  look: (path) => ({ name: 'view', input: { path } }),
}

const kimiAcp: AcpAgent = {
  ...kimi,
  name: 'acp kimi',
  folder: 'kimi',
  command: (stage) => [
    process.execPath,
    join(modules(stage, 'kimi'), '@moonshot-ai/kimi-code/dist/main.mjs'),
    'acp',
  ],
  look: (path) => ({ name: 'Glob', input: { pattern: path } }),
}

const openCodeAcp: AcpAgent = {
  ...openCode,
  name: 'acp opencode',
  folder: 'opencode',
  prepare: (stage) => {
    openCode.prepare(stage)
    put(join(stage.home, '.config/opencode/opencode.json'), '{"permission": {"*": "ask"}}')
  },
  command: (stage) => [join(modules(stage, 'opencode'), 'opencode-linux-x64/bin/opencode'), 'acp'],
  look: (path) => ({ name: 'glob', input: { pattern: path } }),
}

/** The agents of others that tests drive behind the gate as they come from npm. */
export const ACP_AGENTS: readonly AcpAgent[] = [
  geminiAcp,
  claudeAcp,
  codexAcp,
  copilotAcp,
  kimiAcp,
  openCodeAcp,
]

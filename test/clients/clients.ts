import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InstalledClient } from '../../src/bridge/install/clients.ts'
import type { ScriptedCall } from '../fixtures/model/wire.ts'
import { geminiProgram } from './gemini.ts'

/** Where one run of a client takes place. */
export interface Stage {
  /** Its HOME. */
  readonly home: string
  /** Where it works. */
  readonly project: string
  /** The scripted model, without a path. */
  readonly model: string
  /** Where the clients are installed. */
  readonly cache: string
}

export interface RealClient {
  readonly name: InstalledClient
  readonly title: string
  /** As npm takes them, pinned. Empty: the lock of this folder has it. */
  readonly packages: readonly string[]
  readonly version: string
  /** Writes its settings, but for the hooks. */
  prepare(stage: Stage): void
  command(stage: Stage, prompt: string): readonly string[]
  env(stage: Stage): Readonly<Record<string, string>>
  /** How its model runs a line of shell. */
  shell(command: string): ScriptedCall
  /** How its model gives work to a subagent. */
  subagent(prompt: string): ScriptedCall
  /** How it waits for the subagent, by what the call above gave. Absent: that call waits itself. */
  awaited?(given: string): ScriptedCall
}

export const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

export const modules = ({ cache }: Stage, client: string): string => join(cache, client, 'node_modules')

export const claudeCode: RealClient = {
  name: 'claude-code',
  title: 'Claude Code',
  version: '2.1.329',
  packages: ['@anthropic-ai/claude-code-linux-x64@2.1.329'],
  prepare: () => undefined,
  command: (stage, prompt) => [
    join(modules(stage, 'claude-code'), '@anthropic-ai/claude-code-linux-x64/claude'),
    '-p',
    prompt,
    '--output-format',
    'json',
    '--allowedTools',
    'Bash',
  ],
  env: ({ model }) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  shell: (command) => ({ name: 'Bash', input: { command, description: 'run' } }),
  subagent: (prompt) => ({
    name: 'Agent',
    input: { description: 'help', prompt, subagent_type: 'general-purpose' },
  }),
}

export const codex: RealClient = {
  name: 'codex',
  title: 'Codex',
  version: '0.169.0',
  packages: ['@openai/codex@0.169.0-linux-x64'],
  prepare: ({ home, model }) =>
    put(
      join(home, '.codex/config.toml'),
      `model = "fake"\nmodel_provider = "fake"\n\n[model_providers.fake]\nname = "fake"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\nrequest_max_retries = 0\nstream_max_retries = 0\n`,
    ),
  command: (stage, prompt) => [
    join(modules(stage, 'codex'), '@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex'),
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-hook-trust',
    '--dangerously-bypass-approvals-and-sandbox',
    prompt,
  ],
  env: () => ({ FAKE_KEY: 'x' }),
  shell: (cmd) => ({ name: 'exec_command', input: { cmd } }),
  subagent: (message) => ({ name: 'multi_agent_v1/spawn_agent', input: { message } }),
  awaited: (given) => ({
    name: 'multi_agent_v1/wait_agent',
    input: { targets: [/[0-9a-f]{8}-[-0-9a-f]{27}/.exec(given)?.[0] ?? ''] },
  }),
}

export const copilot: RealClient = {
  name: 'copilot',
  title: 'Copilot CLI',
  version: '1.0.102',
  packages: ['@github/copilot-linux-x64@1.0.102'],
  prepare: () => undefined,
  command: (stage, prompt) => [
    join(modules(stage, 'copilot'), '@github/copilot-linux-x64/copilot'),
    '-p',
    prompt,
    '-s',
    '--trust-folder',
    '--allow-all-tools',
  ],
  env: ({ model }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    COPILOT_PROVIDER_API_KEY: 'x',
    COPILOT_MODEL: 'fake',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  shell: (command) => ({ name: 'bash', input: { command, description: 'run' } }),
  subagent: (prompt) => ({
    name: 'task',
    input: { description: 'help', prompt, agent_type: 'general-purpose', name: 'helper' },
  }),
}

export const gemini: RealClient = {
  name: 'gemini',
  title: 'Gemini CLI',
  version: '0.61.0',
  packages: [],
  prepare: ({ home }) =>
    put(
      join(home, '.gemini/settings.json'),
      '{\n  // offline\n  "security": {"auth": {"selectedType": "gemini-api-key"}},\n  "general": {"disableAutoUpdate": true, "disableUpdateNag": true},\n  "privacy": {"usageStatisticsEnabled": false},\n  "telemetry": {"enabled": false}\n}\n',
    ),
  command: (_, prompt) => [
    process.execPath,
    geminiProgram,
    '-p',
    prompt,
    '--skip-trust',
    '--approval-mode',
    'yolo',
    '-m',
    'gemini-2.5-flash',
  ],
  env: ({ model }) => ({
    GOOGLE_GEMINI_BASE_URL: model,
    GEMINI_API_KEY: 'x',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'run' } }),
  subagent: (prompt) => ({ name: 'invoke_agent', input: { agent_name: 'generalist', prompt } }),
}

export const kimi: RealClient = {
  name: 'kimi',
  title: 'Kimi Code',
  version: '2.1.0',
  packages: ['@moonshot-ai/kimi-code@2.1.0'],
  prepare: ({ home, model }) =>
    put(
      join(home, '.kimi-code/config.toml'),
      `default_model = "fake"\n\n[providers.fake]\ntype = "openai"\nbase_url = "${model}/v1"\napi_key = "x"\n\n[models.fake]\nprovider = "fake"\nmodel = "fake"\nmax_context_size = 100000\n`,
    ),
  command: (stage, prompt) => [
    process.execPath,
    join(modules(stage, 'kimi'), '@moonshot-ai/kimi-code/dist/main.mjs'),
    '-p',
    prompt,
  ],
  env: () => ({ KIMI_CODE_NO_AUTO_UPDATE: '1' }),
  shell: (command) => ({ name: 'Bash', input: { command } }),
  subagent: (prompt) => ({ name: 'Agent', input: { description: 'help', prompt } }),
}

export const openCode: RealClient = {
  name: 'opencode',
  title: 'OpenCode',
  version: '1.18.33',
  packages: ['opencode-linux-x64@1.18.33', '@opencode-ai/plugin@1.18.33'],
  prepare: ({ home, project, model, cache }) => {
    put(
      join(project, 'opencode.json'),
      JSON.stringify({
        model: 'openai/gpt-4o',
        provider: { openai: { options: { baseURL: `${model}/v1`, apiKey: 'x' } } },
      }),
    )
    // It asks the registry for this package and waits long when there is none.
    put(join(home, '.config/opencode/package.json'), '{"dependencies": {"@opencode-ai/plugin": "1.18.33"}}')
    symlinkSync(join(cache, 'opencode/node_modules'), join(home, '.config/opencode/node_modules'))
  },
  command: (stage, prompt) => [
    join(modules(stage, 'opencode'), 'opencode-linux-x64/bin/opencode'),
    'run',
    prompt,
  ],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
  }),
  shell: (command) => ({ name: 'bash', input: { command, description: 'run' } }),
  subagent: (prompt) => ({ name: 'task', input: { description: 'help', prompt, subagent_type: 'general' } }),
}

/** The agents that tests drive as they come from npm. */
export const REAL_CLIENTS: readonly RealClient[] = [gemini, claudeCode, codex, copilot, kimi, openCode]

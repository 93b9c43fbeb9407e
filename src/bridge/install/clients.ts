import { join } from 'node:path'
import { canaryTool, folderOf, gates, reports, type Installation } from './client.ts'
import { jsonClients } from './json-clients.ts'

const only = (title: string, what: string): { readonly none: string } => ({
  none: `${title} reads hooks from ${what} alone`,
})
const call = { session_id: canaryTool, cwd: '/', tool_name: canaryTool, tool_input: {} }

const kimi: Installation = {
  title: 'Kimi Code',
  file: (scope, places) =>
    scope === 'user'
      ? { path: join(folderOf(places, 'KIMI_CODE_HOME', '.kimi-code'), 'config.toml') }
      : only('Kimi Code', 'your own settings'),
  // Kimi Code allows at most 600 seconds.
  events: [
    ...reports(30, 'SessionStart'),
    ...gates(90, 'UserPromptSubmit'),
    ...gates(600, 'PreToolUse'),
    ...reports(30, 'PostToolUse', 'PostToolUseFailure', 'SubagentStop', 'Notification', 'SessionEnd'),
    ...reports(90, 'Stop'),
  ],
  body: {
    kind: 'block',
    text: ({ event, seconds }, command) =>
      `[[hooks]]\nevent = ${JSON.stringify(event)}\ncommand = ${JSON.stringify(command)}\ntimeout = ${seconds}\n`,
  },
  steps: () => [
    'Kimi Code cannot run a rewritten call. A hook that rewrites a call refuses it instead, and names the call that it wants.',
  ],
  canary: {
    event: 'PreToolUse',
    payload: {
      ...call,
      hook_event_name: 'PreToolUse',
      client_type: 'kimi_code_cli',
      tool_call_id: canaryTool,
    },
    denial: ['hookSpecificOutput', 'permissionDecision'],
  },
}

const dockerAgent: Installation = {
  title: 'docker-agent',
  file: (scope, { home, env }) =>
    scope === 'user'
      ? {
          path: join(
            env['DOCKER_AGENT_CONFIG_DIR'] || env['CAGENT_CONFIG_DIR'] || join(home, '.config/cagent'),
            'hooks.d/hookgate.yaml',
          ),
        }
      : only('docker-agent', "an agent's own file or your settings; hookgate writes your settings"),
  // tool_input_transform fires before every call, whether or not it needs approval, and accepts a refusal and
  // a rewrite.
  events: [
    ...gates(630, 'tool_input_transform', 'permission_request'),
    ...gates(90, 'user_prompt_submit', 'before_llm_call'),
    ...reports(90, 'session_start', 'tool_response_transform', 'post_tool_use', 'after_llm_call', 'stop'),
    ...reports(90, 'subagent_stop', 'notification', 'on_error', 'session_end'),
  ],
  body: {
    kind: 'file',
    text: (events, command) =>
      `# hookgate: written by "hookgate bridge install docker-agent". Remove this file to remove the hooks.\n${events
        .map(({ event, seconds, isGate }) => {
          const handler = {
            type: 'command',
            command: command({ event, seconds }),
            timeout: seconds,
            ...(isGate === true ? { on_error: 'block' } : {}),
          }
          return `${event}:\n  - ${JSON.stringify(/^tool_|^post_|^permission/.test(event) ? { matcher: '*', hooks: [handler] } : handler)}\n`
        })
        .join('')}`,
  },
  steps: () => ['Files in hooks.d need docker-agent of July 2026 or newer. An older one does not read them.'],
  canary: {
    event: 'tool_input_transform',
    payload: { ...call, hook_event_name: 'tool_input_transform', tool_use_id: canaryTool },
    denial: ['decision'],
  },
}

const openCode: Installation = {
  title: 'OpenCode',
  file: (scope, places) => ({
    path: join(
      scope === 'user'
        ? join(folderOf(places, 'XDG_CONFIG_HOME', '.config'), 'opencode')
        : join(places.project, '.opencode'),
      'plugins/hookgate.js',
    ),
  }),
  events: [
    ...reports(30, 'session.created'),
    ...gates(90, 'chat.message'),
    ...reports(90, 'system.transform'),
    ...gates(630, 'tool.execute.before'),
    ...reports(90, 'tool.execute.after', 'text.complete', 'session.idle'),
  ],
  body: {
    kind: 'file',
    text: (events, command, plugin) =>
      plugin.replace(
        'const commands = {}',
        () =>
          `const commands = ${JSON.stringify(Object.fromEntries(events.map((hooked) => [hooked.event, { command: command(hooked), seconds: hooked.seconds }])), null, 2)}`,
      ),
  },
  steps: () => ['Restart OpenCode. With --pure it loads no plugin, so hookgate judges nothing.'],
  canary: {
    event: 'tool.execute.before',
    payload: {
      cwd: '/',
      input: { tool: canaryTool, sessionID: canaryTool, callID: canaryTool },
      output: { args: {} },
    },
    denial: ['deny'],
  },
}

/** The clients whose configuration hookgate writes. */
export const INSTALLATIONS = {
  ...jsonClients,
  kimi,
  'docker-agent': dockerAgent,
  opencode: openCode,
} as const

/** The clients that have no settings which hookgate could write, and what to do instead. */
export const BY_HAND: Readonly<Record<string, string>> = {
  'agent-hooks':
    'Write a HOOK.md whose script runs "hookgate bridge agent-hooks <event>", for each event that hooks are to judge.',
  'responsibleai-agent-hooks':
    'Its interceptors are code in the agent. Let one ask POST http://127.0.0.1:8789/bridge/responsibleai-agent-hooks/<point> with the token in secrets/bridge-token, or run "hookgate bridge responsibleai-agent-hooks <point>". The point approval_request is for its approval resolver.',
}

export type InstalledClient = keyof typeof INSTALLATIONS
export const installationOf = (name: string): Installation | undefined =>
  Object.hasOwn(INSTALLATIONS, name) ? INSTALLATIONS[name as InstalledClient] : undefined

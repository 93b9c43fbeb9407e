import { join } from 'node:path'
import type { JsonObject } from '../../core/model/base/json.ts'
import { canaryTool, folderOf, gates, reports, type Installation, type Reach } from './client.ts'

const command = (reach: Reach): string => (reach.kind === 'command' ? reach.command : '')

/** The limit for an event about which a person can be asked, in seconds. */
const personSeconds = 630
/** The limit for an event that hooks judge, in seconds. */
const hookSeconds = 90
/** The limit for an event that is only reported, in seconds. */
const reportSeconds = 30

const session = { session_id: canaryTool, cwd: '/' }
const call = { tool_name: canaryTool, tool_input: {}, tool_use_id: canaryTool }

/** Returns a group with one handler, in the format of Claude Code. */
const group = (handler: JsonObject, matcher?: string): JsonObject => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [handler],
})

const claudeCode: Installation = {
  title: 'Claude Code',
  file: (scope, places) => ({
    path: join(
      scope === 'user' ? folderOf(places, 'CLAUDE_CONFIG_DIR', '.claude') : join(places.project, '.claude'),
      'settings.json',
    ),
  }),
  events: [
    { event: 'SessionStart', seconds: reportSeconds, isCommandOnly: true },
    ...gates(hookSeconds, 'UserPromptSubmit'),
    ...gates(personSeconds, 'PreToolUse', 'PermissionRequest'),
    ...reports(personSeconds, 'Elicitation'),
    { event: 'PostToolUse', seconds: hookSeconds, failsClosed: true },
    ...reports(reportSeconds, 'PostToolUseFailure', 'MessageDisplay'),
    // Claude Code ignores "onFailure" here: over HTTP, the end of a turn would pass when the gate does not
    // answer. The command asks over the socket, which strangers cannot open.
    { event: 'Stop', seconds: hookSeconds, isCommandOnly: true },
    { event: 'SubagentStop', seconds: hookSeconds, isCommandOnly: true },
    ...reports(reportSeconds, 'SubagentStart', 'StopFailure', 'PermissionDenied', 'PreCompact'),
    ...reports(reportSeconds, 'PostCompact', 'Notification', 'SessionEnd'),
  ],
  takesHttp: true,
  managed: {
    linux: 'etc/claude-code/managed-settings.json',
    darwin: 'Library/Application Support/ClaudeCode/managed-settings.json',
  },
  off: { path: ['disableAllHooks'], value: true },
  managedOnly: { path: ['allowManagedHooksOnly'], value: true },
  body: {
    kind: 'hooks',
    fresh: {},
    entry: ({ seconds, isGate, failsClosed = isGate }, reach) =>
      group({
        ...(reach.kind === 'http'
          ? { type: 'http', url: reach.url, headers: reach.headers }
          : { type: 'command', command: reach.command }),
        timeout: seconds,
        ...(failsClosed === true ? { onFailure: 'block' } : {}),
      }),
  },
  steps: (scope) =>
    scope !== 'project'
      ? []
      : [
          'Start claude in this folder once and trust the folder. Until then a session at a terminal runs none of its hooks.',
        ],
  canary: {
    event: 'PreToolUse',
    payload: {
      ...session,
      transcript_path: '/dev/null',
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      ...call,
    },
    denial: ['hookSpecificOutput', 'permissionDecision'],
  },
}

const codex: Installation = {
  title: 'Codex',
  file: (scope, places) => ({
    path: join(
      scope === 'user' ? folderOf(places, 'CODEX_HOME', '.codex') : join(places.project, '.codex'),
      'hooks.json',
    ),
  }),
  events: [
    ...reports(reportSeconds, 'SessionStart'),
    ...gates(hookSeconds, 'UserPromptSubmit'),
    ...gates(personSeconds, 'PreToolUse', 'PermissionRequest'),
    ...reports(hookSeconds, 'PostToolUse', 'Stop', 'SubagentStop'),
    ...reports(reportSeconds, 'SubagentStart', 'PreCompact', 'PostCompact', 'PostModelRequest'),
    ...reports(3, 'SessionEnd'),
  ],
  // Codex binds its trust to the text of the entry. So the entry holds nothing that could change, such as a
  // port or a token.
  body: {
    kind: 'hooks',
    fresh: {},
    entry: ({ seconds }, reach) => group({ type: 'command', command: command(reach), timeout: seconds }),
  },
  steps: (scope) => [
    ...(scope === 'user'
      ? []
      : ['Trust the project in Codex. Codex reads no hooks of an untrusted project.']),
    'Start codex, type /hooks and trust the hooks of hookgate. Until then Codex skips them silently.',
  ],
  canary: {
    event: 'PreToolUse',
    payload: {
      ...session,
      turn_id: canaryTool,
      transcript_path: null,
      hook_event_name: 'PreToolUse',
      model: 'none',
      permission_mode: 'default',
      ...call,
    },
    denial: ['hookSpecificOutput', 'permissionDecision'],
  },
}

const copilot: Installation = {
  title: 'Copilot CLI',
  file: (scope, places) => ({
    path: join(
      scope === 'user' ? folderOf(places, 'COPILOT_HOME', '.copilot') : join(places.project, '.github'),
      'hooks/hookgate.json',
    ),
  }),
  // permissionRequest is left out. It also fires for calls that Copilot allows by itself, so each call would
  // become a question. Of the two events of a prompt only the one that can rewrite it is used. With both,
  // each hook would be asked twice.
  events: [
    ...reports(reportSeconds, 'sessionStart'),
    ...gates(hookSeconds, 'userPromptTransformed'),
    ...gates(personSeconds, 'preToolUse'),
    ...reports(hookSeconds, 'postToolUse'),
    ...reports(reportSeconds, 'postToolUseFailure'),
    ...reports(hookSeconds, 'agentStop', 'subagentStop'),
    ...reports(reportSeconds, 'subagentStart', 'errorOccurred', 'preCompact', 'notification', 'sessionEnd'),
  ],
  off: { path: ['disableAllHooks'], value: true },
  body: {
    kind: 'hooks',
    fresh: { version: 1 },
    entry: ({ seconds }, reach) => ({ type: 'command', bash: command(reach), timeoutSec: seconds }),
  },
  steps: (scope) =>
    scope === 'user'
      ? []
      : [
          'Start copilot in this folder and trust the folder. Until then "copilot -p" skips its hooks silently.',
        ],
  canary: {
    event: 'preToolUse',
    payload: { sessionId: canaryTool, timestamp: 0, cwd: '/', toolName: canaryTool, toolArgs: {} },
    denial: ['permissionDecision'],
  },
}

const gemini: Installation = {
  title: 'Gemini CLI',
  file: (scope, places) => ({
    path: join(
      scope === 'user' ? places.env['GEMINI_CLI_HOME'] || places.home : places.project,
      '.gemini/settings.json',
    ),
  }),
  // PreCompress is left out, because it fires before every call of the model.
  events: [
    ...reports(reportSeconds, 'SessionStart'),
    ...gates(hookSeconds, 'BeforeAgent', 'BeforeModel'),
    ...gates(personSeconds, 'BeforeTool'),
    ...reports(hookSeconds, 'AfterTool'),
    ...reports(reportSeconds, 'AfterModel'),
    ...reports(hookSeconds, 'AfterAgent'),
    ...reports(reportSeconds, 'Notification', 'SessionEnd'),
  ],
  managed: {
    linux: 'etc/gemini-cli/settings.json',
    darwin: 'Library/Application Support/GeminiCli/settings.json',
  },
  off: { path: ['hooksConfig', 'enabled'], value: false },
  body: {
    kind: 'hooks',
    fresh: {},
    // The limit of Gemini is in milliseconds.
    entry: ({ seconds }, reach) =>
      group({ type: 'command', name: 'hookgate', command: command(reach), timeout: seconds * 1000 }),
  },
  steps: (scope) => [
    ...(scope === 'managed'
      ? [
          'Whoever starts Gemini can name another file by GEMINI_CLI_SYSTEM_SETTINGS_PATH. Set that variable yourself where you start it.',
        ]
      : []),
    'Trust each folder that you work in. In an untrusted folder Gemini runs no hooks at all, not even your own.',
  ],
  canary: {
    event: 'BeforeTool',
    payload: {
      ...session,
      transcript_path: '',
      hook_event_name: 'BeforeTool',
      timestamp: '2000-01-01T00:00:00.000Z',
      tool_name: canaryTool,
      tool_input: {},
    },
    denial: ['decision'],
  },
}

const cursor: Installation = {
  title: 'Cursor',
  file: (scope, { home, project }) => ({
    path: join(scope === 'user' ? home : project, '.cursor/hooks.json'),
  }),
  managed: { linux: 'etc/cursor/hooks.json', darwin: 'Library/Application Support/Cursor/hooks.json' },
  // Only preToolUse is used. With beforeShellExecution as well, each command would be judged twice.
  events: [
    ...reports(reportSeconds, 'sessionStart'),
    ...gates(hookSeconds, 'beforeSubmitPrompt'),
    ...gates(personSeconds, 'preToolUse'),
    ...reports(hookSeconds, 'postToolUse'),
    ...reports(reportSeconds, 'postToolUseFailure', 'afterAgentResponse'),
    ...reports(hookSeconds, 'stop'),
    ...reports(reportSeconds, 'subagentStop', 'preCompact', 'sessionEnd'),
  ],
  body: {
    kind: 'hooks',
    fresh: { version: 1 },
    entry: ({ event, seconds, isGate }, reach) => ({
      command: command(reach),
      timeout: seconds,
      ...(isGate === true ? { failClosed: true } : {}),
      ...(event === 'stop' ? { loop_limit: 5 } : {}),
    }),
  },
  steps: (scope) =>
    scope !== 'project'
      ? ['Restart Cursor. Settings, Hooks shows whether it loaded them.']
      : ['Trust this workspace in Cursor and restart it. Settings, Hooks shows whether it loaded them.'],
  canary: {
    event: 'preToolUse',
    payload: {
      conversation_id: canaryTool,
      generation_id: canaryTool,
      model: 'none',
      hook_event_name: 'preToolUse',
      cursor_version: '0',
      workspace_roots: ['/'],
      transcript_path: null,
      cwd: '/',
      ...call,
    },
    denial: ['permission'],
  },
}

export const jsonClients = { 'claude-code': claudeCode, codex, copilot, gemini, cursor } as const

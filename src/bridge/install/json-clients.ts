import { join } from 'node:path'
import type { JsonObject } from '../../model/base/json.ts'
import { canaryTool, type Hooked, type Installation, type ClientPlaces, type Reach } from './client.ts'

const command = (reach: Reach): string => (reach.kind === 'command' ? reach.command : '')

/** Until a person has answered. */
const asked = 630
/** Until hooks have. */
const judged = 90
const told = 30

const gate = (event: string, seconds = judged): Hooked => ({ event, seconds, isGate: true })
const tell = (...events: readonly string[]): readonly Hooked[] =>
  events.map((event) => ({ event, seconds: told }))

/** In the folder that a variable names, else in one of the home's. */
const inFolder = (
  { home, env }: ClientPlaces,
  variable: string,
  otherwise: string,
  file: string,
): { readonly path: string } => ({ path: join(env[variable] || join(home, otherwise), file) })

const session = { session_id: canaryTool, cwd: '/' }
const call = { tool_name: canaryTool, tool_input: {}, tool_use_id: canaryTool }

/** A group with one handler, as Claude Code began it. */
const group = (handler: JsonObject, matcher?: string): JsonObject => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [handler],
})

const claudeCode: Installation = {
  title: 'Claude Code',
  file: (scope, places) =>
    scope === 'user'
      ? inFolder(places, 'CLAUDE_CONFIG_DIR', '.claude', 'settings.json')
      : { path: join(places.project, '.claude/settings.json') },
  events: [
    { event: 'SessionStart', seconds: told, isCommandOnly: true },
    gate('UserPromptSubmit'),
    gate('PreToolUse', asked),
    gate('PermissionRequest', asked),
    { event: 'PostToolUse', seconds: judged, failsClosed: true },
    ...tell('PostToolUseFailure'),
    { event: 'MessageDisplay', seconds: told },
    // Claude Code hears no "onFailure" here: asked over HTTP, an end that nobody could judge would pass. The
    // command asks over the socket, to which no stranger has a way.
    { event: 'Stop', seconds: judged, isCommandOnly: true },
    { event: 'SubagentStop', seconds: judged, isCommandOnly: true },
    ...tell(
      'SubagentStart',
      'StopFailure',
      'PermissionDenied',
      'PreCompact',
      'PostCompact',
      'Notification',
      'SessionEnd',
    ),
  ],
  takesHttp: true,
  off: { path: ['disableAllHooks'], value: true },
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
    scope === 'user'
      ? []
      : [
          'Start claude in this folder once and trust it. Until then a session at a terminal runs none of its hooks.',
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
  file: (scope, places) =>
    scope === 'user'
      ? inFolder(places, 'CODEX_HOME', '.codex', 'hooks.json')
      : { path: join(places.project, '.codex/hooks.json') },
  events: [
    ...tell('SessionStart'),
    gate('UserPromptSubmit'),
    gate('PreToolUse', asked),
    gate('PermissionRequest', asked),
    { event: 'PostToolUse', seconds: judged },
    { event: 'Stop', seconds: judged },
    { event: 'SubagentStop', seconds: judged },
    ...tell('SubagentStart', 'PreCompact', 'PostCompact', 'PostModelRequest'),
    { event: 'SessionEnd', seconds: 3 },
  ],
  // Its trust binds to the entry's text: nothing stands in it that could change, as a port or a token.
  body: {
    kind: 'hooks',
    fresh: {},
    entry: ({ seconds }, reach) => group({ type: 'command', command: command(reach), timeout: seconds }),
  },
  steps: (scope) => [
    ...(scope === 'user'
      ? []
      : ['Trust the project in Codex: of one that is not trusted it reads no hooks.']),
    'Start codex, type /hooks and trust the hooks of hookgate. Until then Codex skips them without a word.',
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
  file: (scope, places) =>
    scope === 'user'
      ? inFolder(places, 'COPILOT_HOME', '.copilot', 'hooks/hookgate.json')
      : { path: join(places.project, '.github/hooks/hookgate.json') },
  // Not permissionRequest: it fires for what Copilot allows by itself too, and each call would become a question.
  // Of its two events of a prompt the one that can rewrite it: with both, each hook would be asked twice.
  events: [
    ...tell('sessionStart'),
    gate('userPromptTransformed'),
    gate('preToolUse', asked),
    { event: 'postToolUse', seconds: judged },
    ...tell('postToolUseFailure'),
    { event: 'agentStop', seconds: judged },
    { event: 'subagentStop', seconds: judged },
    ...tell('subagentStart', 'errorOccurred', 'preCompact', 'notification', 'sessionEnd'),
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
          'Start copilot in this folder and trust it. Until then "copilot -p" skips its hooks without a word.',
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
  // Not PreCompress: it fires before every call of the model.
  events: [
    ...tell('SessionStart'),
    gate('BeforeAgent'),
    gate('BeforeModel'),
    gate('BeforeTool', asked),
    { event: 'AfterTool', seconds: judged },
    { event: 'AfterModel', seconds: told },
    { event: 'AfterAgent', seconds: judged },
    ...tell('Notification', 'SessionEnd'),
  ],
  off: { path: ['hooksConfig', 'enabled'], value: false },
  body: {
    kind: 'hooks',
    fresh: {},
    // Its limit is in milliseconds.
    entry: ({ seconds }, reach) =>
      group({ type: 'command', name: 'hookgate', command: command(reach), timeout: seconds * 1000 }),
  },
  steps: () => [
    'Trust each folder that you work in: in one that is not trusted Gemini runs no hooks at all, yours neither.',
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
  // One layer: a call would otherwise be judged twice, by preToolUse and by beforeShellExecution.
  events: [
    ...tell('sessionStart'),
    gate('beforeSubmitPrompt'),
    gate('preToolUse', asked),
    { event: 'postToolUse', seconds: judged },
    ...tell('postToolUseFailure'),
    { event: 'afterAgentResponse', seconds: told },
    { event: 'stop', seconds: judged },
    ...tell('subagentStop', 'preCompact', 'sessionEnd'),
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
    scope === 'user'
      ? ['Restart Cursor; Settings, Hooks shows whether it took them.']
      : ['Trust this workspace in Cursor and restart it; Settings, Hooks shows whether it took them.'],
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

import type { Dialect } from '../../shared/hooks/dialect.ts'
import { eventsOf, field, type Row, type Rows } from '../table.ts'
import { decodeAs } from './answer.ts'
import { claudeRows, encodeAs, endReasons, sources } from './claude-code.ts'

/**
 * Systems whose hooks get and answer the same JSON as Claude Code's, except for the names of tools and some
 * fields.
 */

/** Claude Code's fields of an event. The facts about it differ. */
const like = (name: keyof typeof claudeRows): Row => {
  const { event, fields, isCall, here, in: read, out, moment }: Row = claudeRows[name]
  return { event, fields, isCall, here, in: read, out, moment }
}

const tool = { matches: 'tool_name' } as const
const gate = { isGate: true } as const
const subagent = { matches: 'subagent_type' } as const
const compaction = { matches: 'source', values: sources } as const

/** The events that all of these systems have under the same name. */
export const shared = {
  PreToolUse: { ...like('PreToolUse'), ...tool, ...gate },
  UserPromptSubmit: { ...like('UserPromptSubmit'), ...gate, isTextContext: true },
  SessionStart: {
    ...like('SessionStart'),
    matches: 'source',
    isTextContext: true,
    note: 'It cannot refuse a session',
  },
  SessionEnd: { ...like('SessionEnd'), matches: 'reason', values: endReasons },
  Stop: { ...like('Stop'), ...gate },
  PreCompact: { ...like('PreCompact'), ...compaction, here: { summary: '' } },
} as const satisfies Rows

export const ran: Row = {
  ...like('PostToolUse'),
  ...tool,
  note: 'The tool has run: a block undoes nothing, and its reason is given to the model',
}

export const failed: Row = { ...like('PostToolUseFailure'), ...tool }
export const subagents = {
  SubagentStart: { ...like('SubagentStart'), ...subagent },
  SubagentStop: { ...like('SubagentStop'), ...subagent, ...gate },
} as const satisfies Rows

export const postCompact: Row = { ...like('PostCompact'), ...compaction }
export const notification: Row = { event: 'on_notification', fields: { message: field.text('message') } }
export const request: Row = { ...like('PermissionRequest'), ...tool, ...gate }
export const stopFailure = like('StopFailure')
export const interrupt: Row = {
  event: 'on_turn_end',
  where: { reason: ['canceled', 'aborted', 'interrupted'] },
  here: { reason: 'interrupted' },
}

const factoryRows: Rows = {
  ...shared,
  PostToolUse: { ...ran, where: { tool_error: [false] } },
  ...subagents,
  Notification: notification,
}

/** Factory's Droid. */
export const factoryHooks: Dialect = {
  name: 'factory',
  events: eventsOf(factoryRows),
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: encodeAs('factory', factoryRows),
  decode: decodeAs('factory', 'Factory'),
  env: (_, { workspace, root }) => ({
    FACTORY_PROJECT_DIR: workspace,
    ...(root === undefined
      ? {}
      : { DROID_PLUGIN_ROOT: root, FACTORY_PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root }),
  }),
}

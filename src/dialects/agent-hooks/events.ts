import type { NativeEvent } from '../../core/model/hooks/dialect.ts'

interface AgentHooksEvent extends Omit<NativeEvent, 'name' | 'isGate'> {
  /** The event's name in the first version of the specification. Absent: the event was added later. */
  readonly first?: string
  readonly today: string
}

/** A hook's pattern is matched against the tool's arguments, and its `tool` against the tool's name. */
const tool = { matches: 'tool_input' } as const

const rows: readonly AgentHooksEvent[] = [
  { first: 'before_tool', today: 'pre-tool-call', event: 'pre_tool_call', ...tool },
  {
    first: 'after_tool',
    today: 'post-tool-call',
    event: 'post_tool_call',
    where: { tool_error: [false] },
    ...tool,
    note: 'it fires on success only; a block ends the turn',
  },
  {
    first: 'after_tool_failure',
    today: 'post-tool-call-failure',
    event: 'on_tool_error',
    ...tool,
    note: 'a block is only reported: the tool has failed already',
  },
  { first: 'before_agent', today: 'pre-agent-turn', event: 'on_user_message' },
  {
    first: 'after_agent',
    today: 'post-agent-turn',
    event: 'on_turn_end',
    note: 'a block is only reported: the turn is over',
  },
  { first: 'before_stop', today: 'pre-agent-turn-stop', event: 'on_stop' },
  {
    today: 'post-agent-turn-stop',
    event: 'on_turn_end',
    note: 'it is the same moment as post-agent-turn here; a block is only reported',
  },
  { first: 'session_start', today: 'pre-session', event: 'on_session_start' },
  {
    first: 'session_end',
    today: 'post-session',
    event: 'on_session_end',
    note: 'a block is only reported: the session is over',
  },
  { first: 'subagent_start', today: 'pre-subagent', event: 'on_subagent_start' },
  { first: 'subagent_stop', today: 'post-subagent', event: 'on_subagent_stop' },
  { first: 'pre_compact', today: 'pre-context-compact', event: 'pre_compact' },
  {
    today: 'post-context-compact',
    event: 'post_compact',
    note: 'a block is only reported: the conversation is compacted already',
  },
]

const named = (name: string, { first: _first, today: _today, ...row }: AgentHooksEvent): NativeEvent => ({
  name,
  ...row,
  isGate: true,
})

/**
 * The 11 names of the first version and the 13 names of today. The specification lets a hook refuse at each
 * of them.
 */
export const agentHookEvents: readonly NativeEvent[] = [
  ...rows.flatMap((row) => (row.first === undefined ? [] : [named(row.first, row)])),
  ...rows.map((row) => named(row.today, row)),
]

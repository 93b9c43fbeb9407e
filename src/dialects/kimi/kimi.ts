import type { Client } from '../../shared/gate/client.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import { isObject } from '../../core/model/base/json.ts'
import {
  failed,
  interrupt,
  notification,
  postCompact,
  ran,
  shared,
  stopFailure,
  subagents,
} from '../claude-code/alike.ts'
import { decodeAs } from '../claude-code/answer.ts'
import { encodeAs } from '../claude-code/claude-code.ts'
import { isRefused, noRewrite, refusalOf, settledOf, whyOf } from '../client-write.ts'
import { denial } from '../gates.ts'
import { isNonNull } from '../reading/output.ts'
import { contentText, eventsOf, field, readerOf, reportsOf, type Rows, textOrEmpty } from '../table.ts'

const onlyReported = 'Kimi only reports it, and one-shot runs often lose it'
const onlyTold = 'The hook is only told; it decides nothing'

const rows: Rows = {
  ...shared,
  PreToolUse: {
    ...shared.PreToolUse,
    told: 'a call can be refused, not rewritten; the refusal says what to call instead',
  },
  UserPromptSubmit: {
    ...shared.UserPromptSubmit,
    in: ({ is_steer: isSteer }) => ({ kind: isSteer === true ? 'steer' : 'message' }),
    told: 'a message can be refused, not rewritten',
  },
  SessionEnd: {
    ...shared.SessionEnd,
    in: ({ reason }) => ({ reason: reason ?? 'other' }),
    told: 'one-shot runs often lose it',
  },
  Stop: {
    ...shared.Stop,
    in: () => ({ response: '' }),
    told: 'Kimi grants one further round a turn, and does not tell what the agent said',
  },
  PostToolUse: {
    ...ran,
    event: 'post_tool_call',
    where: { tool_error: [false] },
    fields: {
      tool_output: { ...field.content('tool_result'), out: ({ tool_result: result }) => result ?? '' },
    },
    note: onlyTold,
    told: onlyReported,
  },
  SubagentStart: {
    ...subagents.SubagentStart,
    in: ({ agent_name: name, prompt }) => ({
      subagent_name: textOrEmpty(name),
      subagent_type: undefined,
      task_description: contentText(prompt),
    }),
  },
  SubagentStop: {
    ...subagents.SubagentStop,
    in: ({ agent_name: name, response }) => ({
      subagent_name: textOrEmpty(name),
      subagent_type: undefined,
      stop_hook_active: undefined,
      response: contentText(response),
    }),
  },
  PostCompact: { ...postCompact, here: { summary: '' } },
  Notification: {
    ...notification,
    in: ({ message, body, title }) => ({
      level: 'info',
      message: textOrEmpty(message ?? body ?? title),
    }),
  },
  PostToolUseFailure: {
    ...failed,
    in: ({ error }) => ({ error: textOrEmpty(isObject(error) ? (error['message'] ?? error) : error) }),
    note: onlyTold,
    told: onlyReported,
  },
  StopFailure: {
    ...stopFailure,
    in: ({ error_type: type, error_message: message }) => ({
      error: { message: textOrEmpty(message), name: textOrEmpty(type), stack: '' },
    }),
  },
  Interrupt: interrupt,
  PermissionRequest: { note: 'Kimi only reports it: the person answers in its terminal' },
  PermissionResult: { note: 'the person has answered in its terminal' },
  UserPromptQueued: { note: 'it arrives as UserPromptSubmit' },
  TurnStarted: { note: 'it has arrived as UserPromptSubmit' },
  TaskStarted: { note: 'agents here keep no task list' },
  SessionHeartbeat: { note: 'nothing happens at that moment' },
}

const hooks = (name: 'kimi' | 'kimi-cli', title: string): Dialect => {
  const encode = encodeAs(name, rows)
  return {
    name,
    events: eventsOf(rows),
    shell: 'sh',
    timeoutMs: { default: 30_000, min: 1000, max: 600_000 },
    encode: (native, payload) => {
      const { tool_use_id: id, prompt, ...stdin } = encode(native, payload)
      return {
        ...stdin,
        // In Kimi Code a prompt is a list of parts.
        ...(prompt === undefined
          ? {}
          : { prompt: name === 'kimi' ? [{ type: 'text', text: prompt }] : prompt }),
        ...(id === undefined ? {} : { tool_call_id: id }),
      }
    },
    decode: decodeAs(name, title),
    env: (_, { workspace }) => ({ KIMI_PROJECT_DIR: workspace }),
  }
}

/** Kimi Code as of 2.1. */
export const kimiHooks = hooks('kimi', 'Kimi Code')
/** Kimi CLI, the predecessor of Kimi Code. Its file lies in `.kimi`. */
export const kimiCliHooks = hooks('kimi-cli', 'Kimi CLI')

/**
 * Kimi Code reads a refusal, and context for a message. Any other output on stdout would reach the model as
 * text, so nothing else is written.
 */
const write: Client['write'] = ({ name }, ruled, asked) => {
  if (isRefused(ruled)) return refusalOf('kimi', name, ruled, whyOf(ruled))
  const title = 'Kimi Code'
  const { isChanged, input, noPrompt, context } = settledOf({ speaker: 'kimi', title }, ruled, asked)
  if (name === 'PreToolUse' && input !== undefined && isChanged('tool_input') === true)
    return denial('kimi', name, noRewrite(title, input))
  if (noPrompt !== undefined) return denial('kimi', name, noPrompt)
  return name === 'UserPromptSubmit' && context !== '' ? { message: context } : undefined
}

export const kimi: Client = {
  title: 'Kimi Code',
  events: reportsOf(rows),
  read: readerOf({
    speaker: 'kimi',
    rows,
    call: (stdin) => {
      const { tool_call_id: id = null } = stdin
      return isNonNull(id) ? { ...stdin, tool_use_id: id } : stdin
    },
  }),
  write,
}

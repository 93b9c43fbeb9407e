import type { Client } from '../../shared/gate/client.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { parseUnambiguous } from '../../shared/base/unambiguous.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got } from '../../core/model/gate/problem.ts'
import { callFor } from '../calls.ts'
import { wordIn, type OptionalFields } from '../reading/fields.ts'
import { isNonNull } from '../reading/output.ts'
import {
  eventsOf,
  field,
  objectIn,
  readerOf,
  textOf,
  textOrEmpty,
  type EventField,
  type EventFields,
  type Row,
  type Rows,
} from '../table.ts'
import { decodeCopilot, writeCopilot } from './answers.ts'
import { encoderFor, resultOf, resultType, snake } from './encode.ts'
import { plainName, vsCodePrefix } from './names.ts'

const result: EventField = {
  here: 'tool_result',
  out: (payload) => ({ resultType: resultType(payload), textResultForLlm: resultOf(payload) }),
  in: textOrEmpty,
}

const isFailed = (value: Json | undefined): boolean => {
  const { resultType: type = null, result_type: snakeType = null } = objectIn(value)
  return isNonNull(type ?? snakeType) && (type ?? snakeType) !== 'success'
}

/** VS Code runs the same files, with its own names for tools and arguments. */
const inVsCode = (payload: Payload): JsonObject => callFor('vs-code', payload)

/**
 * The arguments are JSON as text, because scripts parse them with jq a second time, and jq parses only text.
 * VS Code's fields are added; the two forms have no field in common.
 */
const call = (payload: Payload): JsonObject => {
  const { tool_name: toolName = '', tool_input: input = {} } = callFor('copilot', payload)
  return { toolName, toolArgs: JSON.stringify(input), ...inVsCode(payload) }
}

const sources = { startup: 'new', clear: 'new', resume: 'resume' }
const source: EventField = {
  here: 'source',
  out: ({ source: ours }) => wordIn(sources, ours) ?? ours,
  in: (theirs) => (theirs === 'resume' ? 'resume' : 'startup'),
}

/** Copilot has five reasons. A reason of ours that it lacks becomes the nearest one. */
const reasons = {
  complete: 'complete',
  error: 'error',
  abort: 'abort',
  timeout: 'timeout',
  user_exit: 'user_exit',
  clear: 'user_exit',
  logout: 'user_exit',
  other: 'complete',
}

/** These events name the transcript. At the start of a conversation there is none. */
const transcript: EventFields = { transcriptPath: { out: ({ transcript_path: path }) => path ?? '' } }
const stop: EventFields = {
  stop_hook_active: field.isTrue('stop_hook_active'),
  response: field.text('response'),
}

const tool = { matches: 'tool_name', isCall: true } as const
/** This also marks events at which only hookgate lets a hook refuse. Their notes say so. */
const gate = { isGate: true } as const
/** hookgate is stricter than Copilot here: a hook that can refuse nothing in Copilot can refuse here. */
const stricter = {
  isGate: true,
  failsClosed: false,
  note: 'in Copilot it cannot refuse; here it can, but not by a failure',
} as const

interface CopilotRow extends Row {
  /** Absent: the event has no PascalCase name. */
  readonly alias?: string
  /** The fields that VS Code adds to the base fields. Absent: its documentation has no such event. */
  readonly vsCode?: Row
}

const named: Readonly<Record<string, CopilotRow>> = {
  preToolUse: {
    alias: 'PreToolUse',
    event: 'pre_tool_call',
    ...tool,
    ...gate,
    failsClosed: true,
    out: call,
    vsCode: { out: inVsCode },
    note: 'in Copilot a timeout or an unreachable server lets the tool run; here every fault blocks it',
  },
  permissionRequest: {
    alias: 'PermissionRequest',
    event: 'on_permission_request',
    ...tool,
    ...gate,
    fields: {
      permissionSuggestions: {
        ...field.list('suggestions'),
        out: ({ suggestions }) => suggestions ?? [],
      },
    },
    out: (payload) => {
      const { tool_name: toolName = '', tool_input: toolInput = {} } = callFor('copilot', payload)
      return { toolName, toolInput }
    },
  },
  postToolUse: {
    alias: 'PostToolUse',
    event: 'transform_tool_result',
    ...tool,
    fields: { toolResult: result },
    out: call,
    in: ({ toolResult, tool_result: snakeResult }) => ({ tool_error: isFailed(toolResult ?? snakeResult) }),
    vsCode: { out: (payload) => ({ ...inVsCode(payload), tool_response: resultOf(payload) }) },
    moment: 'tool_ran',
    note:
      'it sees failed results too, as in the first versions of Copilot. ' +
      'A refused call has no result here, so "resultType" is never "denied"',
  },
  postToolUseFailure: {
    alias: 'PostToolUseFailure',
    event: 'on_tool_error',
    isCall: true,
    fields: { error: field.text('error') },
    out: call,
    moment: 'tool_ran',
  },
  userPromptSubmitted: {
    alias: 'UserPromptSubmit',
    event: 'on_user_message',
    ...gate,
    fields: { prompt: field.text('message') },
    here: { kind: 'message' },
    vsCode: { fields: { prompt: 'message' } },
    moment: 'turn_start',
    note: 'Copilot drops most of its output; here it can refuse and add context. A failure that the agent can bring about (a timeout, its shell) stops the step',
  },
  userPromptTransformed: {
    event: 'on_user_message',
    ...stricter,
    fields: {
      prompt: field.told('message'),
      transformedPrompt: {
        ...field.text('message'),
        in: (transformed, { prompt }) => textOrEmpty(transformed ?? prompt),
      },
    },
    here: { kind: 'message' },
    moment: 'turn_start',
    note: `${stricter.note}. A message has one text here: what the person wrote is what the model gets`,
  },
  sessionStart: {
    alias: 'SessionStart',
    event: 'on_session_start',
    where: { source: ['startup', 'resume', 'clear'] },
    ...stricter,
    fields: {
      source,
      initialPrompt: {
        here: 'initial_prompt',
        out: ({ initial_prompt: prompt }) => (prompt === '' ? undefined : prompt),
        in: textOf,
      },
    },
    here: { status: 'started' },
    vsCode: { fields: { source } },
  },
  sessionEnd: {
    alias: 'SessionEnd',
    event: 'on_session_end',
    fields: {
      reason: {
        here: 'reason',
        out: ({ reason }) => wordIn(reasons, reason) ?? reason,
        in: (reason) => textOf(reason) ?? 'other',
      },
    },
    here: { status: 'ended' },
    moment: 'session_end',
  },
  agentStop: {
    alias: 'Stop',
    event: 'on_stop',
    ...gate,
    fields: {
      ...transcript,
      stopReason: {
        out: ({ stop_reason: reason = 'no_tool_calls' }) =>
          reason === 'no_tool_calls' ? 'end_turn' : reason,
      },
      ...stop,
    },
    here: { stop_reason: 'no_tool_calls' },
    vsCode: {
      fields: { stop_hook_active: field.isTrue('stop_hook_active'), last_assistant_message: 'response' },
    },
    moment: 'turn_end',
    note: "the transcript is in Claude Code's form; the payload has the answer too",
  },
  subagentStart: {
    alias: 'SubagentStart',
    event: 'on_subagent_start',
    matches: 'subagent_name',
    ...stricter,
    fields: {
      ...transcript,
      agentName: field.text('subagent_name'),
      agentDisplayName: field.told('subagent_name'),
      agentDescription: field.text('task_description'),
    },
    vsCode: { fields: { agent_id: 'subagent_name', agent_type: 'subagent_type' } },
  },
  subagentStop: {
    alias: 'SubagentStop',
    event: 'on_subagent_stop',
    ...gate,
    fields: {
      ...transcript,
      agentId: field.told('subagent_name'),
      agentType: { ...field.text('subagent_type'), in: textOf },
      agentName: field.text('subagent_name'),
      agentDisplayName: field.told('subagent_name'),
      response: field.text('response'),
      stopReason: field.fixed('end_turn'),
    },
    vsCode: {
      fields: { agent_id: 'subagent_name', agent_type: 'subagent_type', last_assistant_message: 'response' },
    },
    note: 'the response cannot be replaced here',
  },
  errorOccurred: {
    alias: 'ErrorOccurred',
    event: 'on_error',
    fields: {
      error: {
        here: 'error',
        out: ({ error }) => error,
        in: (error) => (isObject(error) ? error : { message: textOrEmpty(error), name: 'Error', stack: '' }),
      },
      errorContext: field.fixed('system'),
      recoverable: field.fixed(false),
    },
  },
  preCompact: {
    alias: 'PreCompact',
    event: 'pre_compact',
    matches: 'source',
    ...stricter,
    fields: { ...transcript, trigger: field.trigger, customInstructions: field.fixed('') },
    here: { summary: '' },
    vsCode: { fields: { trigger: field.trigger } },
  },
  notification: {
    alias: 'Notification',
    event: 'on_notification',
    fields: {
      hook_event_name: field.fixed('Notification'),
      message: field.text('message'),
      notification_type: field.told('level'),
    },
    here: { level: 'info' },
    note: 'its type here is our level, so a matcher on types does not count',
  },
}

const entries = Object.entries(named)
const rows: Rows = Object.fromEntries(
  entries.flatMap(([name, row]) => [[name, row], ...(row.alias === undefined ? [] : [[row.alias, row]])]),
)

const notHere: Rows = {
  preMcpToolCall: { note: 'only programs that embed Copilot are asked, never a hook in a file' },
}

/** The events of a file without a version. VS Code ignores matchers. */
const vsCodeRows: Rows = Object.fromEntries(
  entries.flatMap(([, { alias, vsCode, event, where, isGate, failsClosed }]) =>
    alias === undefined || vsCode === undefined
      ? []
      : [
          [
            `${vsCodePrefix}${alias}`,
            {
              ...vsCode,
              event,
              where,
              isGate,
              failsClosed,
              note: "it is for a file without a version. The hook gets VS Code's names and is asked about every tool",
            },
          ],
        ],
  ),
)

/**
 * GitHub Copilot's hooks. Their fields are in camelCase. Events with a PascalCase name use snake_case and
 * Claude Code's tool names.
 */
export const copilot: Dialect = {
  name: 'copilot',
  // VS Code's names come last, so that Copilot's own name is found first for an event of ours.
  events: eventsOf({ ...rows, ...vsCodeRows, ...notHere }),
  shell: 'bash',
  timeoutMs: { default: 30_000, min: 1000, max: 600_000 },
  encode: encoderFor(rows, vsCodeRows),
  decode: decodeCopilot,
  env: (_, { hookDir, workspace }) => ({
    COPILOT_CLI: '1',
    COPILOT_PROJECT_DIR: workspace,
    COPILOT_HOOK_DIR: hookDir,
    CLAUDE_PROJECT_DIR: workspace,
  }),
}

/** Returns the call. The arguments come as an object; earlier versions sent JSON as text. */
const callIn = ({
  toolName,
  tool_name: name,
  toolArgs,
  toolInput,
  tool_input: input,
}: JsonObject): OptionalFields => {
  const args = toolArgs ?? toolInput ?? input
  return {
    tool_name: toolName ?? name,
    tool_input: typeof args === 'string' ? (parseUnambiguous(args) ?? args) : args,
  }
}

const read = readerOf({
  rows,
  // A PermissionRequest uses Copilot's names, whichever name of the event the hook is registered for. So the
  // shape of the payload says whose names they are.
  speaker: ({ toolName = null }) => (isNonNull(toolName) ? 'copilot' : 'claude-code'),
  call: callIn,
  flaw: ({ tool_name: name, tool_input: args }) =>
    typeof name !== 'string' || name === ''
      ? `Expected "toolName" to be a name, got ${got(name)}.`
      : isNonNull(args) && !isObject(args)
        ? `Expected "toolArgs" to be an object or one as JSON text, got ${got(args)}.`
        : undefined,
  isNamed: (word, name) => typeof word !== 'string' || plainName({ name: word }) === plainName({ name }),
  sessionField: 'sessionId',
  spelled: snake,
  sessionOf: ({ sessionId, session_id }) => sessionId ?? session_id,
  agentOf: () => undefined,
})

/** A Copilot behind the gate. No bridge reports events by VS Code's names. */
export const copilotClient: Client = {
  title: 'GitHub Copilot',
  events: eventsOf({ ...rows, ...notHere }),
  read,
  write: writeCopilot,
}

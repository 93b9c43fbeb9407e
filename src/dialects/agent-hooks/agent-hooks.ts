import type { Client } from '../../shared/gate/client.ts'
import type { Dialect, NativeEvent } from '../../shared/hooks/dialect.ts'
import { contractOf } from '../../core/model/events/event.ts'
import { isObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { rewriteFrom } from '../calls.ts'
import { settledOf, unlessEmpty, whyOf } from '../client-write.ts'
import { mustBe, type FieldTable } from '../reading/answer-fields.ts'
import { conclude, readOutput, readPlaced, type Printing } from '../reading/conclude.ts'
import { definedFields } from '../reading/fields.ts'
import {
  encoderOf,
  eventsOf,
  field,
  type EventField,
  type EventFields,
  readerOf,
  type Row,
  type Rows,
  textOrEmpty,
} from '../table.ts'

const finalMessage: EventField = {
  here: 'response',
  out: ({ response }) =>
    typeof response === 'string' && response !== '' ? { role: 'assistant', content: response } : null,
  in: (message) => textOrEmpty(isObject(message) ? message['content'] : message),
}

const subagent: EventFields = {
  subagent_name: field.text('subagent_name'),
  subagent_type: 'subagent_type',
  task_description: field.text('task_description'),
}

const tokens: EventFields = { input_tokens: 'input_tokens', output_tokens: 'output_tokens' }

/** A hook's pattern is matched against the tool's arguments, and its `tool` against the tool's name. */
const tool = { matches: 'tool_input', isCall: true } as const

/**
 * The specification does not define a tool's output, a failure's text, a prompt, a subagent's answer and the
 * fields of compaction. Here they have the nearest name of the specification (`final_message`,
 * `stop_reason`), our own name, or the name that the successor of its only implementation uses
 * (`tool_output`, `error`, `prompt`). `first` is the event's name in the first version of the specification;
 * without it the event was added later.
 */
const named: Readonly<Record<string, Row & { readonly first?: string }>> = {
  'pre-tool-call': { first: 'before_tool', event: 'pre_tool_call', ...tool },
  'post-tool-call': {
    first: 'after_tool',
    event: 'post_tool_call',
    where: { tool_error: [false] },
    ...tool,
    fields: { tool_output: field.text('tool_result') },
    here: { tool_error: false },
    moment: 'tool_ran',
    note: 'it fires on success only; a block ends the turn',
  },
  'post-tool-call-failure': {
    first: 'after_tool_failure',
    event: 'on_tool_error',
    ...tool,
    fields: {
      error: { ...field.text('error'), in: (error, { tool_output: output }) => textOrEmpty(error ?? output) },
    },
    moment: 'tool_ran',
    note: 'a block is only reported: the tool has failed already',
  },
  'pre-agent-turn': {
    first: 'before_agent',
    event: 'on_user_message',
    fields: {
      prompt: { ...field.text('message'), in: (prompt, { message }) => textOrEmpty(prompt ?? message) },
    },
    here: { kind: 'message' },
    moment: 'turn_start',
  },
  'post-agent-turn': {
    first: 'after_agent',
    event: 'on_turn_end',
    fields: { stop_reason: field.or('reason', 'normal'), step_count: 'step_count' },
    note: 'a block is only reported: the turn is over',
  },
  'pre-agent-turn-stop': {
    first: 'before_stop',
    event: 'on_stop',
    fields: { stop_reason: 'stop_reason', step_count: 'step_count', final_message: finalMessage },
    moment: 'turn_end',
  },
  'post-agent-turn-stop': {
    event: 'on_turn_end',
    fields: { stop_reason: field.or('reason', 'normal'), step_count: 'step_count' },
    note: 'it is the same moment as post-agent-turn here; a block is only reported',
  },
  'pre-session': {
    first: 'session_start',
    event: 'on_session_start',
    fields: { model: 'model', args: { out: ({ agent_id: agent }) => ({ ui: 'hookgate', agent }) } },
    here: { status: 'started', source: 'startup' },
  },
  'post-session': {
    first: 'session_end',
    event: 'on_session_end',
    fields: {
      duration_seconds: 'duration_seconds',
      total_steps: 'total_steps',
      exit_reason: field.or('reason', 'other'),
    },
    here: { status: 'ended' },
    moment: 'session_end',
    note: 'a block is only reported: the session is over',
  },
  'pre-subagent': { first: 'subagent_start', event: 'on_subagent_start', fields: subagent },
  'post-subagent': {
    first: 'subagent_stop',
    event: 'on_subagent_stop',
    fields: { ...subagent, task_description: field.told('task_description'), final_message: finalMessage },
  },
  'pre-context-compact': {
    first: 'pre_compact',
    event: 'pre_compact',
    fields: {
      source: field.or('source', 'auto'),
      reason: 'reason',
      ...tokens,
      context_limit: 'context_limit',
    },
    here: { summary: '' },
  },
  'post-context-compact': {
    event: 'post_compact',
    fields: { source: field.or('source', 'auto'), summary: field.text('summary'), ...tokens },
    note: 'a block is only reported: the conversation is compacted already',
  },
}

/**
 * The 11 names of the first version and the 13 names of today. The specification lets a hook refuse at each
 * of them.
 */
const rows: Rows = Object.fromEntries(
  [
    ...Object.values(named).flatMap((row) => (row.first === undefined ? [] : [[row.first, row] as const])),
    ...Object.entries(named),
  ].map(([name, row]) => [name, { ...row, isGate: true as const }]),
)

/** The fields of an answer. A rewrite and context count only where the event has a place for them. */
const fieldsAt = (event: NativeEvent['event'], payload: Payload): FieldTable => ({
  decision: { means: 'decision', must: mustBe.decision },
  reason: 'reason',
  log: 'note',
  modified_input: {
    means: event === 'pre_tool_call' ? 'rewrite' : 'misplaced',
    rewrites: 'tool_input',
    must: mustBe.object,
    read: (input) => (isObject(input) ? rewriteFrom('agent-hooks', payload, input) : input),
  },
  additional_context:
    event === undefined || contractOf(event).contextTo === undefined ? 'misplaced' : 'context',
})

/** In this system plain text on stdout is not an answer, because it wants JSON. */
const printing: Printing = { rule: 'An agent-hooks script exits 0 for an answer and 2 to block.' }

/**
 * The Agent Hooks specification (HOOK.md): `decision` stands at the top level, stderr is the reason of exit
 * 2, and times are in milliseconds.
 */
export const agentHooks: Dialect = {
  name: 'agent-hooks',
  events: eventsOf(rows),
  // The shell runs only a command entry of ours in this dialect. Hooks of the specification are scripts that
  // run without a shell.
  shell: 'sh',
  timeoutMs: { default: 30_000, min: 100, max: 600_000 },
  // The examples of the specification cut fields out of the text after `": "`.
  isSpaced: true,
  hearsRefusals: true,
  encode: encoderOf(
    'agent-hooks',
    rows,
    (name, { timestamp, session_id, cwd }) => ({
      event_type: name,
      timestamp,
      session_id,
      work_dir: cwd,
      context: {},
    }),
    definedFields,
  ),
  // The output is read by the specification, but more carefully: a readable deny denies at any exit code and
  // in camelCase too, and an unknown decision is a fault, not consent.
  decode: (native, payload, output) => {
    const { answer, flaw } = readOutput(output, printing, (json) =>
      readPlaced(json, fieldsAt(native.event, payload), native),
    )
    const { kind, reason, notes, context } = answer
    const isRefusal = kind === 'block' || output.exitCode === 2
    return conclude(
      {
        answer: isRefusal ? { kind, reason, notes, context } : answer,
        flaw,
        isStderrFirst: true,
        lost: !contractOf(payload.event).gate.includes('block') && {
          because: `at ${native.name} there is nothing left to block.`,
          context,
        },
      },
      output,
    )
  },
  // The variables that the only implementation of the specification sets for a hook.
  env: ({ session_id, cwd }, { workspace }) => ({
    KIMI_SESSION_ID: session_id,
    KIMI_WORK_DIR: cwd,
    KIMI_PROJECT_DIR: workspace,
  }),
}

/**
 * `ask` is written as a refusal, because the only program that runs these hooks takes a question for consent.
 */
const write: Client['write'] = ({ name, event }, ruled, asked) => {
  const { verdict, isConsent, contexts, notes, stopsTurn } = ruled
  const { input, noPrompt } = settledOf({ speaker: 'agent-hooks', title: 'the agent' }, ruled, asked)
  const isAllowed = verdict === 'allow'
  const why = isAllowed ? noPrompt : whyOf(ruled)
  const log = [
    ...notes,
    ...(stopsTurn === true && isAllowed
      ? [`hookgate: a hook wanted to end the turn, which ${name} cannot.`]
      : []),
  ]
  return unlessEmpty({
    ...(why === undefined ? {} : { decision: 'deny', reason: why }),
    ...(why === undefined && isConsent ? { decision: 'allow' } : {}),
    ...(isAllowed && event === 'pre_tool_call' && input !== undefined ? { modified_input: input } : {}),
    ...(contexts.length === 0 ? {} : { additional_context: contexts.join('\n') }),
    ...(log.length === 0 ? {} : { log: log.join('\n') }),
  })
}

/** A client that fires hooks by the specification. */
export const agentHooksClient: Client = {
  title: 'Agent Hooks (HOOK.md)',
  events: eventsOf(rows),
  read: readerOf({
    speaker: 'agent-hooks',
    rows,
    nameField: 'event_type',
    cwdOf: ({ work_dir: folder }) => folder,
    agentOf: () => undefined,
  }),
  write,
}

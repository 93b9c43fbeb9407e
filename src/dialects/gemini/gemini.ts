import type { Client } from '../../shared/gate/client.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { decodeAs } from '../claude-code/answer.ts'
import { refusalOf, replyOf, resultOf, settledOf, whyOf, type Reply, type Settled } from '../client-write.ts'
import { definedFields, wordIn, type OptionalFields } from '../reading/fields.ts'
import { answerIn, isNonNull } from '../reading/output.ts'
import {
  contentText,
  conversationOf,
  encoderOf,
  eventsOf,
  field,
  objectIn,
  readerOf,
  reportsOf,
  type Rows,
  valueAt,
} from '../table.ts'

const reasons = { clear: 'clear', logout: 'logout', prompt_input_exit: 'user_exit', exit: 'complete' }

const pieceOnly = (stdin: JsonObject): OptionalFields => {
  const candidates = valueAt(stdin, 'llm_response.candidates')
  return Array.isArray(candidates) && candidates.some((one) => isNonNull(objectIn(one)['finishReason']))
    ? {}
    : { nothing: 'it is a piece of an answer that goes on' }
}

const tool = { matches: 'tool_name', isCall: true } as const
const gate = { isGate: true } as const

/** Gemini CLI's events as of 0.61. */
const rows: Rows = {
  BeforeTool: {
    event: 'pre_tool_call',
    ...tool,
    ...gate,
    told: 'consent does not keep Gemini CLI from asking its own question',
  },
  AfterTool: {
    event: 'transform_tool_result',
    ...tool,
    out: ({ tool_result: result }) => ({
      tool_response: definedFields({ llmContent: result, returnDisplay: result }),
    }),
    in: ({ tool_response: result = null }) => ({
      tool_result: contentText(isObject(result) ? result['llmContent'] : result),
      tool_error: isObject(result) && isNonNull(result['error']),
    }),
    moment: 'tool_ran',
    note: 'The tool has run: a refusal undoes nothing, and its reason is given to the model',
    told: 'a new result replaces the old one as the reason of a refusal',
  },
  BeforeAgent: {
    event: 'on_user_message',
    ...gate,
    isTextContext: true,
    fields: { prompt: field.content('message') },
    here: { kind: 'message' },
    moment: 'turn_start',
    told: 'a message can be refused, not rewritten',
  },
  AfterAgent: {
    event: 'on_stop',
    ...gate,
    fields: {
      prompt: { out: ({ last_user_message: last }) => last ?? '' },
      prompt_response: field.content('response'),
      stop_hook_active: field.isTrue('stop_hook_active'),
    },
    moment: 'turn_end',
    told: 'Gemini CLI itself sets no limit to further rounds; the gate does',
  },
  BeforeModel: {
    event: 'pre_llm_call',
    ...gate,
    fields: { 'llm_request.model': field.text('model'), 'llm_request.messages': field.list('messages') },
    in: (stdin) =>
      conversationOf(valueAt(stdin, 'llm_request.messages'), ({ content }) => contentText(content)),
    note: 'The hook sees only the texts of messages. A new request or answer of the hook is not taken over',
    told: 'hooks see only the texts of messages; everything else in them stays as it is',
  },
  AfterModel: {
    event: 'post_llm_call',
    fields: {
      'llm_request.model': field.text('model'),
      'llm_response.text': field.text('response'),
      'llm_response.candidates': {
        out: ({ response }) => [
          { content: { role: 'model', parts: [response ?? ''] }, finishReason: 'STOP' },
        ],
      },
      'llm_response.usageMetadata': field.heard('usage', (usage) => (isObject(usage) ? usage : undefined)),
    },
    in: pieceOnly,
    note: 'It comes once, with the whole answer',
    told: 'it comes with each piece of an answer; the last one is reported',
  },
  SessionStart: {
    event: 'on_session_start',
    matches: 'source',
    isTextContext: true,
    fields: { source: field.or('source', 'startup') },
    here: { status: 'started' },
    note: 'It cannot refuse a session',
  },
  SessionEnd: {
    event: 'on_session_end',
    matches: 'reason',
    fields: { reason: { ...field.text('reason'), in: (reason) => wordIn(reasons, reason) ?? 'other' } },
    here: { status: 'ended' },
    moment: 'session_end',
    told: 'Gemini CLI does not wait for it, and may report it twice',
  },
  Notification: {
    event: 'on_notification',
    fields: {
      notification_type: field.fixed('ToolPermission'),
      message: field.text('message'),
      details: field.fixed({}),
    },
    here: { level: 'info' },
  },
  PreCompress: { note: 'it comes before every model call, whether anything is compacted or not' },
  BeforeToolSelection: {
    note: 'hookgate judges which tools the model calls, not which tools it is offered',
  },
}

/** Renames the rewrite of an answer, which has another name in Gemini CLI. */
const asClaude = (json: JsonObject): JsonObject => {
  const { hookSpecificOutput: specific } = json
  if (!isObject(specific) || specific['tool_input'] === undefined) return json
  const { tool_input: updatedInput, ...rest } = specific
  return { ...json, hookSpecificOutput: { ...rest, updatedInput } }
}

const decode = decodeAs('gemini', 'Gemini CLI')

/**
 * Translates an output into Claude Code's form. In Gemini CLI every exit code except 0 and 1 refuses, and an
 * answer may stand on stderr.
 */
const asClaudeOutput = (output: HandlerOutput): HandlerOutput => {
  const { exitCode, stdout, stderr } = output
  const printed = stdout.trim() === '' && answerIn(stderr) !== undefined ? stderr : stdout
  const json = answerIn(printed)
  const isRefusal = exitCode !== null && exitCode > 1 && exitCode < 126
  return {
    ...output,
    exitCode: isRefusal ? 2 : exitCode,
    stdout: printed,
    json: json === undefined ? undefined : asClaude(json),
  }
}

export const geminiHooks: Dialect = {
  name: 'gemini',
  events: eventsOf(rows),
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: encoderOf(
    'gemini',
    rows,
    (name, payload) => ({
      session_id: payload.session_id,
      transcript_path: payload['transcript_path'] ?? '',
      cwd: payload.cwd,
      hook_event_name: name,
      timestamp: payload.timestamp,
    }),
    (fields) => definedFields({ ...fields, tool_use_id: undefined }),
  ),
  decode: (native, payload, output) => decode(native, payload, asClaudeOutput(output)),
  env: ({ session_id, cwd }, { workspace }) => ({
    GEMINI_PROJECT_DIR: workspace,
    GEMINI_CWD: cwd,
    GEMINI_SESSION_ID: session_id,
    CLAUDE_PROJECT_DIR: workspace,
  }),
}

/**
 * Names the tool of an MCP server. Gemini CLI reports it under a joined name, and reports server and tool
 * separately beside it.
 */
const call = (stdin: JsonObject): JsonObject => {
  const { server_name: server, tool_name: name } = objectIn(stdin['mcp_context'])
  return typeof server === 'string' && server !== '' && typeof name === 'string' && name !== ''
    ? { ...stdin, tool_name: `mcp__${server}__${name}` }
    : stdin
}

const permit = (
  name: string,
  { messages }: Payload,
  { isChanged, input, result, context, noPrompt }: Settled,
): Reply & { readonly refused?: string } => {
  if (name === 'BeforeTool') return input === undefined ? {} : { inner: { tool_input: input } }
  if (name === 'AfterTool' && result !== undefined)
    return { top: { decision: 'deny', reason: resultOf(result, context) } }
  if (
    name === 'BeforeModel' &&
    Array.isArray(messages) &&
    (isChanged('messages') !== false || context !== '')
  ) {
    const added = context === '' ? [] : [{ role: 'user', content: context }]
    return { inner: { llm_request: { messages: [...messages, ...added] } } }
  }
  if (noPrompt !== undefined) return { refused: noPrompt }
  return context !== '' && ['AfterTool', 'BeforeAgent', 'SessionStart'].includes(name)
    ? { inner: { additionalContext: context } }
    : {}
}

const stoppable = ['BeforeTool', 'AfterTool', 'BeforeModel', 'BeforeAgent']

/** Writes our verdict as Gemini CLI reads it at exit 0. Only its own words at the top level count there. */
const write: Client['write'] = ({ name }, ruled, asked) => {
  const { verdict, notes, stopsTurn, payload } = ruled
  const { refused, top, inner }: ReturnType<typeof permit> =
    verdict === 'allow'
      ? permit(name, payload, settledOf({ speaker: 'gemini', title: 'Gemini CLI' }, ruled, asked))
      : { refused: whyOf(ruled) }
  const refusal = refused === undefined ? undefined : refusalOf('gemini', name, ruled, refused)
  return replyOf(name, {
    top: {
      ...(refusal ?? top),
      ...(stopsTurn === true && stoppable.includes(name)
        ? { continue: false, stopReason: whyOf(ruled) }
        : {}),
    },
    inner: refusal === undefined ? inner : undefined,
    notes,
  })
}

export const gemini: Client = {
  title: 'Gemini CLI',
  events: reportsOf(rows),
  read: readerOf({ speaker: 'gemini', rows, call }),
  write,
}

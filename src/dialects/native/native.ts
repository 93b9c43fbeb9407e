import { abstain, type Answer } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { contractOf, type EventName } from '../../core/model/events/event.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { conclude } from '../reading/conclude.ts'
import { notJson } from '../reading/lines.ts'
import { exited, jsonOf, resultText, strongest, truncated, type OutputFlaw } from '../reading/output.ts'
import { goOnEvents, readAnswerFields, type Field, type FieldTable } from '../reading/answer-fields.ts'

const rewrites = (ours: string, read?: Field['read']): Field => ({
  means: 'rewrite',
  rewrites: ours,
  ...(read === undefined ? {} : { read }),
})
const input = rewrites('tool_input')
const result = rewrites('tool_result', resultText)
const shown = rewrites('notification')
/** An empty list is ignored: docker-agent writes one to say that the messages stay. */
const messages = rewrites('messages', (value) =>
  Array.isArray(value) && value.length === 0 ? undefined : value,
)

/**
 * The fields of an answer to a permission request. They stand in an object, at the top level or in
 * `decision`.
 */
const permission: FieldTable = {
  behavior: 'decision',
  message: 'reason',
  interrupt: 'interrupt',
  updatedInput: input,
  updated_input: input,
  updatedPermissions: 'unused',
  updated_permissions: 'unused',
}
const decision: Field = { means: 'decision', inside: permission }

/**
 * The fields of `hookSpecificOutput`. They also count at the top level, because a hook written for another
 * system means the same there.
 */
const specific: FieldTable = {
  hookEventName: 'nothing',
  hook_event_name: 'nothing',
  decision,
  permissionDecision: 'decision',
  permission_decision: 'decision',
  permissionDecisionReason: 'reason',
  permission_decision_reason: 'reason',
  reason: 'reason',
  context: 'context',
  additionalContext: 'context',
  additional_context: 'context',
  updatedInput: input,
  updated_input: input,
  modifiedInput: input,
  modified_input: input,
  modifiedArgs: input,
  modified_args: input,
  updatedToolOutput: result,
  updated_tool_output: result,
  updatedMCPToolOutput: result,
  updatedToolResponse: result,
  updated_tool_response: result,
  modifiedResult: result,
  modified_result: result,
  displayContent: shown,
  display_content: shown,
  updatedMessages: messages,
  updated_messages: messages,
  summary: 'rewrite',
}

/** All fields of all hook systems, with their meaning here. */
const fields: FieldTable = {
  ...specific,
  behavior: 'decision',
  interrupt: 'interrupt',
  tool_input: 'rewrite',
  notification: 'rewrite',
  parts: 'rewrite',
  message: 'rewrite',
  messages: 'rewrite',
  tool_result: 'rewrite',
  systemMessage: 'note',
  system_message: 'note',
  add_warning: 'note',
  log: 'note',
  continue: 'goesOn',
  stopReason: 'stopReason',
  stop_reason: 'stopReason',
  suppressOutput: 'nothing',
  suppress_output: 'nothing',
  ok: 'ok',
  impossible: 'impossible',
  async: 'nothing',
  asyncTimeout: 'nothing',
  async_timeout: 'nothing',
  hookSpecificOutput: { means: 'inner', inside: specific },
  hook_specific_output: { means: 'inner', inside: specific },
}
/** Beside a `behavior`, `message` is the reason of the decision. */
const flatPermission: FieldTable = { ...fields, message: 'reason' }

/**
 * Reads one JSON object as an answer. `wrong` is an error message for a deciding field that cannot be read.
 */
const readAnswer = (event: EventName, json: JsonObject): { answer: Answer; wrong: string | undefined } => {
  const parsed = readAnswerFields(json, Object.hasOwn(json, 'behavior') ? flatPermission : fields)
  const isGoOn = goOnEvents.includes(event)
  const isRefused = parsed.isRefused && !(isGoOn && parsed.isImpossible)
  const kind = strongest([parsed.kind, ...(parsed.isStop || isRefused ? ['block' as const] : [])])
  const isEnd = !isGoOn && (parsed.isStop || (parsed.isInterrupt && kind === 'block'))
  const reason = parsed.reason ?? parsed.stopReason
  const contextLost =
    parsed.context !== undefined && contractOf(event).contextTo === undefined
      ? [`Its context was not used: ${event} has nowhere to put it.`]
      : []
  const answer: Answer = {
    kind,
    notes: [...parsed.notes, ...contextLost],
    ...(reason === undefined ? {} : { reason }),
    ...(Object.keys(parsed.rewrite).length > 0 ? { rewrite: parsed.rewrite } : {}),
    ...(parsed.context === undefined ? {} : { context: parsed.context }),
    ...(isEnd ? { stopsTurn: true } : {}),
  }
  return { answer, wrong: parsed.wrong }
}

/** Returns why an output is not a complete answer; undefined if it is one. */
const flawOf = (output: HandlerOutput, json: JsonObject | undefined): OutputFlaw | undefined => {
  if (output.isTruncated) return truncated
  if (output.exitCode !== 0) return exited(output, 'A hook exits 0 for an answer and 2 to block.')
  return output.stdout.trim() !== '' && json === undefined ? notJson(output.stdout) : undefined
}

/**
 * Reads a hook's output in the words of any hook system. No output or `{}` is no opinion. A JSON object is
 * read by its fields. Exit 2 blocks, and a readable deny blocks at any exit code. Everything else is a fault;
 * a readable question counts beside it.
 */
export const decodeNative = (event: EventName, output: HandlerOutput): Answer => {
  const json = jsonOf(output)
  const { answer, wrong } =
    json === undefined || Object.keys(json).length === 0
      ? { answer: abstain, wrong: undefined }
      : readAnswer(event, json)
  const flaw =
    flawOf(output, json) ?? (wrong === undefined ? undefined : { kind: 'output' as const, detail: wrong })
  return conclude({ answer, flaw }, output)
}

import { abstain, withFault, type Answer } from '../../model/hooks/answer.ts'
import type { HandlerOutput } from '../../model/hooks/dialect.ts'
import { contractOf, type EventName } from '../../model/events/event.ts'
import type { JsonObject } from '../../model/base/json.ts'
import { notJson } from '../reading/lines.ts'
import {
  answerIn,
  exited,
  maxReasonChars,
  resultText,
  strongest,
  text,
  truncated,
  type OutputFlaw,
} from '../reading/output.ts'
import { goOnEvents, readSaid, type Field, type FieldTable } from '../reading/answer-fields.ts'

const rewrites = (ours: string, read?: Field['read']): Field => ({
  means: 'rewrite',
  rewrites: ours,
  ...(read === undefined ? {} : { read }),
})
const input = rewrites('tool_input')
const result = rewrites('tool_result', resultText)
const shown = rewrites('notification')
/** Nothing in place of all messages is how docker-agent says that they stay. */
const messages = rewrites('messages', (value) =>
  Array.isArray(value) && value.length === 0 ? undefined : value,
)

/** A request for permission is answered with an object, flat or in `decision`. */
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

/** What stands within `hookSpecificOutput`, and beside it too: a hook that was written for another system means the same. */
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

/** Every field of every family, by what it means here. */
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
/** Beside a `behavior`, `message` is its reason. */
const flatPermission: FieldTable = { ...fields, message: 'reason' }

/** Reads one JSON object as an answer. `wrong` is what cannot be read as a decision. */
const readAnswer = (event: EventName, json: JsonObject): { answer: Answer; wrong: string | undefined } => {
  const said = readSaid(json, Object.hasOwn(json, 'behavior') ? flatPermission : fields)
  const isGoOn = goOnEvents.includes(event)
  const isRefused = said.isRefused && !(isGoOn && said.isImpossible)
  const kind = strongest([said.kind, ...(said.isStop || isRefused ? ['block' as const] : [])])
  const isEnd = !isGoOn && (said.isStop || (said.isInterrupt && kind === 'block'))
  const reason = said.reason ?? said.stopReason
  const contextLost =
    said.context !== undefined && contractOf(event).contextTo === undefined
      ? [`Its context was not used: ${event} has nowhere to put it.`]
      : []
  const answer: Answer = {
    kind,
    notes: [...said.notes, ...contextLost],
    ...(reason === undefined ? {} : { reason }),
    ...(Object.keys(said.rewrite).length > 0 ? { rewrite: said.rewrite } : {}),
    ...(said.context === undefined ? {} : { context: said.context }),
    ...(isEnd ? { stopsTurn: true } : {}),
  }
  return { answer, wrong: said.wrong }
}

/** What keeps an output from being an answer of its own. */
const flawOf = (output: HandlerOutput, json: JsonObject | undefined): OutputFlaw | undefined => {
  if (output.isTruncated) return truncated
  if (output.exitCode !== 0) return exited(output, 'A hook exits 0 for an answer and 2 to block.')
  return output.stdout.trim() !== '' && json === undefined ? notJson(output.stdout) : undefined
}

/**
 * Reads what a hook printed, in the words of any family. Nothing or `{}` is no opinion; a JSON object is read by its
 * fields; exit 2 blocks, and a readable deny blocks on any exit code. Everything else is a fault, beside which a
 * readable question stands.
 */
export const decodeNative = (event: EventName, output: HandlerOutput): Answer => {
  const json = output.isTruncated ? undefined : answerIn(output.stdout)
  const { answer, wrong } =
    json === undefined ? { answer: abstain, wrong: undefined } : readAnswer(event, json)
  const isExitTwo = output.exitCode === 2
  // Only there is stderr a reason; elsewhere it is a log.
  if (answer.kind === 'block' || isExitTwo)
    return {
      ...answer,
      kind: 'block',
      reason:
        answer.reason ?? (isExitTwo ? text(output.stderr, maxReasonChars) : undefined) ?? 'blocked by hook',
    }
  const flaw =
    flawOf(output, json) ?? (wrong === undefined ? undefined : { kind: 'output' as const, detail: wrong })
  const read: Answer =
    answer.kind === 'ask' ? { ...answer, reason: answer.reason ?? 'the hook asks the person' } : answer
  return flaw === undefined ? read : withFault(read, flaw)
}

import type { NativeEvent } from '../../shared/hooks/dialect.ts'
import { isObject, type Json } from '../../core/model/base/json.ts'
import { parseUnambiguous } from '../../shared/base/unambiguous.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { isPascal, isVsCode, plainName, speakerAt } from './names.ts'
import type { Field, FieldTable } from '../reading/answer-fields.ts'
import { rewriteFrom } from '../calls.ts'

/** Reads arguments, which may be JSON as text, as in the payload. */
const argsOf =
  (native: NativeEvent, payload: Payload) =>
  (value: Json): Json => {
    const input = typeof value === 'string' ? (parseUnambiguous(value) ?? value) : value
    return isObject(input) ? rewriteFrom(speakerAt(native), payload, input) : input
  }

const resultOf = (value: Json): Json => {
  const forModel = isObject(value) ? (value['textResultForLlm'] ?? value['text_result_for_llm']) : value
  return forModel ?? value
}

/**
 * The fields of `hookSpecificOutput`, which come from Claude Code. Copilot reads it at the PascalCase event
 * PreToolUse.
 */
const specific = (args: Field | undefined): FieldTable => ({
  hookEventName: 'nothing',
  permissionDecision: args === undefined ? 'misplaced' : 'decision',
  permissionDecisionReason: 'reason',
  additionalContext: 'context',
  decision: 'misplaced',
  ...(args === undefined ? {} : { updatedInput: args }),
})

/** The fields that count only at one event, by its camelCase name. */
const own: Readonly<Record<string, FieldTable>> = {
  permissionRequest: { behavior: 'decision', message: 'reason', interrupt: 'interrupt' },
  postToolUse: { modifiedResult: { means: 'rewrite', rewrites: 'tool_result', read: resultOf } },
  userPromptSubmitted: { decision: 'decision' },
  // An empty text is ignored, because the model would get no message.
  userPromptTransformed: {
    modifiedTransformedPrompt: {
      means: 'rewrite',
      rewrites: 'message',
      read: (value) => (value === '' ? undefined : value),
    },
  },
  agentStop: { decision: 'decision' },
  subagentStop: { decision: 'decision' },
}

/** Returns the fields of an answer at one event. A decision or rewrite counts only where Copilot reads it. */
export const fieldsAt = (native: NativeEvent, payload: Payload): FieldTable => {
  const event = plainName(native)
  const args: Field | undefined =
    event === 'preToolUse'
      ? { means: 'rewrite', rewrites: 'tool_input', read: argsOf(native, payload) }
      : undefined
  return {
    permissionDecision: args === undefined ? 'misplaced' : 'decision',
    behavior: 'misplaced',
    decision: 'misplaced',
    permissionDecisionReason: 'reason',
    reason: 'reason',
    stopReason: 'stopReason',
    stop_reason: 'stopReason',
    continue: 'goesOn',
    additionalContext: 'context',
    systemMessage: 'note',
    suppressOutput: 'nothing',
    modifiedPrompt: 'unused',
    modifiedResponse: 'unused',
    ...(args === undefined ? {} : { modifiedArgs: args }),
    hookSpecificOutput: {
      means: 'inner',
      inside: specific(isPascal(native) || isVsCode(native) ? args : undefined),
    },
    ...own[event],
  }
}

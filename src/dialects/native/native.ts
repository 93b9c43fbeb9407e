import { abstain, type Answer } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { contractOf, type EventName } from '../../core/model/events/event.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { conclude, readOutput, type Printing, type ReadAnswer } from '../reading/conclude.ts'
import { resultText } from '../reading/output.ts'
import { goOnEvents, readAnswerFields, type Field, type FieldTable } from '../reading/answer-fields.ts'

const result: Field = { means: 'rewrite', rewrites: 'tool_result', read: resultText }
const messages: Field = {
  means: 'rewrite',
  rewrites: 'messages',
  // An empty list is ignored: docker-agent writes one to say that the messages stay.
  read: (value) => (Array.isArray(value) && value.length === 0 ? undefined : value),
}
const input: Field = { means: 'rewrite', rewrites: 'tool_input' }

/** Each field under its name in camelCase and in snake_case. */
const bothSpellings = (fields: FieldTable): FieldTable =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => [
      [name, field],
      [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field],
    ]),
  )

/**
 * The fields of an answer to a permission request. They stand in an object, at the top level or in
 * `decision`.
 */
const permission = bothSpellings({
  behavior: 'decision',
  message: 'reason',
  interrupt: 'interrupt',
  updatedInput: input,
  updatedPermissions: 'unused',
})

/**
 * The fields of `hookSpecificOutput`. They also count at the top level, because a hook written for another
 * system means the same there.
 */
const specific: FieldTable = {
  ...bothSpellings({
    hookEventName: 'nothing',
    decision: { means: 'decision', inside: permission },
    permissionDecision: 'decision',
    permissionDecisionReason: 'reason',
    reason: 'reason',
    context: 'context',
    additionalContext: 'context',
    updatedInput: input,
    modifiedInput: input,
    modifiedArgs: input,
    updatedToolOutput: result,
  }),
  updatedMCPToolOutput: result,
  ...bothSpellings({
    updatedToolResponse: result,
    modifiedResult: result,
    displayContent: { means: 'rewrite', rewrites: 'notification' },
    updatedMessages: messages,
  }),
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
  ...bothSpellings({
    systemMessage: 'note',
    add_warning: 'note',
    log: 'note',
    continue: 'goesOn',
    stopReason: 'stopReason',
    suppressOutput: 'nothing',
    ok: 'ok',
    impossible: 'impossible',
    async: 'nothing',
    asyncTimeout: 'nothing',
    hookSpecificOutput: { means: 'inner', inside: specific },
  }),
}
/** Beside a `behavior`, `message` is the reason of the decision. */
const flatPermission: FieldTable = { ...fields, message: 'reason' }

const readAnswer = (event: EventName, json: JsonObject): ReadAnswer => {
  const parsed = readAnswerFields(json, Object.hasOwn(json, 'behavior') ? flatPermission : fields)
  const { isStop, rewrite, context, wrong } = parsed
  const isGoOn = goOnEvents.includes(event)
  const isRefused = parsed.isRefused && !(isGoOn && parsed.isImpossible)
  const kind = isStop || isRefused ? 'block' : parsed.kind
  const isEnd = !isGoOn && (isStop || (parsed.isInterrupt && kind === 'block'))
  const contextLost =
    context !== undefined && contractOf(event).contextTo === undefined
      ? [`Its context was not used: ${event} has nowhere to put it.`]
      : []
  return {
    answer: {
      kind,
      notes: [...parsed.notes, ...contextLost],
      reason: parsed.reason ?? parsed.stopReason,
      rewrite,
      context,
      ...(isEnd ? { stopsTurn: true } : {}),
    },
    wrong,
  }
}

const printing: Printing = { rule: 'A hook exits 0 for an answer and 2 to block.' }

/**
 * Reads a hook's output in the words of any hook system. No output or `{}` is no opinion. A JSON object is
 * read by its fields. Exit 2 blocks, and a readable deny blocks at any exit code. Everything else is a fault;
 * a readable question counts beside it.
 */
export const decodeNative = (event: EventName, output: HandlerOutput): Answer => {
  // Most answers are empty.
  const { answer, flaw } = readOutput(output, printing, (json) =>
    Object.keys(json).length === 0 ? { answer: abstain } : readAnswer(event, json),
  )
  return conclude({ answer, flaw }, output)
}

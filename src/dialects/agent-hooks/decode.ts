import { abstain, withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { Dialect, HandlerOutput, NativeEvent } from '../../core/model/hooks/dialect.ts'
import { contractOf } from '../../core/model/events/event.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got } from '../../core/model/gate/problem.ts'
import { notJson } from '../reading/lines.ts'
import {
  jsonOf,
  decisionOf,
  exited,
  isNonNull,
  maxContextChars,
  maxReasonChars,
  strongest,
  text,
  truncated,
  type OutputFlaw,
} from '../reading/output.ts'
import { fieldsOf, type SpelledFields } from '../reading/spelling.ts'
import { rewriteFrom } from '../calls.ts'

const known = ['decision', 'reason', 'log', 'modified_input', 'additional_context']

/** Returns an error message for the first field that should decide something and cannot be read. */
const unreadable = (fields: SpelledFields): string | undefined => {
  const word = fields.all('decision').find((value) => decisionOf(value) === undefined)
  if (word !== undefined) return `Expected "decision" to be allow, deny or ask, got ${got(word)}.`
  const input = fields.all('modified_input').find((value) => !isObject(value))
  return input === undefined ? undefined : `Expected "modified_input" to be an object, got ${got(input)}.`
}

/**
 * Reads one JSON object as an answer. `wrong` is an error message for a deciding field that cannot be read.
 */
const readAnswer = (
  json: JsonObject,
  { name, event }: NativeEvent,
  payload: Payload,
): { readonly answer: Answer; readonly wrong: string | undefined } => {
  const fields = fieldsOf(json)
  const [input] = fields.objects('modified_input')
  const canRewrite = event === 'pre_tool_call'
  const rewrite =
    input !== undefined && canRewrite ? { tool_input: rewriteFrom('agent-hooks', payload, input) } : undefined
  const context = fields
    .all('additional_context')
    .map((value) => text(value, maxContextChars))
    .find(isNonNull)
  const isLost = context !== undefined && (event === undefined || contractOf(event).contextTo === undefined)
  const reason = fields
    .all('reason')
    .map((value) => text(value, maxReasonChars))
    .find(isNonNull)
  const answer: Answer = {
    kind: strongest(fields.all('decision').map(decisionOf)),
    notes: [
      ...fields.all('log').flatMap((value) => text(value, maxReasonChars) ?? []),
      ...fields.strange(known, ''),
      ...(input !== undefined && !canRewrite
        ? [`Its modified_input was not used: ${name} cannot rewrite that.`]
        : []),
      ...(isLost ? [`Its additional_context was not used: ${name} has nowhere to put it.`] : []),
    ],
    reason,
    rewrite,
    context: isLost ? undefined : context,
  }
  return { answer, wrong: unreadable(fields) }
}

/**
 * Returns why an output is not an answer; undefined if it is one. In this system plain text on stdout is not
 * an answer, because it wants JSON.
 */
const flawOf = (
  output: HandlerOutput,
  json: JsonObject | undefined,
  wrong: string | undefined,
): OutputFlaw | undefined => {
  if (output.exitCode === 2) return undefined
  if (output.isTruncated) return truncated
  if (output.exitCode !== 0)
    return exited(output, 'An agent-hooks script exits 0 for an answer and 2 to block.')
  if (json === undefined) return output.stdout.trim() === '' ? undefined : notJson(output.stdout)
  return wrong === undefined ? undefined : { kind: 'output', detail: wrong }
}

/** Turns a block into a note, where the system lets a hook block although the step is over. */
const asNote = (reason: string, { notes, context }: Answer, { name }: NativeEvent): Answer => ({
  kind: 'abstain',
  notes: [...notes, `It wanted to block (${reason}), but at ${name} there is nothing left to block.`],
  context,
})

/**
 * Reads the output of an agent-hooks script by its specification, but more carefully: a readable deny denies
 * at any exit code and in camelCase too, and an unknown decision is a fault, not consent.
 */
export const decodeAgentHooks: Dialect['decode'] = (native, payload, output) => {
  const json = jsonOf(output)
  const { answer, wrong } =
    json === undefined ? { answer: abstain, wrong: undefined } : readAnswer(json, native, payload)
  const flaw = flawOf(output, json, wrong)
  const isExitTwo = output.exitCode === 2
  if (answer.kind === 'block' || isExitTwo) {
    const printed = answer.kind === 'allow' ? undefined : answer.reason
    const reason =
      (isExitTwo ? text(output.stderr, maxReasonChars) : undefined) ?? printed ?? 'blocked by hook'
    const { notes, context } = answer
    if (contractOf(payload.event).gate.includes('block')) return { kind: 'block', reason, notes, context }
    const noted = asNote(reason, answer, native)
    return flaw === undefined ? noted : withFault(noted, flaw)
  }
  const read: Answer =
    answer.kind === 'ask' ? { ...answer, reason: answer.reason ?? 'the hook asks the person' } : answer
  return flaw === undefined ? read : withFault(read, flaw)
}

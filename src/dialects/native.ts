import { abstain, withFault, type Answer } from '../model/answer.ts'
import type { HandlerOutput } from '../model/dialect.ts'
import { contractOf, type EventName } from '../model/event.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import { got } from '../model/problem.ts'
import { decisionOf, decisions, exited, isSaid, maxContextChars, maxReasonChars, notJson, parseObject, strongest, text, truncated, unknownFields, type Flaw } from './output.ts'

const rewriteFields = ['tool_input', 'notification', 'parts', 'message', 'messages', 'tool_result', 'summary']
const knownFields = [
  ...rewriteFields, 'decision', 'reason', 'context', 'additionalContext', 'systemMessage', 'add_warning',
  'continue', 'stopReason', 'suppressOutput', 'hookSpecificOutput',
]
const knownSpecific = ['hookEventName', 'permissionDecision', 'permissionDecisionReason', 'additionalContext', 'updatedInput']

/** The first thing that was meant as a decision and cannot be read as one. */
const unreadable = (json: JsonObject, said: readonly Json[]): string | undefined => {
  const word = said.find((value) => typeof value !== 'string' || !Object.hasOwn(decisions, value))
  if (word !== undefined) return `Expected "decision" to be block, allow or ask, got ${got(word)}.`
  const { continue: goesOn, hookSpecificOutput: specific } = json
  if (isSaid(goesOn) && typeof goesOn !== 'boolean') return `Expected "continue" to be true or false, got ${got(goesOn)}.`
  return isSaid(specific) && !isObject(specific) ? `Expected "hookSpecificOutput" to be an object, got ${got(specific)}.` : undefined
}

/** Reads one JSON object as an answer. `wrong` is what cannot be read as a decision. */
const readAnswer = (event: EventName, json: JsonObject): { answer: Answer; wrong: string | undefined } => {
  const specific = isObject(json['hookSpecificOutput']) ? json['hookSpecificOutput'] : {}
  const said = [json['decision'], specific['permissionDecision']].filter(isSaid)
  const kinds = said.map(decisionOf)
  if (json['continue'] === false) kinds.push('block')
  const kind = strongest(kinds)

  const reason = text(specific['permissionDecisionReason'], maxReasonChars) ?? text(json['reason'], maxReasonChars) ?? text(json['stopReason'], maxReasonChars)
  const context = [json['context'], json['additionalContext'], specific['additionalContext']].map((value) => text(value, maxContextChars)).find(isSaid)
  const rewrite: Record<string, Json> = {}
  if (isSaid(specific['updatedInput'])) rewrite['tool_input'] = specific['updatedInput']
  for (const field of rewriteFields) {
    const value = json[field]
    if (isSaid(value)) rewrite[field] = value
  }
  const warned = [json['systemMessage'], json['add_warning']].flatMap((value) => text(value, maxReasonChars) ?? [])
  const contextLost = context !== undefined && contractOf(event).contextTo === undefined ? [`Its context was not used: ${event} has nowhere to put it.`] : []
  const answer: Answer = {
    kind,
    notes: [...warned, ...unknownFields(json, knownFields, ''), ...unknownFields(specific, knownSpecific, 'hookSpecificOutput.'), ...contextLost],
    ...(reason === undefined ? {} : { reason }),
    ...(Object.keys(rewrite).length > 0 ? { rewrite } : {}),
    ...(context === undefined ? {} : { context }),
  }
  return { answer, wrong: unreadable(json, said) }
}

/** What keeps an output from being an answer of its own. */
const flawOf = (output: HandlerOutput, json: JsonObject | undefined): Flaw | undefined => {
  if (output.isTruncated) return truncated
  if (output.exitCode !== 0) return exited(output, 'A hook exits 0 for an answer and 2 to block.')
  return output.stdout.trim() !== '' && json === undefined ? notJson(output.stdout) : undefined
}

/**
 * Reads what a hook printed. Nothing or `{}` is no opinion; a JSON object is read by its fields; exit 2 blocks, and a
 * readable deny blocks on any exit code. Everything else is a fault, beside which a readable question stands.
 */
export const decodeNative = (event: EventName, output: HandlerOutput): Answer => {
  const json = output.isTruncated ? undefined : parseObject(output.stdout)
  const { answer, wrong } = json === undefined ? { answer: abstain, wrong: undefined } : readAnswer(event, json)
  const isExitTwo = output.exitCode === 2
  // Only there is stderr a reason; elsewhere it is a log.
  if (answer.kind === 'block' || isExitTwo) return { ...answer, kind: 'block', reason: answer.reason ?? (isExitTwo ? text(output.stderr, maxReasonChars) : undefined) ?? 'blocked by hook' }
  const flaw = flawOf(output, json) ?? (wrong === undefined ? undefined : { kind: 'output' as const, detail: wrong })
  const read: Answer = answer.kind === 'ask' ? { ...answer, reason: answer.reason ?? 'the hook asks the person' } : answer
  return flaw === undefined ? read : withFault(read, flaw)
}

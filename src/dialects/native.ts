import { abstain, withFault, type Answer, type FaultKind } from '../model/answer.ts'
import { contractOf, type EventName } from '../model/event.ts'
import { isObject, isTooDeep, type Json, type JsonObject } from '../model/json.ts'
import { nearest } from '../model/nearest.ts'
import { got } from '../model/problem.ts'

/** What a handler left behind when it ended by itself. */
export interface HandlerOutput {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Part of stdout is missing: it is not an answer. */
  readonly isTruncated: boolean
}

const maxReasonChars = 2000
const maxContextChars = 64_000

/** The words of every hook family that we read, and what each means. */
const decisions: Readonly<Record<string, Answer['kind']>> = {
  block: 'block', deny: 'block', ask: 'ask', allow: 'allow', approve: 'allow',
}
/** Strongest first: where an answer contradicts itself, the careful half counts. */
const byStrength: readonly Answer['kind'][] = ['block', 'ask', 'allow']

const rewriteFields = ['tool_input', 'notification', 'parts', 'message', 'messages', 'tool_result', 'summary']
const knownFields = [
  ...rewriteFields, 'decision', 'reason', 'context', 'additionalContext', 'systemMessage', 'add_warning',
  'continue', 'stopReason', 'suppressOutput', 'hookSpecificOutput',
]
const knownSpecific = ['hookEventName', 'permissionDecision', 'permissionDecisionReason', 'additionalContext', 'updatedInput']

const text = (value: Json | undefined, maxChars: number): string | undefined => {
  if (value === undefined || value === null) return undefined
  const words = (typeof value === 'string' ? value : JSON.stringify(value)).trim()
  return words === '' ? undefined : words.slice(0, maxChars).toWellFormed()
}

const unknownFields = (answer: JsonObject, known: readonly string[], where: string): readonly string[] =>
  Object.keys(answer).filter((key) => !known.includes(key)).slice(0, 5).map((key) => {
    const name = key.slice(0, 40)
    const meant = nearest(name, known)
    return `Its answer has the unknown field "${where}${name}", which has no effect${meant === undefined ? '.' : `; did it mean "${where}${meant}"?`}`
  })

const isSaid = (value: Json | undefined): value is Json => value !== undefined && value !== null

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
  const kinds = said.map((word) => (typeof word === 'string' && Object.hasOwn(decisions, word) ? decisions[word] : undefined))
  if (json['continue'] === false) kinds.push('block')
  const kind = byStrength.find((candidate) => kinds.includes(candidate)) ?? 'abstain'

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

const parse = (stdout: string): JsonObject | undefined => {
  try {
    const value: Json = JSON.parse(stdout)
    return isObject(value) && !isTooDeep(value) ? value : undefined
  } catch {
    return undefined
  }
}

const head = (output: string): string => `${JSON.stringify(output.slice(0, 80))}${output.length > 80 ? '…' : ''}`

/** What keeps an output from being an answer of its own. */
const flawOf = ({ exitCode, isTruncated, stderr }: HandlerOutput, stdout: string, json: JsonObject | undefined): { readonly kind: FaultKind; readonly detail: string } | undefined => {
  if (isTruncated) return { kind: 'output', detail: 'It printed more than 1 MiB on stdout; an answer is one small JSON object.' }
  if (exitCode !== 0) {
    const end = exitCode === null ? 'a signal' : `exit code ${exitCode}`
    // The last line of a traceback says most.
    const last = stderr.trim().slice(-200).toWellFormed()
    return { kind: 'exit', detail: `It ended with ${end}${last === '' ? '' : `: ${last}`}. A hook exits 0 for an answer and 2 to block.` }
  }
  return stdout !== '' && json === undefined ? { kind: 'output', detail: `Expected one JSON object or nothing on stdout, got ${head(stdout)}.` } : undefined
}

/**
 * Reads what a hook printed. Nothing or `{}` is no opinion; a JSON object is read by its fields; exit 2 blocks, and a
 * readable deny blocks on any exit code. Everything else is a fault, beside which a readable question stands.
 */
export const decodeNative = (event: EventName, output: HandlerOutput): Answer => {
  // This also takes away a byte order mark.
  const stdout = output.stdout.trim()
  const json = output.isTruncated || stdout === '' ? undefined : parse(stdout)
  const { answer, wrong } = json === undefined ? { answer: abstain, wrong: undefined } : readAnswer(event, json)
  const isExitTwo = output.exitCode === 2
  // Only there is stderr a reason; elsewhere it is a log.
  if (answer.kind === 'block' || isExitTwo) return { ...answer, kind: 'block', reason: answer.reason ?? (isExitTwo ? text(output.stderr, maxReasonChars) : undefined) ?? 'blocked by hook' }
  const flaw = flawOf(output, stdout, json) ?? (wrong === undefined ? undefined : { kind: 'output' as const, detail: wrong })
  const read: Answer = answer.kind === 'ask' ? { ...answer, reason: answer.reason ?? 'the hook asks the person' } : answer
  return flaw === undefined ? read : withFault(read, flaw)
}

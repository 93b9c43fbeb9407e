import { faultAnswer, type Answer } from '../model/answer.ts'
import { contractOf, type EventName } from '../model/event.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
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
const maxNotes = 20

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
  const words = (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed().trim()
  return words === '' ? undefined : words.slice(0, maxChars)
}

const unknownFields = (answer: JsonObject, known: readonly string[], where: string): readonly string[] =>
  Object.keys(answer).filter((key) => !known.includes(key)).slice(0, 5).map((key) => {
    const meant = nearest(key, known)
    return `Its answer has the unknown field "${where}${key.slice(0, 40)}", which has no effect${meant === undefined ? '.' : `; did it mean "${where}${meant}"?`}`
  })

/** Reads one JSON object as an answer. The second value is what cannot be read as a decision. */
const readAnswer = (event: EventName, json: JsonObject): { answer: Answer; wrong?: string } => {
  const specific = isObject(json['hookSpecificOutput']) ? json['hookSpecificOutput'] : {}
  const said = [json['decision'], specific['permissionDecision']].filter((value) => value !== undefined && value !== null)
  const read = said.map((value) => (typeof value === 'string' && Object.hasOwn(decisions, value) ? decisions[value] : undefined))
  const kinds = json['continue'] === false ? [...read, 'block' as const] : read
  const kind = byStrength.find((candidate) => kinds.includes(candidate)) ?? 'abstain'
  const unread = said.find((_, index) => read[index] === undefined)

  const reason = text(specific['permissionDecisionReason'], maxReasonChars) ?? text(json['reason'], maxReasonChars) ?? text(json['stopReason'], maxReasonChars)
  const context = text(json['context'], maxContextChars) ?? text(json['additionalContext'] ?? specific['additionalContext'], maxContextChars)
  const updated = specific['updatedInput']
  const rewrite: Record<string, Json> = updated === undefined ? {} : { tool_input: updated }
  for (const field of rewriteFields) {
    const value = json[field]
    if (value !== undefined && value !== null) rewrite[field] = value
  }
  const warned = [json['systemMessage'], json['add_warning']].flatMap((value) => text(value, maxReasonChars) ?? [])
  const contextLost = context !== undefined && contractOf(event).contextTo === undefined ? [`Its context was not used: ${event} has nowhere to put it.`] : []
  const notes = [...warned, ...unknownFields(json, knownFields, ''), ...unknownFields(specific, knownSpecific, 'hookSpecificOutput.'), ...contextLost].slice(0, maxNotes)
  const isFirm = kind === 'block' || kind === 'ask'
  const answer: Answer = {
    kind,
    notes,
    ...(isFirm ? { reason: reason ?? 'blocked by hook' } : reason === undefined ? {} : { reason }),
    ...(Object.keys(rewrite).length > 0 ? { rewrite } : {}),
    ...(context === undefined ? {} : { context }),
  }
  return unread === undefined ? { answer } : { answer, wrong: `Expected "decision" to be block, allow or ask, got ${got(unread)}.` }
}

const parse = (stdout: string): JsonObject | undefined => {
  try {
    const value: Json = JSON.parse(stdout)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const head = (output: string): string => `${JSON.stringify(output.slice(0, 80))}${output.length > 80 ? '…' : ''}`

/**
 * Reads what a hook printed. Nothing or `{}` is no opinion; a JSON object is read by its fields; a readable deny counts
 * on any exit code; exit 2 blocks. Everything else is a fault.
 */
export const decodeNative = (event: EventName, output: HandlerOutput): Answer => {
  const { exitCode, isTruncated } = output
  const stdout = output.stdout.replace(/^\uFEFF/, '').trim()
  const json = isTruncated || stdout === '' ? undefined : parse(stdout)
  const { answer, wrong } = json === undefined ? { answer: { kind: 'abstain', notes: [] } as Answer, wrong: undefined } : readAnswer(event, json)
  if (answer.kind === 'block') return answer
  const stderr = text(output.stderr, maxReasonChars)
  if (exitCode === 2) return { ...answer, kind: 'block', reason: answer.reason ?? stderr ?? 'blocked by hook' }
  if (isTruncated) return faultAnswer('output', 'It printed more than 1 MiB on stdout; an answer is one small JSON object.')
  if (exitCode !== 0) {
    return faultAnswer('exit', `It ended with ${exitCode === null ? 'a signal' : `exit code ${exitCode}`}${stderr === undefined ? '' : `: ${stderr.slice(-200)}`}. A hook exits 0 for an answer and 2 to block.`)
  }
  if (stdout !== '' && json === undefined) return faultAnswer('output', `Expected one JSON object or nothing on stdout, got ${head(stdout)}.`)
  return wrong === undefined ? answer : faultAnswer('output', wrong)
}

import { abstain, withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import type { Dialect, NativeEvent } from '../../shared/hooks/dialect.ts'
import { contractOf } from '../../core/model/events/event.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got } from '../../core/model/gate/problem.ts'
import { plainName, speakerAt } from './names.ts'
import { fieldsAt } from './fields.ts'
import { refusalReason, withQuestion } from '../reading/conclude.ts'
import { notJson } from '../reading/lines.ts'
import {
  answerIn,
  exited,
  maxContextChars,
  maxReasonChars,
  text,
  truncated,
  type OutputFlaw,
} from '../reading/output.ts'
import { readAnswerFields } from '../reading/answer-fields.ts'
import { callFor } from '../calls.ts'

const maxProgress = 10

/** The contents of stdout, with the progress lines taken out. */
interface Printed {
  /** The text without the progress lines. */
  readonly rest: string
  /** The parsed `rest`, if it is one JSON object. */
  readonly json?: JsonObject
  /** The messages of the progress lines. */
  readonly notes: readonly string[]
}

/** Parses a line if it can be a progress line. Most lines of a log cannot be one. */
const objectIn = (line: string): JsonObject | undefined =>
  line.includes('progress') ? answerIn(line) : undefined

/**
 * Splits stdout as Copilot does: it takes out the lines `{"type": "progress", …}` wherever they stand, and
 * reads the rest as one answer.
 */
const printed = (stdout: string): Printed => {
  const lines = stdout.split('\n').map((line) => ({ line, object: objectIn(line) }))
  const isProgress = ({ object }: (typeof lines)[number]): boolean => object?.['type'] === 'progress'
  const progress = lines
    .filter(isProgress)
    .flatMap(({ object }) => text(object?.['message'], maxReasonChars) ?? [])
  const others = lines.filter((one) => !isProgress(one))
  const rest = others.map(({ line }) => line).join('\n')
  const json = answerIn(rest)
  const notes = [
    ...progress.slice(0, maxProgress),
    ...(progress.length > maxProgress
      ? [`It told of its progress ${progress.length - maxProgress} more times.`]
      : []),
  ]
  return { rest, json, notes }
}

interface DecodedAnswer {
  readonly answer: Answer
  /** An error message for the first field that should decide something and cannot be read. */
  readonly wrong?: string
}

const maxNamed = 5

/**
 * Returns a note about arguments that a rewrite leaves out. In Copilot a rewrite replaces all arguments; here
 * the missing ones stay as they are.
 */
const leftOut = (native: NativeEvent, payload: Payload, json: JsonObject): readonly string[] => {
  const { modifiedArgs: args } = json
  if (plainName(native) !== 'preToolUse' || !isObject(args)) return []
  const { tool_input: sent = null } = callFor(speakerAt(native), payload)
  const missing = isObject(sent) ? Object.keys(sent).filter((key) => !Object.hasOwn(args, key)) : []
  return missing.length === 0
    ? []
    : [
        `Its modifiedArgs leave out ${missing
          .slice(0, maxNamed)
          .map((key) => `"${key.slice(0, 40)}"`)
          .join(', ')}; here that stays as it was.`,
      ]
}

/**
 * Returns a note about a changed result type. Here a result is only text, and the tool itself decides whether
 * it failed.
 */
const relabelled = (
  { tool_error: isError }: Payload,
  { modifiedResult: result }: JsonObject,
): readonly string[] => {
  const type = isObject(result) ? (result['resultType'] ?? result['result_type']) : undefined
  const isSame = type === undefined || type === (isError === true ? 'failure' : 'success')
  return isSame ? [] : [`Its resultType ${got(type)} was not used: here a result is its text.`]
}

const readAnswer = (native: NativeEvent, payload: Payload, json: JsonObject): DecodedAnswer => {
  const parsed = readAnswerFields(json, fieldsAt(native, payload))
  const isEnding = parsed.isStop || (parsed.isInterrupt && parsed.kind === 'block')
  const kind = parsed.isStop ? 'block' : parsed.kind
  const hasPlace = contractOf(payload.event).contextTo !== undefined
  const reason = parsed.reason ?? (kind === 'block' ? parsed.stopReason : undefined)
  const answer: Answer = {
    kind,
    notes: [
      ...parsed.notes,
      ...leftOut(native, payload, json),
      ...(plainName(native) === 'postToolUse' ? relabelled(payload, json) : []),
      ...parsed.misplaced
        .slice(0, maxNamed)
        .map((path) => `Its "${path}" has no effect: Copilot does not read it at ${native.name}.`),
      ...(parsed.context !== undefined && !hasPlace
        ? [`Its additionalContext was not used: ${native.name} has nowhere to put it here.`]
        : []),
    ],
    reason,
    ...(Object.keys(parsed.rewrite).length === 0 ? {} : { rewrite: parsed.rewrite }),
    context: hasPlace ? parsed.context : undefined,
    stopsTurn: isEnding || undefined,
  }
  return parsed.wrong === undefined ? { answer } : { answer, wrong: parsed.wrong }
}

const isList = (words: string): boolean => {
  try {
    return Array.isArray(JSON.parse(words))
  } catch {
    return false
  }
}

/**
 * Text that does not begin like JSON is a log, which Copilot drops. Text that begins like JSON and cannot be
 * read is a fault.
 */
const readOutput = (
  native: NativeEvent,
  payload: Payload,
  out: Printed,
): DecodedAnswer & { readonly flaw?: OutputFlaw } => {
  if (out.json !== undefined) {
    const read = readAnswer(native, payload, out.json)
    return read.wrong === undefined ? read : { ...read, flaw: { kind: 'output', detail: read.wrong } }
  }
  const words = out.rest.trim()
  if (words === '') return { answer: abstain }
  // At an event without a gate, the output is a log, whatever it looks like.
  if (native.isGate !== true) return { answer: abstain }
  if (words.startsWith('{') || isList(words)) return { answer: abstain, flaw: notJson(words) }
  return {
    answer: {
      kind: 'abstain',
      notes: [
        `It printed text, which is no answer in Copilot: ${JSON.stringify(words.slice(0, 80))}${words.length > 80 ? '…' : ''}`,
      ],
    },
  }
}

const refuses = (event: string): boolean => event === 'preToolUse' || event === 'permissionRequest'

/**
 * Handles exit 2 where it does not refuse: it is a warning, or after a failed tool a way to give context to
 * the model.
 */
const warned = (native: NativeEvent, answer: Answer, out: Printed, { stderr }: HandlerOutput): Answer => {
  if (plainName(native) === 'postToolUseFailure') {
    const context = answer.context ?? text(out.json === undefined ? out.rest : '', maxContextChars)
    const notes = out.json === undefined ? [] : answer.notes
    return context === undefined ? { kind: 'abstain', notes } : { kind: 'abstain', notes, context }
  }
  const warning = text(stderr, maxReasonChars)
  const isLost = answer.rewrite !== undefined || answer.context !== undefined
  return {
    kind: 'abstain',
    notes: [
      ...answer.notes,
      `It ended with exit code 2, which is only a warning at ${native.name}${warning === undefined ? '.' : `: ${warning}`}${isLost ? ' Its answer does not count.' : ''}`,
    ],
  }
}

const rule = 'A Copilot hook exits 0 for an answer and 2 to refuse a tool.'

/**
 * Reads a hook's output as Copilot does, with two differences: a refusal counts at any exit code, and stderr
 * is the reason of exit 2.
 */
export const decodeCopilot: Dialect['decode'] = (native, payload, output) => {
  const out: Printed = output.isTruncated ? { rest: '', notes: [] } : printed(output.stdout)
  const { answer: read, flaw } = readOutput(native, payload, out)
  const answer: Answer = { ...read, notes: [...out.notes, ...read.notes] }
  const isExitTwo = output.exitCode === 2
  if (answer.kind === 'block' || (isExitTwo && refuses(plainName(native)))) {
    return { ...answer, kind: 'block', reason: refusalReason(answer, output) }
  }
  const asked = withQuestion(answer)
  if (output.isTruncated) return withFault(asked, truncated)
  if (isExitTwo) return asked.kind === 'ask' ? asked : warned(native, asked, out, output)
  const broken = output.exitCode === 0 ? flaw : exited(output, rule)
  return broken === undefined ? asked : withFault(asked, broken)
}

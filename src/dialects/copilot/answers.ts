import type { Client, Ruled } from '../../shared/gate/client.ts'
import { abstain, withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { Dialect, NativeEvent } from '../../shared/hooks/dialect.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { contractOf } from '../../core/model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { parseUnambiguous } from '../../shared/base/unambiguous.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got } from '../../core/model/gate/problem.ts'
import { refusalReason, withQuestion } from '../reading/conclude.ts'
import { notJson } from '../reading/lines.ts'
import {
  answerIn,
  exited,
  head,
  maxContextChars,
  maxReasonChars,
  text,
  truncated,
  type OutputFlaw,
} from '../reading/output.ts'
import { readAnswerFields, type Field, type FieldTable } from '../reading/answer-fields.ts'
import { callFor, rewriteFrom } from '../calls.ts'
import { isRefused, joined, refusalOf, settledOf, unlessEmpty, whyOf, type Settled } from '../client-write.ts'
import { nonNullFields } from '../reading/fields.ts'
import { isPascal, isVsCode, plainName, speakerAt } from './names.ts'

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
const fieldsAt = (native: NativeEvent, payload: Payload): FieldTable => {
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

const maxProgress = 10

/** The contents of stdout, with the progress lines taken out. */
interface Printed {
  /** The text without the progress lines. */
  readonly rest: string
  /** The parsed `rest`, if it is one JSON object. */
  readonly json?: JsonObject | undefined
  /** The messages of the progress lines. */
  readonly notes: readonly string[]
}

/**
 * Splits stdout as Copilot does: it takes out the lines `{"type": "progress", …}` wherever they stand, and
 * reads the rest as one answer.
 */
const printed = (stdout: string): Printed => {
  const progress: string[] = []
  const others = stdout.split('\n').filter((line) => {
    // Most lines of a log cannot be a progress line, so they are not parsed.
    const object = line.includes('progress') ? answerIn(line) : undefined
    if (object?.['type'] !== 'progress') return true
    const message = text(object['message'], maxReasonChars)
    if (message !== undefined) progress.push(message)
    return false
  })
  const rest = others.join('\n')
  const more = progress.length - maxProgress
  return {
    rest,
    json: answerIn(rest),
    notes: [
      ...progress.slice(0, maxProgress),
      ...(more > 0 ? [`It told of its progress ${more} more times.`] : []),
    ],
  }
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

const readAnswer = (native: NativeEvent, payload: Payload, json: JsonObject): DecodedOutput => {
  const parsed = readAnswerFields(json, fieldsAt(native, payload))
  const { rewrite, context, wrong } = parsed
  const isEnding = parsed.isStop || (parsed.isInterrupt && parsed.kind === 'block')
  const kind = parsed.isStop ? 'block' : parsed.kind
  const hasPlace = contractOf(payload.event).contextTo !== undefined
  return {
    answer: {
      kind,
      notes: [
        ...parsed.notes,
        ...leftOut(native, payload, json),
        ...(plainName(native) === 'postToolUse' ? relabelled(payload, json) : []),
        ...parsed.misplaced
          .slice(0, maxNamed)
          .map((path) => `Its "${path}" has no effect: Copilot does not read it at ${native.name}.`),
        ...(context !== undefined && !hasPlace
          ? [`Its additionalContext was not used: ${native.name} has nowhere to put it here.`]
          : []),
      ],
      reason: parsed.reason ?? (kind === 'block' ? parsed.stopReason : undefined),
      rewrite,
      context: hasPlace ? context : undefined,
      stopsTurn: isEnding || undefined,
    },
    flaw: wrong === undefined ? undefined : { kind: 'output', detail: wrong },
  }
}

const isList = (words: string): boolean => {
  try {
    return Array.isArray(JSON.parse(words))
  } catch {
    return false
  }
}

interface DecodedOutput {
  readonly answer: Answer
  readonly flaw?: OutputFlaw | undefined
}

/**
 * Text that does not begin like JSON is a log, which Copilot drops. Text that begins like JSON and cannot be
 * read is a fault.
 */
const readPrinted = (native: NativeEvent, payload: Payload, out: Printed): DecodedOutput => {
  if (out.json !== undefined) return readAnswer(native, payload, out.json)
  const words = out.rest.trim()
  // At an event without a gate, the output is a log, whatever it looks like.
  if (words === '' || native.isGate !== true) return { answer: abstain }
  if (words.startsWith('{') || isList(words)) return { answer: abstain, flaw: notJson(words) }
  const note = `It printed text, which is no answer in Copilot: ${head(words)}`
  return { answer: { kind: 'abstain', notes: [note] } }
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
    return { kind: 'abstain', notes, context }
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
  const { answer: read, flaw } = readPrinted(native, payload, out)
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

/**
 * Returns the refusal for each event that can carry one. At events where Copilot goes on anyway, the model
 * gets the reason as context.
 */
const refusal = ({ name }: NativeEvent, ruled: Ruled): JsonObject | undefined => {
  const event = plainName({ name })
  const why = whyOf(ruled)
  if (event === 'sessionStart' || event === 'subagentStart')
    return { additionalContext: `A hook refused this, and Copilot cannot be stopped here: ${why}` }
  const contexts = event === 'agentStop' ? ruled.contexts : []
  return {
    ...refusalOf('copilot', name, { ...ruled, contexts }, why),
    ...(event === 'permissionRequest' && ruled.stopsTurn === true ? { interrupt: true } : {}),
  }
}

const contextEvents = [
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'userPromptSubmitted',
  'sessionStart',
  'subagentStart',
  'notification',
]

const permit = (
  native: NativeEvent,
  { isConsent, payload }: Ruled,
  { isChanged, input, result, context }: Settled,
): JsonObject | undefined => {
  const event = plainName(native)
  const { tool_error: isError, message } = payload
  if (event === 'userPromptTransformed')
    return (isChanged('message') !== false || context !== '') && typeof message === 'string'
      ? { modifiedTransformedPrompt: joined(message, context) }
      : undefined
  const added: JsonObject =
    context !== '' && contextEvents.includes(event) ? { additionalContext: context } : {}
  if (event === 'permissionRequest') return isConsent ? { behavior: 'allow' } : undefined
  if (event === 'postToolUse' && result !== undefined)
    return {
      modifiedResult: { resultType: isError === true ? 'failure' : 'success', textResultForLlm: result },
      ...added,
    }
  if (event !== 'preToolUse') return added
  const decision: JsonObject = isConsent ? { permissionDecision: 'allow' } : {}
  if (!isPascal(native)) return nonNullFields({ ...decision, modifiedArgs: input, ...added })
  const specific = nonNullFields({ ...decision, updatedInput: input })
  return {
    ...decision,
    ...added,
    ...(unlessEmpty(specific) === undefined
      ? {}
      : { hookSpecificOutput: { hookEventName: native.name, ...specific } }),
  }
}

/**
 * Writes our verdict as Copilot reads it at exit 0. A question becomes a refusal. `asked` holds the fields as
 * they were reported, to tell whether hooks changed them; without it the settled fields are written. Copilot
 * has no place for notes.
 */
export const writeCopilot: Client['write'] = (native, ruled, asked) => {
  if (isRefused(ruled)) return unlessEmpty(refusal(native, ruled) ?? {})
  const settled = settledOf({ speaker: speakerAt(native), title: 'GitHub Copilot' }, ruled, asked)
  // Under this name Copilot has no second event that could replace a message, and a message that hooks
  // rewrote must not pass unchanged.
  return native.name === 'UserPromptSubmit' && settled.noPrompt !== undefined
    ? refusalOf('copilot', native.name, ruled, settled.noPrompt)
    : unlessEmpty(permit(native, ruled, settled) ?? {})
}

import { isDeepStrictEqual } from 'node:util'
import { abstain, withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { Dialect, HandlerOutput, NativeEvent } from '../../core/model/hooks/dialect.ts'
import { contractOf, type EventName } from '../../core/model/events/event.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { withQuestion } from '../reading/conclude.ts'
import { notJson } from '../reading/lines.ts'
import {
  jsonOf,
  exited,
  maxContextChars,
  maxReasonChars,
  resultText,
  text,
  truncated,
  type OutputFlaw,
} from '../reading/output.ts'
import {
  goOnEvents,
  readAnswerFields,
  type Field,
  type FieldTable,
  type AnswerFields,
} from '../reading/answer-fields.ts'
import { rewriteFrom } from '../calls.ts'
import type { ToolNaming } from '../tools.ts'

const input: Field = { means: 'rewrite', rewrites: 'tool_input' }
const result: Field = { means: 'rewrite', rewrites: 'tool_result', read: resultText }

const permission: FieldTable = {
  behavior: 'decision',
  message: 'reason',
  interrupt: 'interrupt',
  updatedInput: input,
  updatedPermissions: 'unused',
}

/**
 * The fields of `hookSpecificOutput`, for every event. A note is made later if an event cannot do what a
 * field asks for.
 */
const specific: FieldTable = {
  hookEventName: 'nothing',
  permissionDecision: 'decision',
  permissionDecisionReason: 'reason',
  reason: 'reason',
  decision: { means: 'decision', inside: permission },
  updatedInput: input,
  updatedToolOutput: result,
  updatedMCPToolOutput: result,
  displayContent: { means: 'rewrite', rewrites: 'notification' },
  additionalContext: 'context',
  classifierContext: 'unused',
  initialUserMessage: 'unused',
  sessionTitle: 'unused',
  watchPaths: 'unused',
  reloadSkills: 'unused',
  suppressOriginalPrompt: 'unused',
  retry: 'unused',
  action: 'unused',
  content: 'unused',
  worktreePath: 'unused',
}

const fields: FieldTable = {
  ...Object.fromEntries(Object.keys(specific).map((name) => [name, 'misplaced'] as const)),
  continue: 'goesOn',
  stopReason: 'stopReason',
  stop_reason: 'stopReason',
  suppressOutput: 'nothing',
  systemMessage: 'note',
  terminalSequence: 'unused',
  decision: {
    means: 'decision',
    inside: Object.fromEntries(Object.keys(permission).map((name) => [name, 'misplaced'] as const)),
  },
  reason: 'reason',
  ok: 'ok',
  impossible: 'impossible',
  async: 'nothing',
  asyncTimeout: 'nothing',
  hookSpecificOutput: { means: 'inner', inside: specific },
}

/** Events without a gate at which a hook can still end the turn. */
const endingEvents: readonly EventName[] = ['transform_tool_result', 'on_tool_error']

/** One event, as its own system and hookgate see it. */
interface EventRules {
  readonly name: string
  readonly event: EventName
  /** A hook can refuse, both in its own system and in hookgate. */
  readonly isGate: boolean
  readonly isGoOn: boolean
}

const eventRulesOf = ({ name, isGate }: NativeEvent, { event }: Payload): EventRules => ({
  name,
  event,
  isGate: isGate === true && contractOf(event).gate.includes('block'),
  isGoOn: goOnEvents.includes(event),
})

/** Returns the answer with further notes. */
const withNotes = (answer: Answer, ...notes: readonly string[]): Answer =>
  notes.length === 0 ? answer : { ...answer, notes: [...answer.notes, ...notes] }

/** Returns what is left of an answer that decides nothing here. */
const undecided = (answer: Answer, ...notes: readonly string[]): Answer =>
  withNotes({ ...answer, kind: 'abstain', reason: undefined }, ...notes)

/**
 * Returns the rewrite under our names. In Claude Code a rewrite replaces all arguments; here it changes only
 * those that it names.
 */
const rewriteOf = (
  { rewrite = {} }: AnswerFields,
  payload: Payload,
  speaker: ToolNaming,
): { readonly rewrite: JsonObject; readonly lost: readonly string[] } => {
  const { tool_input: fresh, ...others } = rewrite
  const { tool_name: tool, tool_input: current } = payload
  if (!isObject(fresh) || typeof tool !== 'string') return { rewrite, lost: [] }
  const patch = rewriteFrom(speaker, payload, fresh)
  const kept = isObject(current) && isObject(patch) ? Object.keys(current) : []
  return {
    rewrite: { ...others, tool_input: patch },
    lost: isObject(patch)
      ? kept
          .filter((key) => !Object.hasOwn(patch, key))
          .slice(0, 5)
          .map(
            (key) =>
              `Its updatedInput leaves out "${key.slice(0, 40)}", which Claude Code would drop; it was kept.`,
          )
      : [
          `Its patch cannot be carried over to ${tool}: only the name of its file and its lines can be rewritten.`,
        ],
  }
}

const answerFrom = (
  parsed: AnswerFields,
  { name }: NativeEvent,
  { hookSpecificOutput: specific }: JsonObject,
  payload: Payload,
  speaker: ToolNaming,
): Answer => {
  const { kind, reason, context } = parsed
  const { rewrite, lost } = rewriteOf(parsed, payload, speaker)
  const { hookEventName: named = null, permissionDecision = null } = isObject(specific)
    ? specific
    : { hookEventName: name }
  return {
    kind,
    notes: [
      ...parsed.notes,
      ...parsed.misplaced.map(
        (path) => `Its "${path}" has no effect where it stands; it belongs in "hookSpecificOutput".`,
      ),
      ...(named === name
        ? []
        : [
            `Its hookSpecificOutput.hookEventName is not "${name}"; Claude Code would drop the answer, here it counts.`,
          ]),
      ...(permissionDecision === 'defer' && kind === 'ask'
        ? ['It defers the call; here the person in the chat is asked.']
        : []),
      ...lost,
    ],
    reason,
    rewrite: Object.keys(rewrite).length === 0 ? undefined : rewrite,
    context,
  }
}

/**
 * Applies `continue: false`. It ends the turn; at a gate it also blocks, and at the end of a turn it lets the
 * agent stop.
 */
const applyStop = (
  answer: Answer,
  parsed: AnswerFields,
  { isGoOn, isGate, event, name }: EventRules,
): Answer => {
  const isEnd = parsed.isStop || (parsed.isInterrupt && answer.kind === 'block')
  if (!isEnd) return answer
  const stopNotes =
    parsed.stopReason !== undefined && (isGoOn || !isGate || answer.reason !== undefined)
      ? [parsed.stopReason]
      : []
  if (isGoOn && parsed.isStop) return withNotes({ ...answer, kind: 'abstain', stopsTurn: true }, ...stopNotes)
  if (isGate) {
    const reason = answer.reason ?? parsed.stopReason
    return withNotes({ ...answer, kind: 'block', stopsTurn: true, reason }, ...stopNotes)
  }
  return endingEvents.includes(event)
    ? withNotes({ ...answer, stopsTurn: true }, ...stopNotes)
    : withNotes(
        answer,
        ...stopNotes,
        `It wanted the agent to stop, but ${name} cannot do that here; the step went on.`,
      )
}

/**
 * Handles a refusal at an event that cannot be refused. The reason becomes context for the model where the
 * event allows that, otherwise a note.
 */
const withoutBlock = (answer: Answer, reason: string | undefined, { name, event }: EventRules): Answer => {
  if (!endingEvents.includes(event) || reason === undefined)
    return undecided(
      answer,
      `It wanted to block${reason === undefined ? '' : ` (${reason})`}, but ${name} cannot be blocked; the step went on.`,
    )
  const parts = [answer.context, reason].filter((part) => part !== undefined)
  return { ...undecided(answer), context: parts.join('\n').slice(0, maxContextChars) }
}

/** Handles a permission with rewritten arguments: it is not a permission for the original arguments. */
const withoutPermission = (answer: Answer, payload: Payload): Answer => {
  const asked = answer.rewrite?.['tool_input']
  if (payload.event !== 'on_permission_request' || asked === undefined) return answer
  const current = payload['tool_input']
  const isSame = isObject(asked) && isObject(current) && isDeepStrictEqual({ ...current, ...asked }, current)
  const left = { ...answer, rewrite: undefined }
  return isSame || answer.kind !== 'allow'
    ? left
    : undecided(
        left,
        'It permits the call only with other arguments, which PermissionRequest cannot change here; the person decides.',
      )
}

/** Applies the rules of the event to the answer. */
const applyRules = (
  answer: Answer,
  parsed: AnswerFields,
  output: HandlerOutput,
  rules: EventRules,
): Answer => {
  const { event, isGate, isGoOn, name } = rules
  const isExitTwo = output.exitCode === 2
  const isRefused = parsed.isRefused && !(isGoOn && parsed.isImpossible)
  const ended = applyStop({ ...answer, kind: isRefused ? 'block' : answer.kind }, parsed, rules)
  const stderr = isExitTwo ? text(output.stderr, maxReasonChars) : undefined
  if (ended.kind === 'block' || isExitTwo) {
    // The reason of an allow is not a reason to block.
    const reason = ended.kind === 'allow' ? stderr : (ended.reason ?? stderr)
    if (!isGate) return withoutBlock(ended, reason, rules)
    // Exit 2 takes precedence over the JSON: an agent that is about to stop goes on.
    const stopsTurn = isGoOn ? undefined : ended.stopsTurn
    return { ...ended, kind: 'block', reason: reason ?? 'blocked by hook', stopsTurn }
  }
  // At a permission request the person is asked anyway, so a question adds nothing.
  if (ended.kind === 'ask' && event === 'on_permission_request') return undecided(ended)
  if (ended.kind === 'ask' && !isGate)
    return undecided(
      ended,
      `It wanted to ask the person, but ${name} cannot wait for an answer; the step went on.`,
    )
  if (isGoOn && ended.context !== undefined && ended.stopsTurn === undefined) {
    const isLong = ended.context.length > maxReasonChars && contractOf(event).contextTo !== undefined
    return {
      ...ended,
      kind: 'block',
      reason: ended.context.slice(0, maxReasonChars).toWellFormed(),
      context: isLong ? ended.context : undefined,
    }
  }
  return ended.kind === 'allow' && !isGate ? { ...ended, kind: 'abstain' } : ended
}

/**
 * Returns why an output is not an answer; undefined if it is one. JSON counts at every exit code, but a
 * permission from a failed hook does not.
 */
const flawOf = (
  output: HandlerOutput,
  json: JsonObject | undefined,
  answer: Answer,
  wrong: string | undefined,
  title: string,
): OutputFlaw | undefined => {
  const { exitCode, stdout, isTruncated } = output
  if (isTruncated) return truncated
  if (exitCode !== 0 && exitCode !== 2) {
    const isUsed =
      json !== undefined &&
      (answer.rewrite !== undefined || answer.context !== undefined || answer.stopsTurn === true)
    if (!isUsed || answer.kind === 'ask')
      return exited(output, `A ${title} hook exits 0 for an answer and 2 to block.`)
  }
  if (json === undefined && stdout.trim().startsWith('{')) return notJson(stdout)
  return wrong === undefined ? undefined : { kind: 'output', detail: wrong }
}

/**
 * Makes a decoder that reads a hook's output as Claude Code does: stdout that starts with `{` is JSON at
 * every exit code; other text is context where the event takes it, and otherwise a log; exit 2 blocks. Unlike
 * Claude Code, it makes a note for everything that has no effect.
 */
export const decodeAs =
  (speaker: ToolNaming, title: string): Dialect['decode'] =>
  (native, payload, output) => {
    const { stdout, exitCode, isTruncated } = output
    const rules = eventRulesOf(native, payload)
    const json = jsonOf(output)
    const parsed = readAnswerFields(json ?? {}, fields)
    const plain =
      json === undefined &&
      exitCode === 0 &&
      !isTruncated &&
      native.isTextContext === true &&
      !stdout.trim().startsWith('{')
        ? text(stdout, maxContextChars)
        : undefined
    const first =
      plain === undefined
        ? answerFrom(parsed, native, json ?? {}, payload, speaker)
        : { ...abstain, context: plain }
    const answer = withoutPermission(applyRules(first, parsed, output, rules), payload)
    const lost =
      answer.context !== undefined && contractOf(rules.event).contextTo === undefined
        ? [`Its context was not used: ${native.name} has nowhere to put it here.`]
        : []
    const full = lost.length === 0 ? answer : withNotes({ ...answer, context: undefined }, ...lost)
    if (full.kind === 'block') return full
    const flaw = flawOf(output, json, full, parsed.wrong, title)
    const read = withQuestion(full)
    if (flaw !== undefined) return withFault(read, flaw)
    if (exitCode === 0 || exitCode === 2) return read
    const end = `It ended with ${exitCode === null ? 'a signal' : `exit code ${exitCode}`}; what its JSON says counts all the same, as in Claude Code`
    return read.kind === 'allow'
      ? withNotes({ ...read, kind: 'abstain' }, `${end}, but a permission from what failed does not.`)
      : withNotes(read, `${end}.`)
  }

import { isDeepStrictEqual } from 'node:util'
import { withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { Dialect, NativeEvent } from '../../shared/hooks/dialect.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
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

/** An answer whose notes are still being made. */
type Unnoted = Omit<Answer, 'notes'>

/** One event, as its own system and hookgate see it, and the notes on an answer to it. */
const eventRulesOf = ({ name, isGate }: NativeEvent, { event }: Payload) => {
  const notes: string[] = []
  return {
    name,
    event,
    /** A hook can refuse, both in its own system and in hookgate. */
    isGate: isGate === true && contractOf(event).gate.includes('block'),
    isGoOn: goOnEvents.includes(event),
    notes,
    note: (...words: readonly string[]): void => void notes.push(...words),
  }
}

type EventRules = ReturnType<typeof eventRulesOf>

/** Returns what is left of an answer that decides nothing here. */
const undecided = (answer: Unnoted): Unnoted => ({ ...answer, kind: 'abstain', reason: undefined })

/**
 * Returns the rewrite under our names. In Claude Code a rewrite replaces all arguments; here it changes only
 * those that it names.
 */
const rewriteOf = (
  { rewrite }: AnswerFields,
  payload: Payload,
  speaker: ToolNaming,
  { note }: EventRules,
): JsonObject | undefined => {
  const { tool_input: fresh = null } = rewrite ?? {}
  const { tool_name: tool, tool_input: current } = payload
  if (!isObject(fresh) || typeof tool !== 'string') return rewrite
  const patch = rewriteFrom(speaker, payload, fresh)
  if (!isObject(patch))
    note(
      `Its patch cannot be carried over to ${tool}: only the name of its file and its lines can be rewritten.`,
    )
  else if (isObject(current))
    for (const key of Object.keys(current)
      .filter((name) => !Object.hasOwn(patch, name))
      .slice(0, 5))
      note(`Its updatedInput leaves out "${key.slice(0, 40)}", which Claude Code would drop; it was kept.`)
  return { ...rewrite, tool_input: patch }
}

const answerFrom = (
  parsed: AnswerFields,
  { hookSpecificOutput: specific }: JsonObject,
  payload: Payload,
  speaker: ToolNaming,
  rules: EventRules,
): Unnoted => {
  const { kind, reason, context, notes, misplaced } = parsed
  const { name, note } = rules
  const { hookEventName: named = null, permissionDecision = null } = isObject(specific)
    ? specific
    : { hookEventName: name }
  note(...notes)
  for (const path of misplaced)
    note(`Its "${path}" has no effect where it stands; it belongs in "hookSpecificOutput".`)
  if (named !== name)
    note(
      `Its hookSpecificOutput.hookEventName is not "${name}"; Claude Code would drop the answer, here it counts.`,
    )
  if (permissionDecision === 'defer' && kind === 'ask')
    note('It defers the call; here the person in the chat is asked.')
  return { kind, reason, rewrite: rewriteOf(parsed, payload, speaker, rules), context }
}

/**
 * Applies `continue: false`. It ends the turn; at a gate it also blocks, and at the end of a turn it lets the
 * agent stop.
 */
const applyStop = (
  answer: Unnoted,
  { isStop, isInterrupt, stopReason }: AnswerFields,
  { isGoOn, isGate, event, name, note }: EventRules,
): Unnoted => {
  if (!isStop && !(isInterrupt && answer.kind === 'block')) return answer
  if (stopReason !== undefined && (isGoOn || !isGate || answer.reason !== undefined)) note(stopReason)
  if (isGoOn && isStop) return { ...answer, kind: 'abstain', stopsTurn: true }
  if (isGate) return { ...answer, kind: 'block', stopsTurn: true, reason: answer.reason ?? stopReason }
  if (endingEvents.includes(event)) return { ...answer, stopsTurn: true }
  note(`It wanted the agent to stop, but ${name} cannot do that here; the step went on.`)
  return answer
}

/**
 * Handles a refusal at an event that cannot be refused. The reason becomes context for the model where the
 * event allows that, otherwise a note.
 */
const withoutBlock = (
  answer: Unnoted,
  reason: string | undefined,
  { name, event, note }: EventRules,
): Unnoted => {
  if (endingEvents.includes(event) && reason !== undefined) {
    const parts = [answer.context, reason].filter((part) => part !== undefined)
    return { ...undecided(answer), context: parts.join('\n').slice(0, maxContextChars) }
  }
  const why = reason === undefined ? '' : ` (${reason})`
  note(`It wanted to block${why}, but ${name} cannot be blocked; the step went on.`)
  return undecided(answer)
}

/** Handles a permission with rewritten arguments: it is not a permission for the original arguments. */
const withoutPermission = (answer: Unnoted, payload: Payload, { note }: EventRules): Unnoted => {
  const asked = answer.rewrite?.['tool_input']
  if (payload.event !== 'on_permission_request' || asked === undefined) return answer
  const current = payload['tool_input']
  const isSame = isObject(asked) && isObject(current) && isDeepStrictEqual({ ...current, ...asked }, current)
  const left = { ...answer, rewrite: undefined }
  if (isSame || answer.kind !== 'allow') return left
  note(
    'It permits the call only with other arguments, which PermissionRequest cannot change here; the person decides.',
  )
  return undecided(left)
}

/** Applies the rules of the event to the answer. */
const applyRules = (
  answer: Unnoted,
  parsed: AnswerFields,
  output: HandlerOutput,
  rules: EventRules,
): Unnoted => {
  const { event, isGate, isGoOn, name, note } = rules
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
  if (ended.kind === 'ask' && !isGate) {
    note(`It wanted to ask the person, but ${name} cannot wait for an answer; the step went on.`)
    return undecided(ended)
  }
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
  answer: Unnoted,
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
    const first: Unnoted =
      plain === undefined
        ? answerFrom(parsed, json ?? {}, payload, speaker, rules)
        : { kind: 'abstain', context: plain }
    const answer = withoutPermission(applyRules(first, parsed, output, rules), payload, rules)
    const isContextLost = answer.context !== undefined && contractOf(rules.event).contextTo === undefined
    if (isContextLost) rules.note(`Its context was not used: ${native.name} has nowhere to put it here.`)
    const { notes } = rules
    const read = withQuestion({ ...answer, context: isContextLost ? undefined : answer.context, notes })
    if (read.kind === 'block') return read
    const flaw = flawOf(output, json, read, parsed.wrong, title)
    if (flaw !== undefined) return withFault(read, flaw)
    if (exitCode === 0 || exitCode === 2) return read
    const end = `It ended with ${exitCode === null ? 'a signal' : `exit code ${exitCode}`}; what its JSON says counts all the same, as in Claude Code`
    return read.kind === 'allow'
      ? {
          ...read,
          kind: 'abstain',
          notes: [...notes, `${end}, but a permission from what failed does not.`],
        }
      : { ...read, notes: [...notes, `${end}.`] }
  }

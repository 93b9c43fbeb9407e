import type { ForeignDialect } from '../core/model/hooks/dialect.ts'
import { isObject, type Json } from '../core/model/base/json.ts'

/**
 * A prompt into which the event is filled: `$ARGUMENTS` of Claude Code, and the part of Go's templates that
 * docker-agent's documentation uses. No other part of a template is supported, and no template code is run.
 */

export type PromptPart =
  | { readonly text: string }
  /**
   * The value at a path of the event's JSON in the system's own form. An empty path means the whole event.
   */
  | { readonly path: readonly string[]; readonly asJson: boolean; readonly maxChars?: number }

export interface Prompt {
  readonly parts: readonly PromptPart[]
  /** True when the prompt contains the event, so that the event is not sent beside it. */
  readonly isFilled: boolean
}

/** The fields of a docker-agent event, by their names in a template. */
const fields: Readonly<Record<string, string>> = {
  SessionID: 'session_id',
  ParentSessionID: 'parent_session_id',
  Cwd: 'cwd',
  HookEventName: 'hook_event_name',
  AgentName: 'agent_name',
  ToolName: 'tool_name',
  ToolUseID: 'tool_use_id',
  ToolInput: 'tool_input',
  ToolResponse: 'tool_response',
  ToolError: 'tool_error',
  ToolCategory: 'tool_category',
  SafetyPolicy: 'safety_policy',
  Prompt: 'prompt',
  SteeringMessages: 'steering_messages',
  Source: 'source',
  Reason: 'reason',
  StopResponse: 'stop_response',
  LastUserMessage: 'last_user_message',
  ModelID: 'model_id',
  Messages: 'messages',
  Iteration: 'iteration',
  Usage: 'usage',
  Cost: 'cost',
  InputTokens: 'input_tokens',
  OutputTokens: 'output_tokens',
  ContextLimit: 'context_limit',
  CompactionReason: 'compaction_reason',
  Summary: 'summary',
  NotificationLevel: 'notification_level',
  NotificationMessage: 'notification_message',
  FromAgent: 'from_agent',
  ToAgent: 'to_agent',
  AgentSwitchKind: 'agent_switch_kind',
  ApprovalDecision: 'approval_decision',
  ApprovalSource: 'approval_source',
  SafetyLabel: 'safety_label',
  TaskDescription: 'task_description',
}

type Value = Extract<PromptPart, { readonly path: readonly string[] }>

const valueOf = (word: string): Value | undefined => {
  const [, name = '', rest = ''] = /^\.(\w*)((?:\.\w+)*)$/.exec(word) ?? []
  if (word === '.') return { path: [], asJson: false }
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  return field === undefined ? undefined : { path: [field, ...rest.split('.').slice(1)], asJson: false }
}

/**
 * Reads one action such as `.Field | toJSON | truncate 500`, in either order of words. Undefined for any
 * other.
 */
const actionOf = (action: string): Value | undefined => {
  let value: Value | undefined
  for (const [index, stage] of action.split('|').entries()) {
    const words = stage.trim().split(/\s+/)
    const [name, ...args] = words
    const inner = /^\(\s*toJSON\s+(\S+)\s*\)$/.exec(args.slice(name === 'truncate' ? 1 : 0).join(' '))?.[1]
    const last = args.at(-1) ?? ''
    if (name === 'toJSON' && args.length === (index === 0 ? 1 : 0)) {
      const base = index === 0 ? valueOf(last) : value
      value = base === undefined ? undefined : { ...base, asJson: true }
    } else if (
      name === 'truncate' &&
      /^\d{1,6}$/.test(args[0] ?? '') &&
      (inner !== undefined || args.length === (index === 0 ? 2 : 1))
    ) {
      const base = index > 0 ? value : valueOf(inner ?? last)
      value =
        base === undefined
          ? undefined
          : { ...base, asJson: base.asJson || inner !== undefined, maxChars: Number(args[0]) }
    } else value = index === 0 && words.length === 1 ? valueOf(stage.trim()) : undefined
    if (value === undefined) return undefined
  }
  return value
}

const goTemplate = (text: string): Prompt | { readonly wrong: string } => {
  const parts: PromptPart[] = []
  let at = 0
  /** `{{-` and `-}}` remove the white space beside them. */
  let isTrimmed = false
  const add = (before: string, isTrimmedAfter: boolean): void => {
    const from = isTrimmed ? before.trimStart() : before
    parts.push({ text: isTrimmedAfter ? from.trimEnd() : from })
  }
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open + 2)
    const inner = text.slice(open + 2, close < 0 ? undefined : close)
    const action = inner.replace(/^-/, '').replace(/-$/, '').trim()
    const value = close < 0 ? undefined : actionOf(action)
    const isComment = action.startsWith('/*') && action.endsWith('*/')
    if (value === undefined && !isComment) return { wrong: text.slice(open, open + 60) }
    add(text.slice(at, open), inner.startsWith('-'))
    if (value !== undefined) parts.push(value)
    isTrimmed = inner.endsWith('-')
    at = close + 2
  }
  add(text.slice(at), false)
  return { parts, isFilled: parts.some((part) => 'path' in part) }
}

const argumentsIn = (text: string): Prompt => {
  const words = text.split(/(\\\$|\$ARGUMENTS)/)
  const parts = words.map((word): PromptPart =>
    word === '$ARGUMENTS' ? { path: [], asJson: false } : { text: word === '\\$' ? '$' : word },
  )
  return { parts, isFilled: words.includes('$ARGUMENTS') }
}

/** Reads a prompt as its system does. `wrong` is the first part of a template that is not supported. */
export const readPrompt = (
  text: string,
  dialect: ForeignDialect | undefined,
): Prompt | { readonly wrong: string } => {
  if (dialect === 'docker-agent') return goTemplate(text)
  return dialect === undefined ? { parts: [{ text }], isFilled: false } : argumentsIn(text)
}

/** The value at a path, as text; empty when there is none. */
export const valueAt = (event: Json, { path, asJson, maxChars = Infinity }: Value): string => {
  const found = path.reduce<Json | undefined>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    event,
  )
  const text =
    found === undefined || found === null
      ? asJson
        ? 'null'
        : ''
      : typeof found === 'string' && !asJson
        ? found
        : JSON.stringify(found)
  return text.length > maxChars ? text.slice(0, maxChars).toWellFormed() : text
}

/** Fills the event into a prompt. */
export const filled = ({ parts }: Prompt, event: Json): string =>
  parts.map((part) => ('text' in part ? part.text : valueAt(event, part))).join('')

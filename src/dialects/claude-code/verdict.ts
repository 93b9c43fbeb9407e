import type { Ruled } from '../../shared/gate/client.ts'
import type { NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import { isEmpty, noPrompt, whyOf } from '../client-write.ts'
import { changedSince, type IsChanged } from '../reading/fields.ts'
import { denial } from '../gates.ts'
import { toNative } from '../tools.ts'

/** The events at which Claude Code gives a hook's context to the model. */
const contextEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'SubagentStart',
  'Stop',
  'SubagentStop',
  'UserPromptSubmit',
  'SessionStart',
]
/** The events at which `decision: "block"` makes the agent go on. */
const goOnEvents = ['Stop', 'SubagentStop', 'TaskCompleted']

interface ClaudeReply {
  readonly top?: JsonObject
  readonly specific?: JsonObject
  /** Notes for the person. */
  readonly personNotes?: readonly string[]
}

const ending = (reason: string): JsonObject => ({ continue: false, stopReason: reason })

const refusal = (name: string, reason: string, isEnd: boolean, isParked: boolean): ClaudeReply => {
  if (name === 'Elicitation') return { specific: { action: 'decline' } }
  // Claude Code ends its run, and asks about this same call again when it is resumed.
  if (isParked && name === 'PreToolUse')
    return { specific: { permissionDecision: 'defer', permissionDecisionReason: reason } }
  const refused = denial('claude-code', name, reason)
  // Claude Code cannot refuse the remaining events; the nearest effect is to stop the agent. At the end of a
  // turn, a refusal and the end of the turn exclude each other.
  if (refused === undefined || (isEnd && goOnEvents.includes(name))) return { top: ending(reason) }
  if (isEnd && name === 'PermissionRequest')
    return { specific: { decision: { behavior: 'deny', message: reason, interrupt: true } } }
  const { hookSpecificOutput: specific, ...top } = refused
  return { top: { ...top, ...(isEnd ? ending(reason) : {}) }, ...(isObject(specific) ? { specific } : {}) }
}

const permit = (name: string, { payload, isConsent }: Ruled, isChanged: IsChanged): ClaudeReply => {
  const { tool_name: tool, tool_input: input, tool_result: result, notification, message } = payload
  if (name === 'PreToolUse') {
    // All arguments are written, because Claude Code drops arguments that are left out.
    const updated: JsonObject =
      isObject(input) && typeof tool === 'string' && isChanged('tool_input') !== false
        ? { updatedInput: toNative('claude-code', { name: tool, input }).input }
        : {}
    // A rewrite is not consent: without a decision Claude Code takes the rewrite over, and asks about the
    // call as usual.
    return { specific: { ...(isConsent ? { permissionDecision: 'allow' } : {}), ...updated } }
  }
  if (name === 'Elicitation' && isObject(payload['answers']))
    return { specific: { action: 'accept', content: payload['answers'] } }
  if (name === 'PermissionRequest') return isConsent ? { specific: { decision: { behavior: 'allow' } } } : {}
  if (name === 'PostToolUse' && typeof result === 'string' && isChanged('tool_result') !== false) {
    if (tool === 'bash')
      return {
        specific: { updatedToolOutput: { stdout: result, stderr: '', interrupted: false, isImage: false } },
      }
    const isText = typeof tool === 'string' && tool.startsWith('mcp__')
    const personNotes =
      isText || isChanged('tool_result') === undefined
        ? []
        : [
            "A hook rewrote the result of this tool. Claude Code takes over only a result of the tool's own shape, so it may have used the first one.",
          ]
    return { specific: { updatedToolOutput: result }, personNotes }
  }
  if (name === 'MessageDisplay' && typeof notification === 'string' && isChanged('notification') !== false)
    return { specific: { displayContent: notification } }
  // Claude Code cannot replace a prompt, and a prompt that hooks rewrote must not pass unchanged.
  if (name === 'UserPromptSubmit' && typeof message === 'string' && isChanged('message') === true) {
    return { top: { decision: 'block', reason: noPrompt('claude-code', message) } }
  }
  return {}
}

/**
 * Writes our verdict as Claude Code reads it at exit 0. Only fields that Claude Code knows are written,
 * because it ignores an answer that it cannot read and goes on. A question becomes a refusal, because nobody
 * there would be asked. `asked` holds the fields as they were reported, to tell whether hooks changed them;
 * without it the settled fields are written.
 */
export const writeClaude = (
  native: NativeEvent,
  ruled: Ruled,
  asked?: JsonObject,
): JsonObject | undefined => {
  const { name } = native
  const { verdict, contexts, notes, stopsTurn = false, isParked = false, payload } = ruled
  const isChanged = changedSince(asked, payload)
  const isRefused = verdict !== 'allow'
  const {
    top = {},
    specific = {},
    personNotes = [],
  } = isRefused ? refusal(name, whyOf(ruled), stopsTurn, isParked) : permit(name, ruled, isChanged)
  const end = stopsTurn && !isRefused ? ending(whyOf(ruled)) : {}

  // At the end of a turn, context alone would make the agent go on, and no hook asked for that.
  const isMoot = goOnEvents.includes(name) && (!isRefused || stopsTurn)
  const context = isMoot || isParked ? '' : contexts.join('\n\n')
  const isTaken = contextEvents.includes(name)
  const inner = { ...specific, ...(context !== '' && isTaken ? { additionalContext: context } : {}) }
  const lost =
    context !== '' && !isTaken
      ? [`What hooks wanted the model to know was not passed on: ${name} has no place for it in Claude Code.`]
      : []
  const message = [...notes, ...personNotes, ...lost].join('\n')

  const answer = {
    ...top,
    ...end,
    ...(message === '' ? {} : { systemMessage: message }),
    ...(isEmpty(inner) ? {} : { hookSpecificOutput: { hookEventName: name, ...inner } }),
  }
  return isEmpty(answer) ? undefined : answer
}

import type { Client, Ruled } from '../../shared/gate/client.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { replyOf, settledOf, whyOf, type Reply, type Settled } from '../client-write.ts'
import { denial, isGoOn } from '../gates.ts'
import { definedFields } from '../reading/fields.ts'

/**
 * A tool's result in Claude Code's shape. Only the shape of its shell's result is known well enough; the
 * result of any other tool stays text.
 */
export const response = (tool: Json | undefined, result: Json | undefined): Json | undefined =>
  tool === 'bash' && typeof result === 'string'
    ? { stdout: result, stderr: '', interrupted: false, isImage: false }
    : result

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

const ending = (reason: string): JsonObject => ({ continue: false, stopReason: reason })

const refusal = (name: string, reason: string, isEnd: boolean, isParked: boolean): Reply => {
  if (name === 'Elicitation') return { inner: { action: 'decline' } }
  // Claude Code ends its run, and asks about this same call again when it is resumed.
  if (isParked && name === 'PreToolUse')
    return { inner: { permissionDecision: 'defer', permissionDecisionReason: reason } }
  const refused = denial('claude-code', name, reason)
  // Claude Code cannot refuse the remaining events; the nearest effect is to stop the agent. At the end of a
  // turn, a refusal and the end of the turn exclude each other.
  if (refused === undefined || (isEnd && isGoOn('claude-code', name))) return { top: ending(reason) }
  if (isEnd && name === 'PermissionRequest')
    return { inner: { decision: { behavior: 'deny', message: reason, interrupt: true } } }
  const { hookSpecificOutput: inner, ...top } = refused
  return { top: { ...top, ...(isEnd ? ending(reason) : {}) }, ...(isObject(inner) ? { inner } : {}) }
}

const permit = (name: string, ruled: Ruled, settled: Settled): Reply => {
  const { payload, isConsent } = ruled
  const { tool_name: tool, notification, answers } = payload
  const { isChanged, input, result, noPrompt } = settled
  // A rewrite is not consent: without a decision Claude Code takes the rewrite over, and asks about the call
  // as usual.
  if (name === 'PreToolUse')
    return {
      inner: definedFields({ permissionDecision: isConsent ? 'allow' : undefined, updatedInput: input }),
    }
  if (name === 'Elicitation' && isObject(answers)) return { inner: { action: 'accept', content: answers } }
  if (name === 'PermissionRequest') return isConsent ? { inner: { decision: { behavior: 'allow' } } } : {}
  if (name === 'PostToolUse' && result !== undefined) {
    const isSure = tool === 'bash' || (typeof tool === 'string' && tool.startsWith('mcp__'))
    const notes =
      isSure || isChanged('tool_result') === undefined
        ? []
        : [
            "A hook rewrote the result of this tool. Claude Code takes over only a result of the tool's own shape, so it may have used the first one.",
          ]
    return { inner: definedFields({ updatedToolOutput: response(tool, result) }), notes }
  }
  if (name === 'MessageDisplay' && typeof notification === 'string' && isChanged('notification') !== false)
    return { inner: { displayContent: notification } }
  return noPrompt === undefined ? {} : { top: { decision: 'block', reason: noPrompt } }
}

/**
 * Writes our verdict as Claude Code reads it at exit 0. Only fields that Claude Code knows are written,
 * because it ignores an answer that it cannot read and goes on. A question becomes a refusal, because nobody
 * there would be asked. `asked` holds the fields as they were reported, to tell whether hooks changed them;
 * without it the settled fields are written.
 */
export const writeClaude: Client['write'] = ({ name }, ruled, asked) => {
  const { verdict, contexts, stopsTurn = false, isParked = false } = ruled
  const isRefused = verdict !== 'allow'
  const {
    top,
    inner,
    notes = [],
  } = isRefused
    ? refusal(name, whyOf(ruled), stopsTurn, isParked)
    : permit(name, ruled, settledOf({ speaker: 'claude-code', title: 'Claude Code' }, ruled, asked))
  // At the end of a turn, context alone would make the agent go on, and no hook asked for that.
  const isMoot = isParked || (isGoOn('claude-code', name) && (!isRefused || stopsTurn))
  const context = isMoot ? '' : contexts.join('\n\n')
  const isTaken = context !== '' && contextEvents.includes(name)
  const lost =
    context !== '' && !isTaken
      ? [`What hooks wanted the model to know was not passed on: ${name} has no place for it in Claude Code.`]
      : []
  return replyOf(name, {
    top: { ...top, ...(stopsTurn && !isRefused ? ending(whyOf(ruled)) : {}) },
    inner: { ...inner, ...(isTaken ? { additionalContext: context } : {}) },
    notes: [...ruled.notes, ...notes, ...lost],
  })
}

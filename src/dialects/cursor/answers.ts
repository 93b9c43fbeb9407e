import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { isRefused, noRewrite, refusalOf, settledOf, unlessEmpty, whyOf } from '../client-write.ts'
import { denial } from '../gates.ts'
import { definedFields } from '../reading/fields.ts'
import { isNonNull } from '../reading/output.ts'

/**
 * Translates Cursor's flat answer into Claude Code's fields, so that one decoder reads both. Older versions
 * had the two messages in camel case. Other fields stay, and the decoder makes notes about them.
 */
export const inClaudeWords = (name: string, json: JsonObject): JsonObject => {
  const {
    permission,
    userMessage: olderUserMessage,
    agentMessage: olderReason,
    user_message: userMessage = olderUserMessage,
    agent_message: reason = olderReason,
    updated_input: input,
    additional_context: context,
    updated_mcp_tool_output: output,
    followup_message: followup,
    env: _,
    ...rest
  } = json
  const isEnding = name === 'stop' || name === 'subagentStop'
  if (isEnding && isNonNull(followup) && followup !== '')
    return { ...rest, decision: 'block', reason: followup }
  const words: Json | undefined = isNonNull(reason) ? reason : userMessage
  const isRefusedPrompt = name === 'beforeSubmitPrompt' && rest['continue'] === false
  const { continue: _on, ...others } = rest
  const inner = definedFields({
    permissionDecision: permission,
    permissionDecisionReason: permission === undefined ? undefined : words,
    updatedInput: input,
    additionalContext: context,
    updatedMCPToolOutput: output,
  })
  return {
    ...(isRefusedPrompt ? { ...others, decision: 'block', ...definedFields({ reason: words }) } : rest),
    ...(isNonNull(userMessage) && isNonNull(reason) ? { systemMessage: userMessage } : {}),
    ...(Object.keys(inner).length === 0 ? {} : { hookSpecificOutput: { hookEventName: name, ...inner } }),
  }
}

/**
 * Returns whether Cursor takes a rewrite over. It does so only beside `allow`, because its `ask` asks nobody
 * before a tool. Its documentation does not say whether an `allow` suppresses Cursor's own question, so a
 * rewrite is written only with consent. Users of Cursor report that a rewritten `Write` still writes the
 * original content.
 */
const takesRewrite = (name: string, { isConsent, payload: { tool_name: tool } }: Ruled): boolean =>
  name === 'preToolUse' && isConsent && tool !== 'write_file'

/**
 * Writes our verdict as Cursor reads it at exit 0, flat and in snake_case. If silence would be a fault, no
 * opinion is written explicitly; see `gates.ts`.
 */
export const writeCursor: Client['write'] = ({ name }, ruled, asked) => {
  if (isRefused(ruled)) return refusalOf('cursor', name, ruled, whyOf(ruled))
  const { event, tool_name: tool } = ruled.payload
  const { isChanged, input, result, noPrompt, context } = settledOf(
    { speaker: 'cursor', title: 'Cursor' },
    ruled,
    asked,
  )
  if (event === 'pre_tool_call' && input !== undefined) {
    if (takesRewrite(name, ruled)) return { permission: 'allow', updated_input: input }
    return isChanged('tool_input') === true ? denial('cursor', name, noRewrite('Cursor', input)) : undefined
  }
  if (noPrompt !== undefined) return denial('cursor', name, noPrompt)
  const isServers = typeof tool === 'string' && /^mcp__|^MCP:/.test(tool)
  return unlessEmpty({
    ...(context !== '' && ['postToolUse', 'sessionStart'].includes(name)
      ? { additional_context: context }
      : {}),
    ...(name === 'postToolUse' && isServers && result !== undefined
      ? { updated_mcp_tool_output: result }
      : {}),
  })
}

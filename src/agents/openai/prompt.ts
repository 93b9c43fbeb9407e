import type { JsonObject } from '../../core/model/base/json.ts'
import type { ModelMessage } from '../../shared/chat/message.ts'
import type { Conversation } from '../loop/decider.ts'

const cut = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text
  const half = Math.floor(maxChars / 2)
  const leftOut = `[… ${text.length - 2 * half} characters left out …]`
  return `${text.slice(0, half).toWellFormed()}\n${leftOut}\n${text.slice(-half).toWellFormed()}`
}

const onWire = (
  { role, content, speaker, tool_calls = [], tool_call_id }: ModelMessage,
  maxResultChars: number,
): JsonObject => {
  if (role === 'tool')
    return {
      role,
      content: cut(content, maxResultChars),
      ...(tool_call_id !== undefined && { tool_call_id }),
    }
  if (tool_calls.length === 0)
    return { role, content, ...(speaker === undefined ? {} : { speaker: { ...speaker } }) }
  const calls = tool_calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  return { role, content, tool_calls: calls }
}

/**
 * Makes a question in the gate's format: message by message, so that hooks can judge each one. The gate
 * converts the messages to the model's format after hooks have judged them.
 */
export const questionOf = (
  { system, messages, contexts }: Pick<Conversation, 'system' | 'messages' | 'contexts'>,
  maxResultChars: number,
): readonly JsonObject[] => [
  { role: 'system', content: system },
  ...messages.map((message) => onWire(message, maxResultChars)),
  ...(contexts.length === 0 ? [] : [{ role: 'system', content: contexts.join('\n\n') }]),
]

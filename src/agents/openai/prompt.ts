import type { ModelMessage } from 'ai'
import type { Message, View } from '../mind.ts'

const cut = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text
  const half = Math.floor(maxChars / 2)
  return `${text.slice(0, half).toWellFormed()}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half).toWellFormed()}`
}

const noted = (text: string): string => `[Said by hookgate, not by the person]\n${text}`

/** Endpoints refuse a whole conversation in which a tool was called by a name that none can have. Source: the error of OpenAI's chat completions. */
const plainName = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unknown'

/**
 * The conversation as a model takes it. Hooks may have rewritten it in any way: a result without its call is told as
 * words, a call without a result gets one that says so. What is not the assistant's and not a tool's is one message of
 * the user, since many models take neither a system's word in the middle nor two messages of one role in a row.
 */
export const promptOf = ({ messages, contexts }: Pick<View, 'messages' | 'contexts'>, maxResultChars: number): ModelMessage[] => {
  const prompt: ModelMessage[] = []
  const say = (text: string): void => {
    const last = prompt.at(-1)
    if (last?.role === 'user' && typeof last.content === 'string') prompt[prompt.length - 1] = { role: 'user', content: `${last.content}\n\n${text}` }
    else prompt.push({ role: 'user', content: text })
  }
  const left: Message[] = [...messages]
  /** Takes the results that stand right behind a message with calls. */
  const resultsBehind = (): ReadonlyMap<string, string> => {
    const results = new Map<string, string>()
    for (let next = left[0]; next?.role === 'tool' && next.tool_call_id !== undefined; next = left[0]) {
      results.set(next.tool_call_id, next.content)
      left.shift()
    }
    return results
  }
  for (let message = left.shift(); message !== undefined; message = left.shift()) {
    const { role, content, tool_calls = [] } = message
    if (role === 'user') say(content)
    else if (role === 'system') say(noted(content))
    else if (role === 'tool') say(noted(`A tool gave:\n${cut(content, maxResultChars)}`))
    else if (tool_calls.length === 0) {
      if (content !== '') prompt.push({ role: 'assistant', content })
    } else {
      const results = resultsBehind()
      prompt.push(
        { role: 'assistant', content: [...(content === '' ? [] : [{ type: 'text' as const, text: content }]), ...tool_calls.map(({ id, name, input }) => ({ type: 'tool-call' as const, toolCallId: id, toolName: plainName(name), input }))] },
        { role: 'tool', content: tool_calls.map(({ id, name }) => ({ type: 'tool-result', toolCallId: id, toolName: plainName(name), output: { type: 'text', value: cut(results.get(id) ?? 'Its result is not known.', maxResultChars) } })) },
      )
    }
  }
  const extra = contexts.filter((context) => context !== '')
  if (extra.length > 0) say(noted(extra.join('\n\n')))
  if (prompt.length === 0) say(noted('The conversation is empty.'))
  return prompt
}

import type { Json, JsonObject } from '../../model/base/json.ts'
import { got } from '../../model/gate/problem.ts'
import { filled, readPrompt, type Prompt } from '../prompt.ts'

const maxTemplates = 20
const maxChars = 64_000

const readAll = (args: readonly string[]): readonly Prompt[] | { readonly wrong: string } => {
  const prompts: Prompt[] = []
  for (const arg of args) {
    const read = readPrompt(arg, 'docker-agent')
    if ('wrong' in read) return read
    prompts.push(read)
  }
  return prompts
}

/** What the args of `add_context` should have been, or undefined when they fit. */
export const contextFlaw = (args: readonly string[]): string | undefined => {
  if (args.length === 0 || args.length > maxTemplates) return `1 to ${maxTemplates} texts`
  const read = readAll(args)
  if (!('wrong' in read)) return undefined
  return `texts in which only fields such as {{ .ToolName }} stand, with toJSON or truncate (not ${got(read.wrong)})`
}

/** docker-agent's `add_context`: each text with the event filled in, one below the other. */
export const contextBuiltin = (args: readonly string[], event: Json): JsonObject => {
  const read = readAll(args)
  const context = 'wrong' in read ? '' : read.map((prompt) => filled(prompt, event)).join('\n')
  return context.trim() === '' ? {} : { context: context.slice(0, maxChars).toWellFormed() }
}

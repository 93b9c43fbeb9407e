import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'
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

/** Describes the expected args of `add_context`. It is undefined when the args fit. */
export const contextFlaw = (args: readonly string[]): string | undefined => {
  if (args.length === 0 || args.length > maxTemplates) return `1 to ${maxTemplates} texts`
  const read = readAll(args)
  if (!('wrong' in read)) return undefined
  return `texts with no other fields than such as {{ .ToolName }}, with toJSON or truncate (not ${got(read.wrong)})`
}

/**
 * Answers like docker-agent's `add_context`: it fills the event into each text and joins the texts with line
 * breaks.
 */
export const contextBuiltin = (args: readonly string[], event: Json): JsonObject => {
  const read = readAll(args)
  const context = 'wrong' in read ? '' : read.map((prompt) => filled(prompt, event)).join('\n')
  return context.trim() === '' ? {} : { context: context.slice(0, maxChars).toWellFormed() }
}

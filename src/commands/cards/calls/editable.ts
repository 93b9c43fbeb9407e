import type { JsonObject } from '../../../core/model/base/json.ts'
import type { Question } from '../../../shared/gate/permission.ts'

/** The arguments that people want to change, the first one first. */
const usual: readonly string[] = [
  'command',
  'content',
  'new_text',
  'text',
  'query',
  'prompt',
  'task',
  'message',
  'url',
  'pattern',
  'path',
]

/** The argument that a person can write anew. Undefined: the call has no single one. */
export const editField = (input: JsonObject): string | undefined => {
  const isText = (name: string): boolean => Object.hasOwn(input, name) && typeof input[name] === 'string'
  const [only, ...more] = Object.keys(input).filter(isText)
  return usual.find(isText) ?? (more.length === 0 ? only : undefined)
}

/** True when the card of a question offers a change. */
export const canEdit = ({ takesChange, tool_input }: Question): boolean =>
  takesChange === true && editField(tool_input) !== undefined

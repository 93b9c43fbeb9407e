import { isObject, type Json } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import type { LinearPattern } from '../../core/model/base/pattern.ts'
import { readShellLine, type ShellLine } from './shell-line.ts'

/**
 * The budget of all conditions of one event, in instructions times characters. After that, every test counts
 * as held.
 */
const maxCost = 20_000_000

/** True when the text matches, or when the budget is used up. */
export type TextTest = (pattern: LinearPattern, text: string) => boolean

/** One tool call, shared by all conditions on it. */
export interface ConditionCall {
  readonly tool: Json | undefined
  readonly cwd: string
  argument(name: string): Json | undefined
  /** The commands of a shell tool. They are parsed once. */
  line(): ShellLine | undefined
  readonly fits: TextTest
}

export const callOf = ({ tool_name: tool, tool_input: input, cwd }: Payload): ConditionCall => {
  let left = maxCost
  let read: { readonly line: ShellLine | undefined } | undefined
  const argument = (name: string): Json | undefined =>
    isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined
  return {
    tool,
    cwd,
    argument,
    line: () => {
      const command = argument('command')
      read ??= { line: typeof command === 'string' ? readShellLine(command) : undefined }
      return read.line
    },
    fits: (pattern, text) => {
      left -= pattern.size * text.length
      return left < 0 || pattern.test(text)
    },
  }
}

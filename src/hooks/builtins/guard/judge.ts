import type { Json, JsonObject } from '../../../model/base/json.ts'
import type { Finding } from './effects.ts'
import { createMachine, newState, TooMuchError } from './machine.ts'
import { runText, runWords } from './run.ts'
import { judgeTool } from './tool-calls.ts'
import { withoutMarks } from './reading/value.ts'

export type { Effect, Finding } from './effects.ts'

/** A call of a tool. `cwd` is absolute. */
export interface JudgedCall {
  readonly tool: string
  readonly input: JsonObject
  readonly cwd: string
}

const cleaned = (value: Json): Json =>
  typeof value === 'string'
    ? withoutMarks(value)
    : Array.isArray(value)
      ? value.map(cleaned)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleaned(inner)]))
        : value

/** What a tool call would do. Empty where nothing was found. It runs nothing and opens no file. */
export const judgeCall = ({ tool, input, cwd }: JudgedCall): readonly Finding[] => {
  const machine = createMachine(cwd, { runWords, runText })
  try {
    judgeTool(tool, cleaned(input) as JsonObject, machine, newState(machine.cwd))
    for (const follow of machine.later.splice(0)) follow()
  } catch (error) {
    if (!(error instanceof TooMuchError) && !(error instanceof RangeError)) throw error
    machine.find('unreadable', 'tooMuch')
  }
  return machine.found
}

import type { Json, JsonObject } from '../../../core/model/base/json.ts'
import type { Finding } from './effects.ts'
import { createMachine, type Machine, newState, TooMuchError } from './machine.ts'
import { runText, runWords } from './run.ts'
import { judgeTool } from './tool-calls.ts'
import { withoutMarks } from './reading/value.ts'

export type { Effect, Finding } from './effects.ts'

/** A call of a tool. `input` never changes, and `cwd` is absolute. */
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

type Followed = Pick<Machine, 'found' | 'programs'>

const follow = ({ tool, input, cwd }: JudgedCall): Followed => {
  const machine = createMachine(cwd, { runWords, runText })
  try {
    judgeTool(tool, cleaned(input) as JsonObject, newState(machine))
    for (const later of machine.later.splice(0)) later()
  } catch (error) {
    if (!(error instanceof TooMuchError) && !(error instanceof RangeError)) throw error
    machine.find('unreadable', 'tooMuch')
  }
  return { found: machine.found, programs: machine.programs }
}

/** By the input: what was followed last. Several hooks ask about one call, and its input is frozen. */
const known = new WeakMap<JsonObject, Followed & Pick<JudgedCall, 'tool' | 'cwd'>>()

/** Follows what a tool call would do. It runs nothing and opens no file. */
const followed = (call: JudgedCall): Followed => {
  const { tool, input, cwd } = call
  const before = known.get(input)
  if (before?.tool === tool && before.cwd === cwd) return before
  const now = { ...follow(call), tool, cwd }
  known.set(input, now)
  return now
}

/** What a tool call would do. Empty where nothing was found. */
export const judgeCall = (call: JudgedCall): readonly Finding[] => followed(call).found

/**
 * The programs that a tool call would run, each with its words. Undefined: not all of it can be read, or it
 * runs what comes from elsewhere.
 */
export const programsOf = (call: JudgedCall): Machine['programs'] | undefined => {
  const { found, programs } = followed(call)
  const isOpen = found.some(({ effect }) => effect === 'unreadable' || effect === 'remote-exec')
  return isOpen ? undefined : programs
}

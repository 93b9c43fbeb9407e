import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'
import type { PushResult, PushFields } from '../client.ts'

export interface ToolResult {
  readonly text: string
  readonly isError: boolean
  readonly exitCode: number
}

export interface ToolContext {
  readonly workspace: string
  /** The complete environment of a command. It does not contain the gate's socket. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Sends a message to the chat of this turn. */
  push(message: PushFields): Promise<PushResult>
  /** Runs a task in a subagent. Absent where no subagent may be started. */
  delegate?(task: string, name: string): Promise<ToolResult>
  /** The messenger's id of the person's message that this turn is about. */
  readonly message_id?: string
}

/** One field of a tool's input: the JSON Schema for the model, and how a call's value is read. */
export interface InputField<T = unknown> {
  readonly schema: JsonObject
  readonly isOptional?: true
  /** Throws an Error with a text for the model, because a model may ignore the schema. */
  read(input: JsonObject, name: string): T
}

type InputFields = Readonly<Record<string, InputField>>
type InputOf<F extends InputFields> = { readonly [Name in keyof F]: ReturnType<F[Name]['read']> }

export interface Tool {
  /** The tool's description for the model. */
  readonly about: string
  readonly takes: InputFields
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>
}

export const tool = <F extends InputFields>(
  about: string,
  takes: F,
  run: (input: InputOf<F>, context: ToolContext) => Promise<ToolResult>,
): Tool => ({
  about,
  takes,
  run: async (input, context) =>
    run(
      Object.fromEntries(
        Object.entries(takes).map(([name, field]) => [name, field.read(input, name)]),
      ) as InputOf<F>,
      context,
    ),
})

/** The description of a tool for a model. */
export interface ToolSpec {
  readonly name: string
  readonly about: string
  readonly schema: JsonObject
}

export const specOf = (name: string, { about, takes }: Pick<Tool, 'about' | 'takes'>): ToolSpec => ({
  name,
  about,
  schema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(takes).map(([field, { schema }]) => [field, schema])),
    required: Object.entries(takes).flatMap(([field, { isOptional }]) =>
      isOptional === true ? [] : [field],
    ),
  },
})

export const done = (text: string): ToolResult => ({ text, isError: false, exitCode: 0 })
export const failed = (text: string): ToolResult => ({ text, isError: true, exitCode: 1 })

const wrong = (field: string, expected: string, value: Json | undefined): Error =>
  new Error(`Expected "${field}" to be ${expected}, got ${got(value)}.`)

/** Returns a text field of a call. Throws with a text for the model. */
export const text = (input: JsonObject, field: string): string => {
  const value = input[field]
  if (typeof value !== 'string') throw wrong(field, 'a string', value)
  return value
}

const number = (input: JsonObject, field: string): number => {
  const value = input[field]
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(field, 'a number', value)
  return value
}

export const list = (input: JsonObject, field: string): readonly Json[] => {
  const value = input[field]
  if (!Array.isArray(value)) throw wrong(field, 'a list', value)
  return value
}

export const texts = (input: JsonObject, field: string): readonly string[] =>
  list(input, field).map((value, at) => {
    if (typeof value !== 'string') throw wrong(`${field}[${at}]`, 'a string', value)
    return value
  })

export const word = (description: string): InputField<string> => ({
  schema: { type: 'string', description },
  read: text,
})
export const figure = (description: string): InputField<number> => ({
  schema: { type: 'number', description },
  read: number,
})
export const wordList = (description: string): InputField<readonly string[]> => ({
  schema: { type: 'array', items: { type: 'string' }, description },
  read: texts,
})
export const optional = <T>({
  schema,
  read,
}: Omit<InputField<T>, 'isOptional'>): InputField<T | undefined> => ({
  schema,
  isOptional: true,
  read: (input, name) => ((input[name] ?? undefined) === undefined ? undefined : read(input, name)),
})

import {
  boundedFacts,
  isObject,
  isTooDeep,
  maxJsonDepth,
  parseJson,
  type Json,
  type JsonObject,
} from '../../core/model/base/json.ts'
import { isOfGroup, type ModelMessage } from '../../shared/chat/message.ts'
import { got } from '../../core/model/gate/problem.ts'
import { isSpeaker, nobody, noted, spokenInGroup } from '../../shared/chat/speaker.ts'
import { withRefusal } from '../body.ts'
import { checkFields, nameField, wrong } from '../fields.ts'
import { RefusedError } from '../ports.ts'

/** A request of an agent to its model, in the terms of hooks. Nothing else of the request is sent. */
export interface ModelQuestion {
  /** The session, folder, chat and message of the caller. The caller states them itself, as in events. */
  readonly where: JsonObject
  readonly iteration: number
  readonly system: string
  readonly messages: readonly ModelMessage[]
  /** The tools that the model is told about. */
  readonly tools: readonly JsonObject[]
  /** Numbers and words of a fixed set, so that they cannot carry text of the agent. */
  readonly options: JsonObject
}

type Check = (value: Json) => boolean

const isFigure: Check = (value) => typeof value === 'number'
const isFlag: Check = (value) => typeof value === 'boolean'
const oneOf =
  (...words: readonly Json[]): Check =>
  (value) =>
    words.includes(value)

const isName = (value: Json | undefined): value is string =>
  typeof value === 'string' && /^[\w.:-]{1,128}$/.test(value)

const hasOnly = (value: JsonObject, fields: readonly string[]): boolean =>
  Object.entries(value).every(([field, inner]) => inner === null || fields.includes(field))

/** Values that are sent unchanged must not carry text, not even in the name of a field without a value. */
const hasNoMore = (value: JsonObject, fields: readonly string[]): boolean =>
  Object.keys(value).every((field) => fields.includes(field))

const isToolChoice: Check = (value) => {
  if (!isObject(value)) return oneOf('auto', 'none', 'required')(value)
  const { type, function: chosen } = value
  return (
    type === 'function' &&
    isObject(chosen) &&
    isName(chosen['name']) &&
    hasNoMore(value, ['type', 'function']) &&
    hasNoMore(chosen, ['name'])
  )
}

const isFormat: Check = (value) =>
  isObject(value) && oneOf('text', 'json_object')(value['type'] ?? null) && hasNoMore(value, ['type'])

/**
 * The options that are allowed beside the messages. None of them holds text that a hook would have to judge.
 * Any other field is refused, because it could carry text past the hooks.
 */
const optionChecks: Readonly<Record<string, Check>> = {
  temperature: isFigure,
  top_p: isFigure,
  max_tokens: isFigure,
  max_completion_tokens: isFigure,
  seed: isFigure,
  frequency_penalty: isFigure,
  presence_penalty: isFigure,
  n: oneOf(1),
  stream: isFlag,
  parallel_tool_calls: isFlag,
  reasoning_effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
  tool_choice: isToolChoice,
  response_format: isFormat,
}

/** These are ignored: `model` always comes from gate.yaml, and the usage is always requested. */
const ignored = ['model', 'stream_options']
const allowed = ['messages', 'tools', 'hookgate', ...ignored, ...Object.keys(optionChecks)]

const optionsOf = (body: JsonObject): JsonObject => {
  const entries = Object.entries(body).filter(([, value]) => value !== null)
  const unknown = entries.find(([field]) => !allowed.includes(field))
  if (unknown !== undefined) {
    const got = `"${unknown[0].slice(0, 60)}"`
    const message = `Expected only fields that hooks can judge or that carry no text, got ${got}.`
    throw new RefusedError(400, 'model.field', message, `Leave it out. The fields are ${allowed.join(', ')}.`)
  }
  return Object.fromEntries(
    entries.filter(([field, value]) => {
      const check = Object.hasOwn(optionChecks, field) ? optionChecks[field] : undefined
      if (check === undefined) return false
      if (!check(value)) throw wrong(field, 'a value that this interface knows', value)
      return true
    }),
  )
}

const textOf = (value: Json | undefined, field: string): string => {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  const isText = (part: Json): part is JsonObject & { readonly text: string } =>
    isObject(part) &&
    part['type'] === 'text' &&
    typeof part['text'] === 'string' &&
    hasOnly(part, ['type', 'text'])
  if (!Array.isArray(value) || !value.every(isText))
    throw wrong(field, 'text, since hooks judge nothing else', value)
  return value.map(({ text }) => text).join('\n')
}

const inputOf = (value: Json | undefined, field: string): JsonObject => {
  const input = value === '' ? {} : typeof value === 'string' ? parseJson(value) : undefined
  if (isObject(input)) return input
  throw wrong(field, 'a JSON object as text', value)
}

const callOf = (value: Json, field: string): NonNullable<ModelMessage['tool_calls']>[number] => {
  const functionPart = isObject(value) ? value['function'] : undefined
  if (
    !isObject(value) ||
    !isObject(functionPart) ||
    typeof value['id'] !== 'string' ||
    typeof functionPart['name'] !== 'string'
  ) {
    throw wrong(field, 'a call with "id" and "function"', value)
  }
  const { id, type = 'function' } = value
  if (
    type !== 'function' ||
    !hasOnly(value, ['id', 'type', 'function', 'index']) ||
    !hasOnly(functionPart, ['name', 'arguments'])
  ) {
    throw wrong(field, 'a call of a function and nothing beside it', value)
  }
  return {
    id,
    name: functionPart['name'],
    input: inputOf(functionPart['arguments'], `${field}.function.arguments`),
  }
}

const roles: Readonly<Record<string, ModelMessage['role']>> = {
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  system: 'system',
  developer: 'system',
}

const messageFields = ['role', 'content', 'speaker', 'tool_calls', 'tool_call_id']

/** Returns the arguments of all calls. They are JSON inside of text. */
const argumentsIn = (messages: readonly Json[]): string =>
  messages
    .flatMap((message) =>
      isObject(message) && Array.isArray(message['tool_calls']) ? message['tool_calls'] : [],
    )
    .map((call: Json) => (isObject(call) && isObject(call['function']) ? call['function']['arguments'] : ''))
    .filter((text) => typeof text === 'string')
    .join()

const messageOf = (value: Json, at: number): ModelMessage => {
  const field = `messages[${at}]`
  const name = isObject(value) ? value['role'] : undefined
  const role = typeof name === 'string' && Object.hasOwn(roles, name) ? roles[name] : undefined
  if (!isObject(value) || role === undefined)
    throw wrong(field, 'a message of the system, user, assistant or tool', value)
  if (!hasOnly(value, messageFields))
    throw wrong(field, `a message with only ${messageFields.join(', ')}`, value)
  const { tool_calls: calls, tool_call_id: id, speaker } = value
  if ((calls ?? null) !== null && !Array.isArray(calls)) throw wrong(`${field}.tool_calls`, 'a list', calls)
  const tool_calls = Array.isArray(calls)
    ? calls.map((call: Json, index) => callOf(call, `${field}.tool_calls[${index}]`))
    : []
  return {
    role,
    content: textOf(value['content'], `${field}.content`),
    ...((speaker ?? null) !== null && role === 'user'
      ? { speaker: isSpeaker(speaker) ? speaker : nobody }
      : {}),
    ...(tool_calls.length > 0 && role === 'assistant' ? { tool_calls } : {}),
    ...(typeof id === 'string' && role === 'tool' ? { tool_call_id: id } : {}),
  }
}

const toolOf = (value: Json, at: number): JsonObject => {
  const field = `tools[${at}]`
  const functionPart = isObject(value) ? value['function'] : undefined
  const isTool =
    isObject(value) &&
    value['type'] === 'function' &&
    hasOnly(value, ['type', 'function']) &&
    isObject(functionPart) &&
    isName(functionPart['name']) &&
    hasOnly(functionPart, ['name', 'description', 'parameters', 'strict'])
  if (!isTool) throw wrong(field, 'a function with name, description and parameters', value)
  return value
}

const listOf = (body: JsonObject, field: string): readonly Json[] => {
  const value = body[field] ?? []
  if (!Array.isArray(value)) throw wrong(field, 'a list', value)
  return value
}

const whereFields = ['session_id', 'channel', 'chat_id', 'prompt_id', 'parent_session_id'] as const

const whereOf = (value: Json | undefined): { readonly where: JsonObject; readonly iteration: number } => {
  if (value !== undefined && !isObject(value)) throw wrong('hookgate', 'an object', value)
  const own = value ?? {}
  checkFields(
    whereFields.map((field) => nameField(field)),
    own,
  )
  const named = Object.fromEntries(
    whereFields.flatMap((field) => {
      const name = own[field]
      return name === undefined ? [] : [[field, name]]
    }),
  )
  const { cwd, iteration } = own
  return {
    where: {
      ...named,
      session_id: named['session_id'] ?? 'model',
      ...(typeof cwd === 'string' ? { cwd } : {}),
    },
    iteration: typeof iteration === 'number' ? iteration : 1,
  }
}

/**
 * Reads a request in the format of OpenAI's chat completions. Throws a RefusedError for a request that cannot
 * be judged completely.
 */
export const readQuestion = (body: JsonObject): ModelQuestion => {
  const options = optionsOf(body)
  const messages = listOf(body, 'messages')
  withRefusal(() => boundedFacts(argumentsIn(messages)))
  const all = messages.map(messageOf)
  const first = all[0]?.role === 'system' ? 1 : 0
  const question: ModelQuestion = {
    ...whereOf(body['hookgate']),
    system: first === 0 ? '' : (all[0]?.content ?? ''),
    messages: all.slice(first),
    tools: listOf(body, 'tools').map(toolOf),
    options,
  }
  if (all.length === 0)
    throw new RefusedError(
      400,
      'model.empty',
      `Expected "messages" to hold a message, got ${got(body['messages'])}.`,
      'Ask something.',
    )
  // The arguments of calls were text until now. Parsed, they are nested deeper in the event than in the
  // request.
  if (isTooDeep({ messages: question.messages as unknown as readonly Json[] })) {
    throw new RefusedError(
      400,
      'body.depth',
      `Expected messages that are nested at most ${maxJsonDepth} deep, got more.`,
      'Send deep values as text.',
    )
  }
  return question
}

/** Returns the system prompt as hooks see it. It includes the descriptions of the tools. */
export const judgedSystem = ({ system, tools }: ModelQuestion): string =>
  tools.length === 0 ? system : `${system}\n\nTools: ${JSON.stringify(tools)}`

/**
 * Returns a tool name that endpoints accept. They refuse a whole conversation that has a call with an invalid
 * name. Source: the error of OpenAI's chat completions.
 */
const plainName = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unknown'

/**
 * Builds the conversation in the form that a model takes. Hooks may have rewritten it in any way. A result
 * without its call becomes text, and a call without a result gets a result that says so. All text that is not
 * from the assistant or a tool becomes one user message, since many models accept neither a system message in
 * the middle nor two messages of one role in a row. In a group, a message whose speaker a hook removed is
 * shown as from an unknown person.
 */
const conversationOf = (
  messages: readonly ModelMessage[],
  contexts: readonly string[],
  isGroup: boolean,
): readonly JsonObject[] => {
  const sent: JsonObject[] = []
  let userTexts: string[] = []
  const flushUserTexts = (): void => {
    if (userTexts.length > 0) sent.push({ role: 'user', content: userTexts.join('\n\n') })
    userTexts = []
  }
  const remaining: ModelMessage[] = [...messages].toReversed()
  /** Takes the results that directly follow a message with calls. */
  const takeResults = (): ReadonlyMap<string, string> => {
    const results = new Map<string, string>()
    for (
      let next = remaining.at(-1);
      next?.role === 'tool' && next.tool_call_id !== undefined;
      next = remaining.at(-1)
    ) {
      results.set(next.tool_call_id, next.content)
      remaining.pop()
    }
    return results
  }
  for (let message = remaining.pop(); message !== undefined; message = remaining.pop()) {
    const { role, content, speaker, tool_calls = [] } = message
    if (role === 'user')
      userTexts.push(isGroup || speaker !== undefined ? spokenInGroup(content, speaker) : content)
    else if (role === 'system') userTexts.push(noted(content))
    else if (role === 'tool') userTexts.push(noted(`Result of a tool:\n${content}`))
    else if (tool_calls.length > 0) {
      flushUserTexts()
      const results = takeResults()
      const calls = tool_calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name: plainName(name), arguments: JSON.stringify(input) },
      }))
      sent.push({ role: 'assistant', content: content === '' ? null : content, tool_calls: calls })
      sent.push(
        ...tool_calls.map(({ id }) => ({
          role: 'tool',
          tool_call_id: id,
          content: results.get(id) ?? 'The result is not known.',
        })),
      )
    } else if (content !== '') {
      flushUserTexts()
      sent.push({ role: 'assistant', content })
    }
  }
  const extra = contexts.filter((context) => context !== '')
  if (extra.length > 0) userTexts.push(noted(extra.join('\n\n')))
  flushUserTexts()
  return sent.length === 0 ? [{ role: 'user', content: noted('The conversation is empty.') }] : sent
}

/** Builds the request to the endpoint: only what was judged, and the model of gate.yaml. */
export const requestOf = (
  question: ModelQuestion,
  model: string,
  messages: readonly ModelMessage[],
  context: string,
): JsonObject => {
  const { system, tools, options } = question
  return {
    ...options,
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...conversationOf(messages, [context], isOfGroup(question.messages)),
    ],
    ...(tools.length === 0 ? {} : { tools }),
    ...(options['stream'] === true ? { stream_options: { include_usage: true } } : {}),
  }
}

import {
  isObject,
  isTooDeep,
  maxJsonDepth,
  parseJson,
  type Json,
  type JsonObject,
} from '../../model/base/json.ts'
import { isOfGroup, type ModelMessage } from '../../model/chat/message.ts'
import { got } from '../../model/gate/problem.ts'
import { isSpeaker, nobody, noted, spokenInGroup } from '../../model/chat/speaker.ts'
import { checkTokens } from '../body.ts'
import { checkName, wrong } from '../fields.ts'
import { RefusedError } from '../ports.ts'

/** A question of an agent to its model, in the words of hooks. Nothing else of the request goes on. */
export interface ModelQuestion {
  /** Session, folder, chat and message of whoever asks. They are its own words, like those of an event. */
  readonly where: JsonObject
  readonly iteration: number
  readonly system: string
  readonly messages: readonly ModelMessage[]
  /** The tools as the model is told of them. */
  readonly tools: readonly JsonObject[]
  /** Figures and words of a fixed set: no text of the agent's own fits into them. */
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

/** What goes on as it came has no place for words, not in the name of a field without a value either. */
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
 * What may stand beside the messages. Each holds no text that a hook would have to judge, so a field that is
 * not here is refused: it could carry past the hooks what they would have blocked.
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
/** `model` is the one of gate.yaml, and usage is always asked for, whatever these say. */
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
  const made = isObject(value) ? value['function'] : undefined
  if (
    !isObject(value) ||
    !isObject(made) ||
    typeof value['id'] !== 'string' ||
    typeof made['name'] !== 'string'
  ) {
    throw wrong(field, 'a call with "id" and "function"', value)
  }
  const { id, type = 'function' } = value
  if (
    type !== 'function' ||
    !hasOnly(value, ['id', 'type', 'function', 'index']) ||
    !hasOnly(made, ['name', 'arguments'])
  ) {
    throw wrong(field, 'a call of a function and nothing beside it', value)
  }
  return { id, name: made['name'], input: inputOf(made['arguments'], `${field}.function.arguments`) }
}

const roles: Readonly<Record<string, ModelMessage['role']>> = {
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  system: 'system',
  developer: 'system',
}
const messageFields = ['role', 'content', 'speaker', 'tool_calls', 'tool_call_id']

/** The arguments of all calls, which are JSON inside of text. */
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
  const made = isObject(value) ? value['function'] : undefined
  const isTool =
    isObject(value) &&
    value['type'] === 'function' &&
    hasOnly(value, ['type', 'function']) &&
    isObject(made) &&
    isName(made['name']) &&
    hasOnly(made, ['name', 'description', 'parameters', 'strict'])
  if (!isTool) throw wrong(field, 'a function with name, description and parameters', value)
  return value
}

const listOf = (body: JsonObject, field: string): readonly Json[] => {
  const value = body[field] ?? []
  if (!Array.isArray(value)) throw wrong(field, 'a list', value)
  return value
}

const whereFields = ['session_id', 'channel', 'chat_id', 'prompt_id', 'parent_session_id'] as const

const whereOf = (said: Json | undefined): { readonly where: JsonObject; readonly iteration: number } => {
  if (said !== undefined && !isObject(said)) throw wrong('hookgate', 'an object', said)
  const own = said ?? {}
  for (const field of whereFields) checkName(own, field, false)
  const named = Object.fromEntries(
    whereFields.flatMap((field) => {
      const value = own[field]
      return value === undefined ? [] : [[field, value]]
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
 * Reads a request in the words of OpenAI's chat completions. Throws the refusal of one that cannot be judged
 * in whole.
 */
export const readQuestion = (body: JsonObject): ModelQuestion => {
  const options = optionsOf(body)
  const said = listOf(body, 'messages')
  checkTokens(Buffer.from(argumentsIn(said)))
  const all = said.map(messageOf)
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
  // The calls' arguments were text until now, and stand deeper in the event than in the request.
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

/** The system prompt as hooks see it: what the model is told of its tools is a part of it. */
export const judgedSystem = ({ system, tools }: ModelQuestion): string =>
  tools.length === 0 ? system : `${system}\n\nTools: ${JSON.stringify(tools)}`

/**
 * Endpoints refuse a whole conversation in which a tool was called by a name that none can have. Source: the
 * error of OpenAI's chat completions.
 */
const plainName = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unknown'

/**
 * The conversation as a model takes it. Hooks may have rewritten it in any way: a result without its call is
 * told as words, a call without a result gets one that says so. What is not the assistant's and not a tool's
 * is one message of the user, since many models take neither a system's word in the middle nor two messages
 * of one role in a row. In a group, a person's message whose speaker a hook left out is nobody's who is known.
 */
const conversationOf = (
  messages: readonly ModelMessage[],
  contexts: readonly string[],
  isGroup: boolean,
): readonly JsonObject[] => {
  const sent: JsonObject[] = []
  let spoken: string[] = []
  const endSpoken = (): void => {
    if (spoken.length > 0) sent.push({ role: 'user', content: spoken.join('\n\n') })
    spoken = []
  }
  const left: ModelMessage[] = [...messages].toReversed()
  /** Takes the results that stand right behind a message with calls. */
  const resultsBehind = (): ReadonlyMap<string, string> => {
    const results = new Map<string, string>()
    for (
      let next = left.at(-1);
      next?.role === 'tool' && next.tool_call_id !== undefined;
      next = left.at(-1)
    ) {
      results.set(next.tool_call_id, next.content)
      left.pop()
    }
    return results
  }
  for (let message = left.pop(); message !== undefined; message = left.pop()) {
    const { role, content, speaker, tool_calls = [] } = message
    if (role === 'user')
      spoken.push(isGroup || speaker !== undefined ? spokenInGroup(content, speaker) : content)
    else if (role === 'system') spoken.push(noted(content))
    else if (role === 'tool') spoken.push(noted(`A tool gave:\n${content}`))
    else if (tool_calls.length > 0) {
      endSpoken()
      const results = resultsBehind()
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
          content: results.get(id) ?? 'Its result is not known.',
        })),
      )
    } else if (content !== '') {
      endSpoken()
      sent.push({ role: 'assistant', content })
    }
  }
  const extra = contexts.filter((context) => context !== '')
  if (extra.length > 0) spoken.push(noted(extra.join('\n\n')))
  endSpoken()
  return sent.length === 0 ? [{ role: 'user', content: noted('The conversation is empty.') }] : sent
}

/** What the endpoint is sent: nothing but what was judged, and the model of gate.yaml. */
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

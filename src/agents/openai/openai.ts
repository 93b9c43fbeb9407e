import { setTimeout as delay } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, type LanguageModel, streamText, type ToolSet } from 'ai'
import type { AgentMake } from '../../shared/gate/agent.ts'
import { soundsDone } from '../../shared/gate/claim.ts'
import { isObject, isTooDeep, type JsonObject, frozenCopy } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'
import type { RequestedCall, Decider, Thought } from '../loop/decider.ts'
import type { ToolSpec } from '../tools/tool.ts'
import { faultIn, faultOf, ModelFault } from './fault.ts'
import { questionOf } from './prompt.ts'
import { createSocketFetch } from './socket-fetch.ts'
import { systemPrompt } from './system.ts'

/** The waits before new attempts, in milliseconds, when the endpoint does not name one. */
const retryAfterMs = [1_000, 4_000, 15_000]
/** When the endpoint asks for a longer wait than this, there is no new attempt, and the person is told. */
const longestRetryMs = 60_000
const maxInputChars = 1_000_000
const maxNameChars = 100
const maxCalls = 50
const maxTextChars = 1_000_000
const endWords = '\n\n(The answer ends here because the model reached its output limit.)'

/** The tools that a subagent does not have: it reports only to its agent and starts no subagents. */
const mainAgentTools = new Set(['subagent', 'done', 'ask_person'])

export interface OpenaiOptions {
  readonly make: Extract<AgentMake, { kind: 'openai' }>
  readonly socketPath: string
  readonly workspace: string
  readonly tools: readonly ToolSpec[]
}

/**
 * The tools are declared without `execute`, because each call has to pass the gate in order. So our loop runs
 * them.
 */
const declared = (tools: readonly ToolSpec[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, about, schema }) => [name, { description: about, inputSchema: jsonSchema(schema) }]),
  )

/**
 * The gate gets each call again as a part of the conversation, and refuses an event that is nested too deep.
 */
const isTooDeepThere = (input: JsonObject): boolean => isTooDeep({ messages: [{ tool_calls: [{ input }] }] })

/** Converts a call for the loop. `input` is a text when it is not JSON. */
const callOf = ({
  toolCallId,
  toolName,
  input,
}: {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}): RequestedCall => {
  const id = /^[\w.:-]{1,128}$/.test(toolCallId)
    ? toolCallId
    : `call-${Buffer.from(toolCallId).toString('hex').slice(0, 32)}`
  const name = toolName.slice(0, maxNameChars).toWellFormed()
  // Models often call a tool without parameters with an empty text.
  if (input === '') return { id, name, input: {} }
  if (isObject(input) && isTooDeepThere(input))
    return {
      id,
      name,
      input: {},
      wrong: `Expected the arguments of ${name} to be flat, got arguments that are nested too deep. Call it again with the nested values as text.`,
    }
  // Many endpoints could not read later questions of this conversation if they contained a lone surrogate.
  if (isObject(input)) return { id, name, input: frozenCopy(input) }
  return {
    id,
    name,
    input: {},
    wrong: `Expected the arguments of ${name} to be one JSON object, got ${typeof input === 'string' ? `text that is not JSON (${input.length} characters)` : got(input)}. Call it again with valid JSON.`,
  }
}

const tooLong = (id: string, name: string, chars: number): RequestedCall => ({
  ...callOf({ toolCallId: id, toolName: name, input: {} }),
  wrong: `Expected the arguments of ${name.slice(0, maxNameChars)} to be at most ${maxInputChars} characters, got ${chars} or more. Write large files in parts.`,
})

/** The library requires a prompt. The request to the gate contains our own messages instead. */
const placeholderPrompt = '-'

type ModelReply = Pick<Thought, 'text' | 'calls'> & {
  readonly inputTokens: number
  readonly outputTokens: number
}

/**
 * Makes one model call. A text that is too long is cut while it arrives, so that it cannot fill the memory.
 * Rejects with the original error.
 */
const askOnce = async (model: LanguageModel, tools: ToolSet, signal: AbortSignal): Promise<ModelReply> => {
  const ending = new AbortController()
  const { stream } = streamText({
    model,
    tools,
    prompt: placeholderPrompt,
    maxRetries: 0,
    abortSignal: AbortSignal.any([signal, ending.signal]),
    onError: () => undefined,
    includeRawChunks: true,
  })
  const calls: RequestedCall[] = []
  const sizes = new Map<string, { readonly name: string; chars: number }>()
  let text = ''
  let [inputTokens, outputTokens] = [0, 0]
  let broken: unknown
  try {
    for await (const part of stream) {
      if (part.type === 'raw') {
        // The library ignores an error in a chunk, and would treat half an answer as a whole one.
        const fault = faultIn(part.rawValue)
        if (fault !== undefined) throw fault
      } else if (part.type === 'text-delta') text += part.text
      else if (part.type === 'tool-input-start') sizes.set(part.id, { name: part.toolName, chars: 0 })
      else if (part.type === 'tool-call') calls.push(callOf(part))
      // This also happens when the stream ends early. Later parts may give the reason.
      else if (part.type === 'error') broken ??= part.error
      else if (part.type === 'finish-step') {
        inputTokens = part.usage.inputTokens ?? 0
        outputTokens = part.usage.outputTokens ?? 0
        if (part.finishReason === 'length') text += endWords
      } else if (part.type === 'tool-input-delta') {
        const size = sizes.get(part.id)
        if (size !== undefined) size.chars += part.delta.length
        // The rest of the answer is not read. The calls that were complete before still count.
        if (size !== undefined && size.chars > maxInputChars)
          return {
            text,
            calls: [...calls, tooLong(part.id, size.name, size.chars)],
            inputTokens,
            outputTokens,
          }
      }
      if (text.length > maxTextChars)
        throw new ModelFault(
          `The model's answer is longer than ${maxTextChars} characters. Write to me again.`,
        )
    }
  } finally {
    ending.abort()
  }
  signal.throwIfAborted()
  if (broken !== undefined) throw broken
  return { text: text.toWellFormed(), calls: calls.slice(0, maxCalls), inputTokens, outputTokens }
}

/**
 * Makes a decider for any OpenAI-compatible endpoint. It reaches the endpoint through the gate and never has
 * the key.
 */
export const createOpenaiDecider = ({ make, socketPath, workspace, tools }: OpenaiOptions): Decider => {
  // The library would write its warnings to standard error, which the gate reads for the reason when the host
  // ends.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { model, contextTokens, maxSteps } = make
  const send = createSocketFetch(socketPath)
  /** `more` holds the messages and their context. */
  const chatWith = (more: JsonObject): LanguageModel =>
    createOpenAICompatible({
      name: 'openai',
      baseURL: 'http://gate/v1',
      includeUsage: true,
      fetch: send,
      transformRequestBody: (body) => ({ ...body, ...more }),
    })(model)
  const known = {
    all: declared(tools),
    inner: declared(tools.filter(({ name }) => !mainAgentTools.has(name))),
    none: {},
  }
  // About a quarter of the model's context, at four characters a token.
  const maxChars = Math.min(contextTokens, 64_000)

  const think: Decider['think'] = async (view, { signal, iteration, reporter, warn }) => {
    const hookgate = { ...reporter.where, iteration }
    const chat = chatWith({ messages: questionOf(view, maxChars), hookgate })
    for (let attempt = 0; ; attempt++) {
      try {
        const { text, calls, inputTokens, outputTokens } = await askOnce(chat, known[view.tools], signal)
        if (text.trim() === '' && calls.length === 0)
          throw new ModelFault('The model gave an empty answer. Write to me again.', { isTransient: true })
        return { thought: { text, calls, usage: { input_tokens: inputTokens, output_tokens: outputTokens } } }
      } catch (error) {
        signal.throwIfAborted()
        const fault = faultOf(error)
        if (fault.blocked !== undefined) return { blocked: fault.blocked, isTold: fault.isTold }
        const waitMs = fault.retryAfterMs ?? retryAfterMs[attempt] ?? 0
        if (!fault.isTransient || attempt >= retryAfterMs.length || waitMs > longestRetryMs) throw fault
        await warn(`${fault.message.split('\n')[0]} I try again in ${Math.ceil(waitMs / 1000)} s.`)
        await delay(waitMs, undefined, { signal })
      }
    }
  }

  return {
    model,
    maxSteps,
    contextTokens,
    remembers: true,
    isMarkdown: true,
    system: () => systemPrompt(workspace, Math.min(24_000, contextTokens)),
    isGoal: () => true,
    isClaim: (answer, hasRun) => hasRun || soundsDone(answer),
    think,
  }
}

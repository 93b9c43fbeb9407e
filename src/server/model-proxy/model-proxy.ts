import type { ServerResponse } from 'node:http'
import type { EventName } from '../../core/model/events/event.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import { asJson, isMessage, lastUserMessage, type ModelMessage } from '../../shared/chat/message.ts'
import { gather, type ModelUsage, nothingYet } from './model-answer.ts'
import { createModelBudget, type HourlyBound } from './model-budget.ts'
import { createModelExchange, type ExchangeOptions, streamType } from './model-exchange.ts'
import { judgedSystem, type ModelQuestion, readQuestion, requestOf } from './model-question.ts'
import { RefusedError, type HttpReply } from '../ports.ts'

/** The model endpoint of an agent, chosen by the owner in gate.yaml. It may be on this machine. */
export interface ModelEndpoint {
  /** The address without `/chat/completions`, which is added. */
  readonly baseUrl: string
  /** The model that every request goes to, whatever model the request names. */
  readonly model: string
  /** The API key. The agent must never have it, because its tools could read it there. */
  readonly apiKey?: string
  /** The price in US dollars per million tokens. Absent: the cost is unknown. */
  readonly price?: { readonly input: number; readonly output: number }
  readonly perHour: HourlyBound
}

export interface ModelProxyOptions extends Partial<
  Pick<ExchangeOptions, 'totalMs' | 'idleMs' | 'maxAnswerBytes'>
> {
  readonly endpoint: ModelEndpoint
  /** Called when half or all of the hourly limit is used. */
  tellSpent(share: 'half' | 'all', spent: HourlyBound): void
  /** A monotonic clock, in milliseconds. */
  now?(): number
}

/** Sends an event of the calling agent to the hooks. */
export type FireForAgent = (event: EventName, body: JsonObject) => Promise<HttpReply>

/**
 * Sends an agent's requests to its model. Hooks judge them, an hourly limit applies, and the agent never has
 * the key.
 */
export interface ModelProxy {
  /**
   * Streams the answer back. Rejects with a RefusedError while nothing has been sent. Later, an event stream
   * ends with the error, and any other answer breaks off.
   */
  forward(body: JsonObject, fire: FireForAgent, response: ServerResponse): Promise<void>
  stop(): Promise<void>
}

const maxInFlight = 8
const charsPerToken = 4
/**
 * The maximum length of the text of one answer, in characters. The text stays in memory until hooks have seen
 * it.
 */
const maxTextChars = 2_000_000

const tooBusy = (): RefusedError => {
  const message = `Expected at most ${maxInFlight} model calls at once, got more.`
  return new RefusedError(429, 'model.busy', message, 'Wait for an answer, then ask again.')
}

const spent = ({ calls, tokens }: HourlyBound, waitMs: number): RefusedError => {
  const message = `Expected at most ${calls} model calls and ${tokens} tokens in an hour, and they are spent.`
  const options = '"max_calls_per_hour" and "max_tokens_per_hour" in gate.yaml'
  const fix = `Ask again in ${Math.ceil(waitMs / 60_000)} min. Only the owner can raise ${options}.`
  return new RefusedError(429, 'model.spent', message, fix)
}

const tooLong = (): RefusedError => {
  const message = `Expected an answer of at most ${maxTextChars} characters, got more.`
  return new RefusedError(502, 'model.size', message, 'Ask for less.')
}

/** `isTold`: hookgate told the person in the chat already. */
const blocked = (why: string, isTold = false): RefusedError => {
  const code = isTold ? 'model.blocked_told' : 'model.blocked'
  return new RefusedError(403, code, why, 'Do what is left without it, or tell the person.')
}

interface JudgedCall {
  readonly messages: readonly ModelMessage[]
  /** The context that hooks give the model in this call. */
  readonly context: string
}

/** Returns the request as hooks settled it. Throws a RefusedError when a hook blocks it. */
const judge = async (question: ModelQuestion, model: string, fire: FireForAgent): Promise<JudgedCall> => {
  const { where, iteration, messages } = question
  const asked = {
    system: judgedSystem(question),
    model,
    last_user_message: lastUserMessage(messages),
    iteration,
  }
  const reply = await fire('pre_llm_call', { ...asked, messages: messages.map(asJson), ...where })
  if (reply.status !== 200)
    throw new RefusedError(reply.status, reply.error.code, reply.error.message, reply.error.fix)
  const { verdict, reason, payload, context, stop_turn, told } = reply.body
  if (verdict !== 'allow' || stop_turn === true)
    throw blocked(typeof reason === 'string' ? reason : 'a hook blocked it', told === true)
  const settled = isObject(payload) ? payload['messages'] : undefined
  // When a hook returns something other than a list of messages, the original is not sent instead: it may
  // hold what the hook removed.
  if (!Array.isArray(settled) || !settled.every(isMessage)) throw blocked('a hook left no list of messages')
  return { messages: settled, context: typeof context === 'string' ? context : '' }
}

/**
 * Fires the two events of a model call, and no other code does. Every model call behind the gate comes
 * through here, also the call of a tool. No hook can block or rewrite at post_llm_call, so an answer is
 * streamed as it arrives. Its end is held back until hooks have seen it.
 */
export const createModelProxy = (options: ModelProxyOptions): ModelProxy => {
  const {
    endpoint,
    tellSpent,
    totalMs = 600_000,
    idleMs = 120_000,
    maxAnswerBytes = 32 * 1024 * 1024,
  } = options
  const { baseUrl, model, price, perHour, apiKey: key = '' } = endpoint
  const now = options.now ?? (() => performance.now())
  const exchange = createModelExchange({
    baseUrl,
    key,
    totalMs,
    idleMs,
    maxAnswerBytes,
    maxConnections: maxInFlight,
  })
  const budget = createModelBudget({ bound: perHour, now, tell: tellSpent })
  let inFlight = 0

  const costOf = ({ input_tokens, output_tokens }: ModelUsage): number =>
    price === undefined ? 0 : (input_tokens * price.input + output_tokens * price.output) / 1_000_000

  const answer = async (
    question: ModelQuestion,
    fire: FireForAgent,
    response: ServerResponse,
  ): Promise<void> => {
    const { messages, context } = await judge(question, model, fire)
    if (response.destroyed) return
    const body = JSON.stringify(requestOf(question, model, messages, context))
    const guessed = Math.ceil(body.length / charsPerToken)
    const spending = budget.take(guessed)
    if ('waitMs' in spending) throw spent(perHour, spending.waitMs)
    let gathered = nothingYet
    const report = async (): Promise<void> => {
      const { text, chars, isAnswer } = gathered
      // An agent that disconnects early has still used the endpoint.
      const input_tokens = isAnswer || response.destroyed ? guessed : 0
      const usage = gathered.usage ?? { input_tokens, output_tokens: Math.ceil(chars / charsPerToken) }
      spending.settle(usage.input_tokens + usage.output_tokens)
      // Hooks see an incomplete answer too, because it reached the agent.
      if (isAnswer)
        await fire('post_llm_call', {
          model,
          response: text,
          usage: { ...usage },
          cost: costOf(usage),
          ...question.where,
        })
    }
    try {
      await exchange.ask(body, response, (piece) => {
        gathered = gather(gathered, piece)
        if (gathered.text.length > maxTextChars) throw tooLong()
      })
    } finally {
      await report()
    }
    if (response.writableEnded) return
    response.end(response.getHeader('content-type') === streamType ? 'data: [DONE]\n\n' : undefined)
  }

  const forward: ModelProxy['forward'] = async (body, fire, response) => {
    if (inFlight >= maxInFlight) throw tooBusy()
    inFlight++
    try {
      await answer(readQuestion(body), fire, response)
    } catch (error) {
      if (!(error instanceof RefusedError) || response.getHeader('content-type') !== streamType) throw error
      // An open stream ends with the reason.
      response.end(`data: ${JSON.stringify({ error: error.refusal.error })}\n\n`)
    } finally {
      inFlight--
    }
  }

  return { forward, stop: exchange.stop }
}

import type { ServerResponse } from 'node:http'
import type { EventName } from '../../model/events/event.ts'
import { isObject, type JsonObject } from '../../model/base/json.ts'
import { asJson, isMessage, lastUserMessage, type ModelMessage } from '../../model/chat/message.ts'
import { gather, type ModelUsage, nothingYet } from './model-answer.ts'
import { createModelBudget, type HourlyBound } from './model-budget.ts'
import { createModelExchange, type ExchangeOptions, streamType } from './model-exchange.ts'
import { judgedSystem, type ModelQuestion, readQuestion, requestOf } from './model-question.ts'
import { RefusedError, type HttpReply } from '../ports.ts'

/** Where an agent's model is. The owner's own choice in gate.yaml: it may be on this machine. */
export interface ModelEndpoint {
  /** Up to `/chat/completions`, which is added. */
  readonly baseUrl: string
  /** The one that is asked, whatever a question names. */
  readonly model: string
  /** What the agent must never have: its tools could read it there. */
  readonly apiKey?: string
  /** In US dollars a million tokens; absent: what it costs is not known. */
  readonly price?: { readonly input: number; readonly output: number }
  readonly perHour: HourlyBound
}

export interface ModelProxyOptions extends Partial<
  Pick<ExchangeOptions, 'totalMs' | 'idleMs' | 'maxAnswerBytes'>
> {
  readonly endpoint: ModelEndpoint
  /** Half or all of the hour's bound is spent. */
  tellSpent(share: 'half' | 'all', spent: HourlyBound): void
  /** A clock that nobody can set, in milliseconds. */
  now?(): number
}

/** Puts an event of the agent that asks to the hooks. */
export type FireForAgent = (event: EventName, body: JsonObject) => Promise<HttpReply>

/**
 * Puts an agent's questions to its model: judged by hooks, within a bound, with a key that the agent never
 * has.
 */
export interface ModelProxy {
  /**
   * Streams the answer back. Rejects with a refusal while nothing was answered; later a stream of events ends
   * with it, and any other answer breaks off.
   */
  forward(body: JsonObject, fire: FireForAgent, response: ServerResponse): Promise<void>
  stop(): Promise<void>
}

const maxInFlight = 8
const charsPerToken = 4
/** Of the words of one answer, which stand in memory until hooks have heard of them. */
const maxTextChars = 2_000_000

const tooBusy = (): RefusedError => {
  const message = `Expected at most ${maxInFlight} model calls at once, got more.`
  return new RefusedError(429, 'model.busy', message, 'Wait for an answer, then ask again.')
}

const spent = ({ calls, tokens }: HourlyBound, waitMs: number): RefusedError => {
  const message = `Expected at most ${calls} model calls and ${tokens} tokens in an hour, and they are spent.`
  const options = '"max_calls_per_hour" and "max_tokens_per_hour" in gate.yaml'
  const fix = `Ask again in ${Math.ceil(waitMs / 60_000)} min. ${options} are the owner's to raise.`
  return new RefusedError(429, 'model.spent', message, fix)
}

const tooLong = (): RefusedError => {
  const message = `Expected an answer of at most ${maxTextChars} characters, got more.`
  return new RefusedError(502, 'model.size', message, 'Ask for less.')
}

const blocked = (why: string): RefusedError =>
  new RefusedError(403, 'model.blocked', why, 'Do what is left without it, or tell the person.')

interface JudgedCall {
  readonly messages: readonly ModelMessage[]
  /** What hooks have to say to the model in this call. */
  readonly context: string
}

/** What hooks let be asked, as they settled it. Throws the refusal. */
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
  const { verdict, reason, payload, context, stop_turn } = reply.body
  if (verdict !== 'allow' || stop_turn === true)
    throw blocked(typeof reason === 'string' ? reason : 'a hook blocked it')
  const settled = isObject(payload) ? payload['messages'] : undefined
  // What a hook took out must not stay in because it wrote the rest in another form.
  if (!Array.isArray(settled) || !settled.every(isMessage)) throw blocked('a hook left no list of messages')
  return { messages: settled, context: typeof context === 'string' ? context : '' }
}

/**
 * The two events of a model call are fired here and nowhere else, since every call of a model behind the gate
 * comes by, also one that a tool makes on its own. No hook can block or rewrite at post_llm_call, so an
 * answer is streamed as it comes; its end is held back until hooks have heard of it.
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
    const told = async (): Promise<void> => {
      const { text, chars, isAnswer } = gathered
      // Who leaves early has had the endpoint work all the same.
      const input_tokens = isAnswer || response.destroyed ? guessed : 0
      const usage = gathered.usage ?? { input_tokens, output_tokens: Math.ceil(chars / charsPerToken) }
      spending.settle(usage.input_tokens + usage.output_tokens)
      // Of half an answer as well: it has reached the agent.
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
      await told()
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
      // A stream that began is told why it ends.
      response.end(`data: ${JSON.stringify({ error: error.refusal.error })}\n\n`)
    } finally {
      inFlight--
    }
  }

  return { forward, stop: exchange.stop }
}

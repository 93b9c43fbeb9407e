import { APICallError } from 'ai'
import { isObject, parseJson, type Json } from '../../model/base/json.ts'

const maxDetail = 300
/** Source: RFC 9110 and what OpenAI, OpenRouter and Cloudflare answer when they are overloaded. */
const transient = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529])

interface FaultKind {
  readonly isTransient?: boolean
  readonly retryAfterMs?: number | undefined
  readonly isOverflow?: boolean
  readonly blocked?: string
}

/** A model that did not answer, in words for the person that say what to do. */
export class ModelFault extends Error {
  readonly isTransient: boolean
  readonly retryAfterMs: number | undefined
  /** The conversation is longer than the model takes. */
  readonly isOverflow: boolean
  /** A hook kept the model from being asked, for this reason. */
  readonly blocked: string | undefined
  constructor(
    message: string,
    { isTransient = false, retryAfterMs, isOverflow = false, blocked }: FaultKind = {},
  ) {
    super(message)
    this.name = 'ModelFault'
    this.isTransient = isTransient
    this.retryAfterMs = retryAfterMs
    this.isOverflow = isOverflow
    this.blocked = blocked
  }
}

/** What an endpoint says of its refusal, or the gate of its own; empty where it is no JSON. */
const saidIn = (body: Json): { readonly code: string; readonly detail: string; readonly fix: string } => {
  const error = isObject(body) ? body['error'] : undefined
  const text = (value: Json | undefined): string =>
    typeof value === 'number'
      ? `${value}`
      : typeof value === 'string'
        ? value.replaceAll(/\s+/g, ' ').slice(0, maxDetail).toWellFormed()
        : ''
  if (!isObject(error)) return { code: '', detail: text(error), fix: '' }
  return { code: text(error['code']), detail: text(error['message']), fix: text(error['fix']) }
}

/** `retry-after` is seconds or a date. Source: RFC 9110, 10.2.3. */
const retryAfterMs = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  const ms = /^\d+(?:\.\d+)?$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

const wordsOf = (status: number, detail: string): string => {
  const said = detail === '' ? '' : ` It says: ${detail}`
  if (status === 401 || status === 403)
    return `The model's endpoint does not take the key (${status}).${said}\nCheck the variable that "api_key_env" names in gate.yaml, then restart hookgate.`
  if (status === 402) return `The model's endpoint wants to be paid (402).${said}`
  if (status === 404)
    return `The model's endpoint does not have what I asked for (404).${said}\nCheck "base_url" and "model" in gate.yaml.`
  if (status === 429)
    return `The model's endpoint has too many requests, or a limit of yours is reached (429).${said}\nWrite to me again later.`
  if (status >= 500) return `The model's endpoint failed (${status}).${said}\nWrite to me again in a while.`
  return `The model's endpoint did not take my request (${status}).${said}\nIf that stays so, /new starts afresh.`
}

/** Source: the words of OpenAI, OpenRouter, vLLM, llama.cpp, Ollama and LM Studio. */
const overflowWords =
  /context[ _-]?(?:length|window|size)|maximum context|too many tokens|prompt is too long|exceeds? the (?:model|available context)/i

const brokenOff = (detail: string): ModelFault =>
  new ModelFault(
    `The model's answer broke off in the middle${detail === '' ? '' : ` (${detail.slice(0, maxDetail).toWellFormed()})`}. Write to me again.`,
    { isTransient: true },
  )

/** What was said in place of an answer. `afterMs`: how long the endpoint wants to be left alone. */
const ofStatus = (
  status: number,
  { code, detail, fix }: ReturnType<typeof saidIn>,
  afterMs?: number,
): ModelFault => {
  // The gate's own words are whole sentences. What an owner has to mend is not tried again, nor what took ten minutes.
  if (code.startsWith('model.') || code === 'body.size' || code === 'gate.stopping')
    return new ModelFault(`${detail} ${fix}`, {
      isTransient: ['model.unreachable', 'model.busy', 'gate.stopping'].includes(code),
      isOverflow: status === 413,
    })
  return new ModelFault(wordsOf(status, detail), {
    isTransient: transient.has(status),
    retryAfterMs: afterMs,
    isOverflow: status === 413 || (status === 400 && overflowWords.test(`${code} ${detail}`)),
  })
}

const ofCall = (error: APICallError): ModelFault => {
  const { statusCode: status } = error
  if (status === undefined)
    return new ModelFault('I could not reach the gate to ask the model. Write to me again in a while.', {
      isTransient: true,
    })
  // The endpoint began to answer.
  if (status < 300) return brokenOff(error.message)
  return ofStatus(
    status,
    saidIn(parseJson(error.responseBody ?? '') ?? null),
    retryAfterMs(error.responseHeaders?.['retry-after']),
  )
}

/**
 * The complaint in a piece of an answer that began well: endpoints and routers send it there, with the status as its
 * code where they name one, and the gate does when it gives up. Undefined: it is none.
 */
export const faultIn = (piece: unknown): ModelFault | undefined => {
  if (!isObject(piece) || (piece['error'] ?? undefined) === undefined) return undefined
  const said = saidIn(piece)
  const status = Number(said.code)
  if (said.code.startsWith('model.') || (status >= 400 && status < 600)) return ofStatus(status, said)
  return overflowWords.test(`${said.code} ${said.detail}`) ? ofStatus(400, said) : brokenOff(said.detail)
}

/** Whatever went wrong while the model was asked, in words. */
export const faultOf = (error: unknown): ModelFault => {
  if (error instanceof ModelFault) return error
  // What a library wraps may be what we said ourselves.
  if (error instanceof Error && error.cause instanceof ModelFault) return error.cause
  if (APICallError.isInstance(error)) return ofCall(error)
  return brokenOff(error instanceof Error ? error.message : '')
}

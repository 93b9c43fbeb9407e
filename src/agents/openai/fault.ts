import { APICallError } from 'ai'
import { isObject, parseJson, type Json } from '../../core/model/base/json.ts'

const maxDetail = 300
/** Source: RFC 9110 and what OpenAI, OpenRouter and Cloudflare answer when they are overloaded. */
const transient = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529])

interface FaultKind {
  readonly isTransient?: boolean
  readonly retryAfterMs?: number | undefined
  readonly isOverflow?: boolean
  readonly blocked?: string
  readonly isTold?: boolean
}

/** A failure of the model, with a text for the person that says what to do. */
export class ModelFault extends Error {
  readonly isTransient: boolean
  readonly retryAfterMs: number | undefined
  /** True when the conversation is longer than the model's context. */
  readonly isOverflow: boolean
  /** The reason when a hook blocked the question. Undefined otherwise. */
  readonly blocked: string | undefined
  /** True when hookgate told the person of that block. */
  readonly isTold: boolean
  constructor(
    message: string,
    { isTransient = false, retryAfterMs, isOverflow = false, blocked, isTold = false }: FaultKind = {},
  ) {
    super(message)
    this.name = 'ModelFault'
    this.isTransient = isTransient
    this.retryAfterMs = retryAfterMs
    this.isOverflow = isOverflow
    this.blocked = blocked
    this.isTold = isTold
  }
}

/**
 * Reads the code, the detail and the fix from an error of an endpoint or of the gate. They are empty when the
 * body is not such an error.
 */
const errorIn = (body: Json): { readonly code: string; readonly detail: string; readonly fix: string } => {
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
  const detailText = detail === '' ? '' : ` It says: ${detail}`
  if (status === 401 || status === 403)
    return `The model's endpoint rejected the key (${status}).${detailText}\nCheck the variable that "api_key_env" names in gate.yaml, then restart hookgate.`
  if (status === 402) return `The model's endpoint requires payment (402).${detailText}`
  if (status === 404)
    return `The model's endpoint did not find the address or the model (404).${detailText}\nCheck "base_url" and "model" in gate.yaml.`
  if (status === 429)
    return `The model's endpoint is overloaded, or you have reached a limit (429).${detailText}\nWrite to me again later.`
  if (status >= 500)
    return `The model's endpoint failed (${status}).${detailText}\nWrite to me again in a while.`
  return `The model's endpoint rejected my request (${status}).${detailText}\nIf this happens again, /new starts a new conversation.`
}

/** Source: the error texts of OpenAI, OpenRouter, vLLM, llama.cpp, Ollama and LM Studio. */
const overflowWords =
  /context[ _-]?(?:length|window|size)|maximum context|too many tokens|prompt is too long|exceeds? the (?:model|available context)/i

const brokenOff = (detail: string): ModelFault =>
  new ModelFault(
    `The model's answer broke off in the middle${detail === '' ? '' : ` (${detail.slice(0, maxDetail).toWellFormed()})`}. Write to me again.`,
    { isTransient: true },
  )

/** Makes a fault from an error status. `afterMs` is the wait that the endpoint asks for. */
const ofStatus = (
  status: number,
  { code, detail, fix }: ReturnType<typeof errorIn>,
  afterMs?: number,
): ModelFault => {
  // The gate's own error texts are complete sentences. An error that an owner has to fix is not tried again,
  // and neither is a question that took ten minutes.
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
  // The endpoint had begun to answer.
  if (status < 300) return brokenOff(error.message)
  return ofStatus(
    status,
    errorIn(parseJson(error.responseBody ?? '') ?? null),
    retryAfterMs(error.responseHeaders?.['retry-after']),
  )
}

/**
 * Returns the error in a chunk of an answer that began well, or undefined. Endpoints and routers send errors
 * there, with the status as the code if they name one. The gate does so when it gives up.
 */
export const faultIn = (piece: unknown): ModelFault | undefined => {
  if (!isObject(piece) || (piece['error'] ?? undefined) === undefined) return undefined
  const complaint = errorIn(piece)
  const status = Number(complaint.code)
  if (complaint.code.startsWith('model.') || (status >= 400 && status < 600))
    return ofStatus(status, complaint)
  return overflowWords.test(`${complaint.code} ${complaint.detail}`)
    ? ofStatus(400, complaint)
    : brokenOff(complaint.detail)
}

/** Converts any error of a model call to a fault. */
export const faultOf = (error: unknown): ModelFault => {
  if (error instanceof ModelFault) return error
  // A library may wrap a fault that our own code threw.
  if (error instanceof Error && error.cause instanceof ModelFault) return error.cause
  if (APICallError.isInstance(error)) return ofCall(error)
  return brokenOff(error instanceof Error ? error.message : '')
}

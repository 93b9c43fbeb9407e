import type { Delivery } from '../../src/core/model/chat/channel.ts'

/** Error codes of Node and undici for a connection that was never made. Nothing can have been sent. */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

/**
 * Error codes for a connection that ended or was too slow. The message may have been sent. 1, 4 and 14 are
 * gRPC's codes for cancelled, deadline exceeded and unavailable.
 */
const CUT_OFF = /^(E[A-Z]+|UND_ERR_\w+|ABORT_ERR|1|4|14)$/
const CUT_OFF_NAME = /abort|time.?out/i

/** The name and the code of an error. An error of `fetch` has the code in its cause. */
const partsOf = (error: unknown): { readonly name: string; readonly code: string } => {
  const fieldOf = (value: unknown, field: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
  const short = (value: unknown): string =>
    (typeof value === 'string' || typeof value === 'number') && /^[\w.-]{1,40}$/.test(String(value))
      ? String(value)
      : ''
  return {
    name: short(fieldOf(error, 'name')),
    code: short(fieldOf(error, 'code') ?? fieldOf(fieldOf(error, 'cause'), 'code')),
  }
}

/**
 * Describes an error for an owner or a log by its name and code only. The message of a puppet's error may
 * contain the text that was being sent, or the URL of a login.
 */
export const nameOf = (error: unknown): string => {
  const { name, code } = partsOf(error)
  return `${name} ${code}`.trim() || 'an error without a name'
}

/**
 * Nothing was sent, and the send may be repeated after `afterMs` milliseconds. The message is shown to an
 * owner.
 * `isLimit` is true only when the messenger certainly applied a rate limit.
 */
export class SendLater extends Error {
  readonly afterMs: number
  readonly isLimit: boolean
  constructor(why: string, afterMs: number, isLimit = false) {
    super(why)
    this.name = 'SendLater'
    this.afterMs = afterMs
    this.isLimit = isLimit
  }
}

/**
 * Translates the error of a send into an outcome. A refusal is `failed`. A broken connection is `unknown`,
 * because the message may have arrived.
 */
export const outcomeOf = (error: unknown, retryAfterMs: number): Delivery => {
  if (error instanceof SendLater)
    return {
      kind: 'retry',
      afterMs: error.afterMs,
      why: error.message,
      ...(error.isLimit ? { isLimit: true } : {}),
    }
  const { name, code } = partsOf(error)
  if (NEVER_CONNECTED.test(code))
    return { kind: 'retry', afterMs: retryAfterMs, why: `WeChat could not be reached (${nameOf(error)}).` }
  if (CUT_OFF.test(code) || CUT_OFF_NAME.test(name)) {
    return {
      kind: 'unknown',
      why: `The connection to WeChat broke while the message was being sent (${nameOf(error)}).`,
    }
  }
  return { kind: 'failed', why: `WeChat refused the message (${nameOf(error)}).` }
}

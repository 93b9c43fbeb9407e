import type { Delivery } from '../../src/model/channel.ts'

/** A connection that never came about: nothing can have been sent. Node's codes, and undici's. */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

/** A connection that ended or was too slow, with the message perhaps on its way. 1, 4 and 14 are gRPC's cancelled, deadline and unavailable. */
const CUT_OFF = /^(E[A-Z]+|UND_ERR_\w+|ABORT_ERR|1|4|14)$/
const CUT_OFF_NAME = /abort|time.?out/i

/** The name and code of an error. `fetch` hides the code in the cause. */
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
 * An error as an owner or a log may see it: its name and code, and no more.
 * A puppet's words may hold what was being sent, or the address of a login.
 */
export const nameOf = (error: unknown): string => {
  const { name, code } = partsOf(error)
  return `${name} ${code}`.trim() || 'an error without a name'
}

/**
 * A send that left nothing behind and may be tried again, in milliseconds. The message is for an owner's eyes.
 * `isLimit` only where it is surely the messenger that asks for less.
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

/** What a rejected send means. A plain refusal is a failure; where the connection broke, the message may have arrived. */
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

import { GrammyError, HttpError } from 'grammy'
import { unsentCode, withoutSecrets, type CallFailure } from '../../src/shared/chat/connection.ts'

/** An error before the first byte, by the system call that its message names. The message is not stored. */
const unsentReason = /reason: (?:connect|getaddrinfo) E[A-Z_]+/

/** Telegram never asks for a longer wait, and a timer can hold this value. */
const maxRetryAfterMs = 24 * 3_600_000

const stringField = (value: unknown, key: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const field: unknown = Reflect.get(value, key)
  return typeof field === 'string' && field !== '' ? field : undefined
}

/**
 * Reads any error of a call. `secrets` are the token and the text that was being sent. They are removed from
 * Telegram's description.
 */
export const readFailure = (error: unknown, secrets: readonly string[]): CallFailure => {
  if (error instanceof GrammyError && typeof error.error_code === 'number') {
    const raw = typeof error.description === 'string' ? error.description : 'no description'
    const retryAfterS: unknown = error.parameters.retry_after
    return {
      kind: 'refused',
      code: error.error_code,
      description: withoutSecrets(raw, secrets),
      ...(typeof retryAfterS === 'number' && retryAfterS >= 0
        ? { retryAfterMs: Math.min(retryAfterS * 1000, maxRetryAfterMs) }
        : {}),
    }
  }
  const inner: unknown = error instanceof HttpError ? error.error : error
  const code = (
    stringField(inner, 'code') ??
    stringField(inner, 'type') ??
    stringField(inner, 'name') ??
    'unknown'
  ).slice(0, 40)
  const isUnsent =
    error instanceof HttpError &&
    (unsentCode.test(code) || unsentReason.test(stringField(inner, 'message') ?? ''))
  return { kind: isUnsent ? 'unsent' : 'lost', code }
}

import { GrammyError, HttpError } from 'grammy'

/**
 * Why a Bot API call did not succeed. It contains neither the URL nor the payload, so all of it may be
 * logged.
 */
export type Failure =
  /** Telegram answered and refused the call. */
  | {
      readonly kind: 'refused'
      readonly code: number
      readonly description: string
      readonly retryAfterMs?: number
    }
  /** The request certainly never left this machine. */
  | { readonly kind: 'unsent'; readonly code: string }
  /** The connection broke or the answer could not be read. The request may have arrived. */
  | { readonly kind: 'lost'; readonly code: string }

/**
 * Errors of name look-up, connecting and checking the certificate. They occur before the first byte of a
 * request is sent.
 */
const unsentCode =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_TLS_CERT_ALTNAME_INVALID|ERR_INVALID_URL|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/
/**
 * Recognizes the same errors by the system call that the message names. The message is tested and not stored.
 */
const unsentReason = /reason: (?:connect|getaddrinfo) E[A-Z_]+/

const maxDescription = 200
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
export const readFailure = (error: unknown, secrets: readonly string[]): Failure => {
  if (error instanceof GrammyError && typeof error.error_code === 'number') {
    const raw = typeof error.description === 'string' ? error.description : 'no description'
    const description = secrets
      // A secret of up to three characters is also part of ordinary words, so it is not removed.
      .filter((secret) => secret.length > 3)
      .reduce((text, secret) => text.replaceAll(secret, '…'), raw)
      .slice(0, maxDescription)
    const retryAfterS: unknown = error.parameters.retry_after
    return {
      kind: 'refused',
      code: error.error_code,
      description,
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

/** The fields of a failure for a log entry. */
export const failureFields = (failure: Failure): Record<string, string | number> =>
  failure.kind === 'refused'
    ? { error_code: failure.code, description: failure.description }
    : { error_code: failure.code }

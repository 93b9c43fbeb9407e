import { GrammyError, HttpError } from 'grammy'

/** Why a Bot API call did not succeed. It holds neither URL nor payload, so it may be logged whole. */
export type Failure =
  /** Telegram answered, and said no. */
  | {
      readonly kind: 'refused'
      readonly code: number
      readonly description: string
      readonly retryAfterMs?: number
    }
  /** The request surely never left this machine. */
  | { readonly kind: 'unsent'; readonly code: string }
  /** The connection broke or the answer made no sense: the request may have arrived. */
  | { readonly kind: 'lost'; readonly code: string }

/** Errors of name look-up, connecting and checking the certificate: all come before the first byte of a request. */
const unsent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_TLS_CERT_ALTNAME_INVALID|ERR_INVALID_URL|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/
/** The same errors where the code alone does not tell: the message then names the system call. It is read here and not kept. */
const unsentReason = /reason: (?:connect|getaddrinfo) E[A-Z_]+/

const maxDescription = 200
/** Longer than Telegram ever asks, and well inside what a timer can hold. */
const maxRetryAfterMs = 24 * 3_600_000

const stringField = (value: unknown, key: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const field: unknown = Reflect.get(value, key)
  return typeof field === 'string' && field !== '' ? field : undefined
}

/** `secrets` are cut out of Telegram's own words: the token, and the text that was being sent. */
export const readFailure = (error: unknown, secrets: readonly string[]): Failure => {
  if (error instanceof GrammyError && typeof error.error_code === 'number') {
    const said = typeof error.description === 'string' ? error.description : 'no description'
    const description = secrets
      // Three characters would be cut out of ordinary words.
      .filter((secret) => secret.length > 3)
      .reduce((text, secret) => text.replaceAll(secret, '…'), said)
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
    (unsent.test(code) || unsentReason.test(stringField(inner, 'message') ?? ''))
  return { kind: isUnsent ? 'unsent' : 'lost', code }
}

export const failureFields = (failure: Failure): Record<string, string | number> =>
  failure.kind === 'refused'
    ? { error_code: failure.code, description: failure.description }
    : { error_code: failure.code }

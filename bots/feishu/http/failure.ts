/** Why a call did not succeed. It contains neither a secret nor a text, so all of it may be logged. */
export type CallFailure =
  /** Feishu answered and refused the call. `status` is the one of HTTP. */
  | {
      readonly kind: 'refused'
      readonly code: number
      readonly status: number
      readonly description: string
      readonly retryAfterMs?: number
    }
  /** The request certainly never left this machine. */
  | { readonly kind: 'unsent'; readonly code: string }
  /** The connection broke or the answer could not be read. The request may have arrived. */
  | { readonly kind: 'lost'; readonly code: string }

const maxDescription = 200

/** Codes of a token that Feishu no longer accepts. Source: the page "Common error codes". */
export const tokenCodes: ReadonlySet<number> = new Set([
  99991661, 99991663, 99991664, 99991668, 99991671, 99991677,
])

/**
 * Codes of looking up a name, connecting and checking the certificate. They occur before the first byte of a
 * request is sent.
 */
const unsentCode =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_ALTNAME_INVALID|ERR_INVALID_URL|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/

/** The error that a call of Feishu throws. The SDK passes it on unchanged. */
export const failed = (failure: CallFailure): Error & { readonly failure: CallFailure } =>
  Object.assign(new Error(`the call of Feishu failed (${failure.code})`), { failure })

const isFailed = (error: unknown): error is { readonly failure: CallFailure } =>
  typeof error === 'object' && error !== null && 'failure' in error

const codeIn = (error: unknown): string | undefined => {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? code.slice(0, 40) : undefined
}

/** The failure of a request that `fetch` gave up. */
export const brokenBy = (error: unknown): CallFailure => {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code = codeIn(cause) ?? codeIn(error) ?? (error instanceof Error ? error.name : 'unknown')
  return { kind: unsentCode.test(code) ? 'unsent' : 'lost', code }
}

/**
 * Reads any error of a call. `secrets` are the texts that were being sent. They are removed from Feishu's
 * description.
 */
export const readFailure = (error: unknown, secrets: readonly string[] = []): CallFailure => {
  if (!isFailed(error)) return { kind: 'lost', code: codeIn(error) ?? 'unknown' }
  const { failure } = error
  if (failure.kind !== 'refused') return failure
  const description = secrets
    // A secret of up to three characters is also part of ordinary words, so it is not removed.
    .filter((secret) => secret.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, '…'), failure.description)
    .slice(0, maxDescription)
  return { ...failure, description }
}

/** The fields of a failure for a log entry. */
export const failureFields = (failure: CallFailure): Record<string, string | number> =>
  failure.kind === 'refused'
    ? { error_code: failure.code, description: failure.description }
    : { error_code: failure.code }

import { unsentCode, withoutSecrets, type CallFailure } from '../../../src/shared/chat/connection.ts'

/** Codes of a token that Feishu no longer accepts. Source: the page "Common error codes". */
export const tokenCodes: ReadonlySet<number> = new Set([
  99991661, 99991663, 99991664, 99991668, 99991671, 99991677,
])

/** Codes of `fetch` for a connection that was never made. */
const unconnectedCode = /^(EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

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
  const isUnsent = unsentCode.test(code) || unconnectedCode.test(code)
  return { kind: isUnsent ? 'unsent' : 'lost', code }
}

/**
 * Reads any error of a call. `secrets` are the texts that were being sent. They are removed from Feishu's
 * description.
 */
export const readFailure = (error: unknown, secrets: readonly string[] = []): CallFailure => {
  if (!isFailed(error)) return { kind: 'lost', code: codeIn(error) ?? 'unknown' }
  const { failure } = error
  if (failure.kind !== 'refused') return failure
  return { ...failure, description: withoutSecrets(failure.description, secrets) }
}

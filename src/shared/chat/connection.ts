import { prose, type Prose } from '../../core/model/chat/prose.ts'
import type { FailedDelivery } from '../../core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../core/model/chat/push.ts'

/** Why a call of a messenger failed. It contains neither a secret nor a text, so all of it may be logged. */
export type CallFailure =
  /** The messenger answered and refused the call. `status` is the one of HTTP, where `code` is another. */
  | {
      readonly kind: 'refused'
      readonly code: number
      readonly status?: number
      readonly description: string
      readonly retryAfterMs?: number
    }
  /** The request certainly never left this machine. */
  | { readonly kind: 'unsent'; readonly code: string }
  /** The connection broke or the answer could not be read. The request may have arrived. */
  | { readonly kind: 'lost'; readonly code: string }

export type CallRefusal = Extract<CallFailure, { kind: 'refused' }>

const maxDescription = 200
/** The wait before a send is repeated that certainly did no harm. */
const retryMs = 2000

/**
 * Error codes of looking up a name, connecting and checking the certificate. They occur before the first byte
 * of a request is sent.
 */
export const unsentCode =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_TLS_CERT_ALTNAME_INVALID|ERR_INVALID_URL|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/

/**
 * Texts that a messenger may quote in an error and that no log entry may contain. The longest comes first,
 * because one may contain another.
 */
export const secretsOf = (
  secret: string,
  { text, parts, buttons = [] }: OutgoingMessage,
): readonly string[] =>
  [secret, text, ...parts.map((part) => part.text), ...buttons.flat().map(({ press }) => press)].toSorted(
    (a, b) => b.length - a.length,
  )

/** A description of a messenger without secrets, and of bounded length. */
export const withoutSecrets = (description: string, secrets: readonly string[]): string =>
  secrets
    // A secret of up to three characters is also part of ordinary words, so it is not removed.
    .filter((secret) => secret.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, '…'), description)
    .slice(0, maxDescription)

/** The fields of a failure for a log entry. */
export const failureFields = (failure: CallFailure): Record<string, string | number> =>
  failure.kind === 'refused'
    ? { error_code: failure.code, description: failure.description }
    : { error_code: failure.code }

/** How a messenger's refusals are read. */
export interface Refusals {
  /** The messenger's name for people. */
  readonly name: string
  isLimit(refusal: CallRefusal): boolean
  /** True for a trouble within the messenger, which passes. */
  isPassing(refusal: CallRefusal): boolean
  /** A plain sentence for a refusal that a person can act on. */
  plainText(refusal: CallRefusal): string | undefined
}

/**
 * Translates a failed call into the outcome of a message. `isRepeatable`: a second call does no harm even if
 * the first one arrived.
 */
export const failedDelivery = (
  failure: CallFailure,
  isRepeatable: boolean,
  { name, isLimit, isPassing, plainText }: Refusals,
): FailedDelivery => {
  if (failure.kind === 'unsent')
    return { kind: 'retry', afterMs: retryMs, why: `${name} cannot be reached (${failure.code}).` }
  if (failure.kind === 'lost') {
    const why = `The connection to ${name} broke before the answer arrived (${failure.code}).`
    return isRepeatable ? { kind: 'retry', afterMs: retryMs, why } : { kind: 'unknown', why }
  }
  const why = `${name} answered ${failure.code}: ${failure.description}`
  if (isLimit(failure)) return { kind: 'retry', afterMs: failure.retryAfterMs ?? retryMs, why, isLimit: true }
  if (isPassing(failure)) return { kind: 'retry', afterMs: retryMs, why }
  return { kind: 'failed', why: plainText(failure) ?? why }
}

/** The data of a button, which a messenger returns when it is tapped. */
export const pressForm = /^[A-Za-z0-9_-]{1,40}$/

/** Says why a push is refused that has what only a notice may have. Undefined when all is well. */
export const refuseNoticeForm = ({
  kind,
  buttons = [],
  replaces,
  isAnchor,
  isPinned,
  asksReply,
}: OutgoingMessage): string | undefined =>
  kind === 'notice' ||
  (buttons.length === 0 && [replaces, isAnchor, isPinned, asksReply].every((field) => field === undefined))
    ? undefined
    : 'Expected a push without buttons, without a message to replace, without a pin and without a request for a reply, got one that has them. Only a notice may have them.'

/** Says why a file is empty or too large. Undefined when it is not. A MB has 1024 × 1024 bytes here. */
export const refuseFileSize = ({ size }: File, what: string, maxMb: number): string | undefined => {
  if (size === 0) return `Expected ${what} that is not empty, got 0 bytes. Send it when it is written.`
  return size <= maxMb * 1024 * 1024
    ? undefined
    : `Expected ${what} of at most ${maxMb} MB, got ${(Math.ceil(size / 1024 / 102.4) / 10).toFixed(1)} MB. Send a smaller one.`
}

const minDelayMs = 1000
const maxDelayMs = 60_000
/** Nobody corrects a secret within seconds, and more frequent calls would look like an attack on it. */
const refusedSecretDelayMs = 5 * 60_000
/** Shorter outages are normal, for example while a server restarts, so the owner does not hear of them. */
const tellAwayAfterMs = 30_000
/** Two pollers take turns, so one good poll does not show that the other program has stopped. */
const settleMs = 60_000

interface HealthPorts<T extends string> {
  /** What the owner is told of each trouble. */
  readonly texts: Readonly<Record<T | 'away', Prose>>
  troubleOf(refusal: CallRefusal): T | 'away'
  /** Troubles that only a person ends, so the next call comes much later. */
  readonly slow: readonly T[]
  /** Troubles that come and go while they last. */
  readonly settling?: readonly string[]
  elapsedMs(): number
  trouble(why: Prose, isBack: boolean): void
}

/** Follows the state of a connection: how long to wait, and what the owner is told, each trouble once. */
export const createConnectionHealth = <T extends string>({
  texts,
  troubleOf,
  slow,
  settling = [],
  elapsedMs,
  trouble: tell,
}: HealthPorts<T>) => {
  const told = new Set<string>()
  let failures = 0
  let goodSinceMs: number | undefined
  let awaySinceMs: number | undefined
  let undeliveredSinceMs: number | undefined

  const report = (trouble: string, why: Prose): void => {
    goodSinceMs = undefined
    if (told.has(trouble)) return
    told.add(trouble)
    tell(why, false)
  }

  return {
    /** Call this when the connection stands. */
    reportSuccess: (): void => {
      awaySinceMs = undefined
      undeliveredSinceMs = undefined
      goodSinceMs ??= elapsedMs()
      if (settling.some((trouble) => told.has(trouble)) && elapsedMs() - goodSinceMs < settleMs) return
      failures = 0
      if (told.size === 0) return
      told.clear()
      tell(prose`connected again. Messages arrive and leave.`, true)
    },
    /** Call this when a call failed or the connection ended. Returns the wait before the next, in ms. */
    reportFailure: (failure: CallFailure): number => {
      goodSinceMs = undefined
      failures += 1
      const trouble = failure.kind === 'refused' ? troubleOf(failure) : 'away'
      if (trouble === 'away') {
        awaySinceMs ??= elapsedMs()
        if (elapsedMs() - awaySinceMs >= tellAwayAfterMs) report('away', texts.away)
      } else {
        awaySinceMs = undefined
        report(trouble, texts[trouble])
        if (slow.includes(trouble)) return refusedSecretDelayMs
      }
      const delayMs = Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(failures - 1, 10))
      return Math.max(delayMs, failure.kind === 'refused' ? (failure.retryAfterMs ?? 0) : 0)
    },
    /** Reports a trouble that a person has to correct. */
    reportObstacle: report,
    /** Messages do not arrive although calls work. The owner is told when it lasts 30 seconds. */
    reportUndelivered: (why: Prose): void => {
      awaySinceMs = undefined
      undeliveredSinceMs ??= elapsedMs()
      if (elapsedMs() - undeliveredSinceMs >= tellAwayAfterMs) report('undelivered', why)
    },
  }
}

export type ConnectionHealth = ReturnType<typeof createConnectionHealth>

import type { Delivery } from '../../src/model/channel.ts'
import { readFailure, type Failure } from './failure.ts'
import { type CallSignal, type Timers, within } from './timers.ts'

const callTimeoutMs = 30_000
const retryMs = 2000

/** What one Bot API call came to. */
export type Called<T> = { readonly value: T } | { readonly failure: Failure }

/** Runs one call within 30 s. `secrets` are cut out of what Telegram says about it. Never rejects. */
export const call = async <T>(timers: Timers, secrets: readonly string[], run: (signal: CallSignal) => Promise<T>): Promise<Called<T>> => {
  try {
    return { value: await within(timers, callTimeoutMs, run) }
  } catch (error) {
    return { failure: readFailure(error, secrets) }
  }
}

export const isRefused = (failure: Failure, code: number, words = /(?:)/): boolean =>
  failure.kind === 'refused' && failure.code === code && words.test(failure.description)

/** What a failed call means for a parcel. `isRepeatable`: a second call does no harm even if the first one arrived. */
export const deliveryOf = (failure: Failure, isRepeatable = false): Exclude<Delivery, { kind: 'delivered' }> => {
  if (failure.kind === 'unsent') return { kind: 'retry', afterMs: retryMs, why: `Telegram cannot be reached (${failure.code}).` }
  if (failure.kind === 'lost') {
    const why = `The connection to Telegram broke before its answer came (${failure.code}).`
    return isRepeatable ? { kind: 'retry', afterMs: retryMs, why } : { kind: 'unknown', why }
  }
  const said = `Telegram answered ${failure.code}: ${failure.description}`
  if (failure.code === 429) return { kind: 'retry', afterMs: failure.retryAfterMs ?? retryMs, why: said, isLimit: true }
  return failure.code >= 500 ? { kind: 'retry', afterMs: retryMs, why: said } : { kind: 'failed', why: said }
}

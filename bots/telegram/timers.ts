import type { Api } from 'grammy'

/**
 * grammY's type for an abort signal. Node's signal has everything that grammY uses; only the declared types
 * differ.
 */
export type CallSignal = NonNullable<Parameters<Api['getMe']>[0]>
export const callSignal = (signal: AbortSignal): CallSignal => signal as unknown as CallSignal

/** All waits of this bot use these timers, so that a test can control the time. */
export interface Timers {
  /** Runs `run` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

export const systemTimers: Timers = {
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms` or when `signal` aborts, whichever is first. Never rejects. */
export const pause = (timers: Timers, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = timers.after(ms, end)
    signal.addEventListener('abort', end)
  })

/** Calls `run` with a signal that aborts after `ms` or together with `parent`. */
export const within = async <T>(
  timers: Timers,
  ms: number,
  run: (signal: CallSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const cancel = timers.after(ms, abort)
  parent?.addEventListener('abort', abort)
  try {
    if (parent?.aborted === true) abort()
    return await run(callSignal(controller.signal))
  } finally {
    cancel()
    parent?.removeEventListener('abort', abort)
  }
}

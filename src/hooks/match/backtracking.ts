import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BacktrackingPattern } from './pattern.ts'

const worker = `
const { parentPort } = require('node:worker_threads')
const compiled = new Map()
parentPort.on('message', ({ source, flags, text }) => {
  const key = flags + '/' + source
  if (!compiled.has(key)) compiled.set(key, new RegExp(source, flags))
  parentPort.postMessage(compiled.get(key).test(text))
})
parentPort.postMessage('ready')`

/** A thread that has not started by then counts as failed. In milliseconds. */
const startWithinMs = 5000
/** A test that waited this long behind patterns that did not finish counts as a match. In milliseconds. */
const maxWaitMs = 1000

/**
 * Runs patterns that only a backtracking engine supports, one at a time, in a thread that is killed after
 * `limitMs`. A pattern that does not finish counts as a match: a matcher only avoids asking the hook and
 * never answers for it.
 */
export interface Backtracking {
  /** Never rejects. */
  test(pattern: BacktrackingPattern, text: string): Promise<boolean>
  stop(): Promise<void>
}

export const createBacktracking = (limitMs = 100): Backtracking => {
  let thread: Worker | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const start = async (): Promise<Worker> => {
    if (thread !== undefined) return thread
    const started = (thread = new Worker(worker, { eval: true }))
    started.unref()
    // `once` reports an error to the caller. Without a listener, an error would end the gate.
    started.on('error', () => undefined)
    // The start of the thread does not count as the pattern's time.
    await once(started, 'message', { signal: AbortSignal.timeout(startWithinMs) })
    return started
  }

  const end = async (): Promise<void> => {
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }

  const run = async ({ source, flags }: BacktrackingPattern, text: string): Promise<boolean> => {
    try {
      const started = await start()
      const answer = once(started, 'message', { signal: AbortSignal.timeout(limitMs) })
      started.postMessage({ source, flags, text })
      const [isHit] = (await answer) as [boolean]
      return isHit
    } catch {
      await end()
      return true
    }
  }

  return {
    test: (pattern, text) => {
      const askedAtMs = performance.now()
      const result = turn.then(() => performance.now() - askedAtMs > maxWaitMs || run(pattern, text))
      turn = result
      return result
    },
    stop: end,
  }
}

import { createMutex } from '../../core/model/base/mutex.ts'
import { createAnsweringWorker } from '../../shared/worker/restartable-worker.ts'
import type { BacktrackingPattern } from '../../core/model/base/pattern.ts'

const body = `
import { parentPort } from 'node:worker_threads'
const compiled = new Map()
parentPort.on('message', ({ source, flags, text }) => {
  const key = flags + '/' + source
  if (!compiled.has(key)) compiled.set(key, new RegExp(source, flags))
  parentPort.postMessage(compiled.get(key).test(text))
})
parentPort.postMessage('ready')`
const program = new URL(`data:text/javascript,${encodeURIComponent(body)}`)
const maxMb = 256
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
  const worker = createAnsweringWorker(program, maxMb)
  const inTurn = createMutex()

  const run = async ({ source, flags }: BacktrackingPattern, text: string): Promise<boolean> => {
    try {
      return (await worker.ask({ source, flags, text }, limitMs)) === true
    } catch {
      return true
    }
  }

  return {
    test: (pattern, text) => {
      const askedAtMs = performance.now()
      return inTurn(() => performance.now() - askedAtMs > maxWaitMs || run(pattern, text))
    },
    stop: worker.kill,
  }
}

/**
 * This module is the body of the thread that reads sessions. An agent can write them, so the thread has
 * little memory and can be killed.
 */
import { workerData } from 'node:worker_threads'
import { unitsOf } from '../../core/model/base/yield-if-large.ts'
import { workerPort } from '../../shared/worker/worker-body.ts'
import { readCalls, type PastCall, type SessionProgress, type SessionQuery } from './read.ts'

/** Some calls, in answer to each message of the owner of the thread. */
export interface SessionBatch extends SessionProgress {
  readonly calls: readonly PastCall[]
  readonly isEnd: boolean
}

const port = workerPort()
const maxCalls = 200
const maxUnits = 4 * 1024 * 1024
/** The time after which it tells how far it is, in milliseconds. */
const maxMs = 50
const { calls, progress } = readCalls(workerData as SessionQuery)

port.on('message', () => {
  const endsAtMs = performance.now() + maxMs
  const some: PastCall[] = []
  let isEnd = false
  let units = 0
  while (!isEnd && some.length < maxCalls && units < maxUnits && performance.now() < endsAtMs) {
    const next = calls.next()
    if (next.done === true) isEnd = true
    else if (next.value !== undefined) {
      some.push(next.value)
      units += unitsOf(next.value.input, maxUnits)
    }
  }
  port.postMessage({ ...progress(), calls: some, isEnd } satisfies SessionBatch)
})

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { messageOf } from '../../core/model/gate/problem.ts'
import type { SessionQuery } from './read.ts'
import type { SessionBatch } from './thread.ts'

const body = new URL(`./thread${extname(import.meta.url)}`, import.meta.url)

/** The calls that agents made before, as their clients keep them. */
export interface ClientSessions {
  /** Reads on. `ended`: the thread ended early, for this reason. Never rejects. */
  next(): Promise<SessionBatch & { readonly ended?: string }>
  stop(): Promise<void>
}

/** Reads sessions in a thread of its own. Nothing is read before it is asked for. */
export const openSessions = (query: SessionQuery): ClientSessions => {
  const worker = new Worker(body, {
    workerData: query,
    env: {},
    // Node 22 says that its SQLite is experimental.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  let last: SessionBatch = { calls: [], files: 0, filesRead: 0, problems: [], isEnd: true }
  let ended: string | undefined
  let answer: (() => void) | undefined
  const end = (why: string): void => {
    ended ??= why
    last = { ...last, calls: [], isEnd: true }
    answer?.()
  }
  worker.on('message', (batch: SessionBatch) => {
    last = batch
    answer?.()
  })
  worker.on('error', (error) => end(messageOf(error)))
  worker.on('exit', () => end('its thread ended'))
  return {
    next: async () => {
      if (ended === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>()
        answer = resolve
        worker.postMessage('next')
        await promise
      }
      return { ...last, ended }
    },
    stop: async () => void (await worker.terminate()),
  }
}

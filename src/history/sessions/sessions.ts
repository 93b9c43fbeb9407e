import { extname } from 'node:path'
import { createRestartableWorker } from '../../shared/worker/restartable-worker.ts'
import type { SessionQuery } from './read.ts'
import type { SessionBatch } from './thread.ts'

const program = new URL(`./thread${extname(import.meta.url)}`, import.meta.url)

/** The calls that agents made before, as their clients keep them. */
export interface ClientSessions {
  /** Reads on. `ended`: the thread ended early, for this reason. Never rejects. */
  next(): Promise<SessionBatch & { readonly ended?: string }>
  stop(): Promise<void>
}

/** Reads sessions in a thread of its own. Nothing is read before it is asked for. */
export const openSessions = (query: SessionQuery): ClientSessions => {
  let last: SessionBatch = { calls: [], files: 0, filesRead: 0, problems: [], isEnd: true }
  let ended: string | undefined
  let answer: (() => void) | undefined
  const end = (why: string): void => {
    ended ??= why
    last = { ...last, calls: [], isEnd: true }
    answer?.()
  }
  const worker = createRestartableWorker<'next', SessionBatch>({
    program,
    data: query,
    limits: { maxOldGenerationSizeMb: 512 },
    keepsProcess: true,
    receive: (batch) => {
      last = batch
      answer?.()
    },
    lost: end,
  })
  return {
    next: async () => {
      if (ended === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>()
        answer = resolve
        worker.post('next')
        await promise
      }
      return { ...last, ended }
    },
    stop: () => {
      end('its thread ended')
      return worker.kill()
    },
  }
}

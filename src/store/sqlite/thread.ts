import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { messageOf, ProblemError } from '../../core/model/gate/problem.ts'
import { commonFailures, requestsBy, type Engine } from '../engine.ts'
import type { Op, StatementReply } from '../operations.ts'
import type { DatabaseOptions } from './database.ts'
import type { FromThread, ToThread } from './worker.ts'

export interface ThreadOptions {
  /** The module with the thread's body. */
  readonly body: URL
  readonly database: DatabaseOptions
  /** The time limit for one batch or for opening the file. After it, every waiting caller gets an error. */
  readonly deadlineMs: number
  /** Called after a damaged file was moved aside. `notice` is the text for the owner. */
  readonly onRecovered: (notice: string) => void
}

interface WaitingBatch {
  readonly ops: readonly Op[]
  readonly resolve: (replies: readonly StatementReply[]) => void
  readonly reject: (error: Error) => void
}

/**
 * The most calls in one batch. Under load the thread gets the next batch before the callers of the last one
 * continue, so both sides work at once.
 */
const fullBatch = 64

/**
 * Node 22 prints a warning that its SQLite is experimental. The person at the console cannot do anything
 * about it.
 */
const quiet = ['--disable-warning=ExperimentalWarning']

/** The errors that a caller can get. Each says what to do. */
const failuresOf = (file: string) => {
  const failure = (
    code: string,
    message: string,
    fix = 'Check the free space, the permissions and the health of its disk. Then try again.',
  ): Error => new ProblemError({ code, message, fix, file })
  return {
    ...commonFailures(failure),
    refused: (why: string): Error => failure('store.open', `Expected to open the store, got "${why}".`),
    died: (why: string): Error =>
      failure(
        'store.died',
        `Expected the store's thread to answer, but it ended (${why}). The request may or may not have been carried out.`,
      ),
    unstarted: (error: unknown): Error =>
      failure('store.open', `Expected to start the store's thread, got "${messageOf(error)}".`),
  }
}

/**
 * The caller's side of the worker thread. While one batch is written, new calls gather in the next batch,
 * which follows at once when it is full. The busier the store is, the more calls share one commit. When the
 * thread dies, every call that waits is rejected, and the next call starts another thread.
 */
export const createThread = ({ body, database, deadlineMs, onRecovered }: ThreadOptions): Engine => {
  let worker: Worker | undefined
  let isOpen = false
  let isScheduled = false
  let isStopped = false
  let waiting: WaitingBatch[] = []
  let sent: (readonly WaitingBatch[])[] = []
  const failures = failuresOf(database.path)

  const fail = (error: Error): void => {
    const lost = [...sent.flat(), ...waiting]
    worker = undefined
    isOpen = false
    sent = []
    waiting = []
    for (const each of lost) each.reject(error)
  }

  /** It does nothing when no answer is waited for any more: each batch would have to stop it otherwise. */
  const deadline = setTimeout(() => {
    if (worker === undefined || (isOpen && sent.length === 0)) return
    const late = worker
    fail(failures.late(deadlineMs))
    late?.unref()
    late?.terminate().catch(() => undefined)
  }, deadlineMs).unref()

  const settle = (replies: readonly StatementReply[]): void => {
    const answered = sent.shift() ?? []
    if (sent.length > 0) deadline.refresh()
    pump()
    let from = 0
    for (const { ops, resolve } of answered) resolve(replies.slice(from, (from += ops.length)))
  }

  const take = (message: FromThread): void => {
    switch (message.kind) {
      case 'opened':
        isOpen = true
        if (message.recovered !== undefined) onRecovered(message.recovered)
        pump()
        break
      case 'refused':
        fail(failures.refused(message.why))
        break
      case 'done':
        settle(message.replies)
        break
    }
  }

  const start = (): void => {
    try {
      // The thread gets no environment variables, because it needs none.
      const fresh = new Worker(body, { workerData: database, env: {}, name: 'store', execArgv: quiet })
      let why = 'it ended'
      worker = fresh
      deadline.refresh()
      fresh.on('message', (message: FromThread) => {
        if (fresh === worker) take(message)
      })
      fresh.on('error', (error) => {
        why = messageOf(error)
      })
      fresh.on('exit', () => {
        if (fresh === worker) fail(failures.died(why))
      })
    } catch (error) {
      fail(failures.unstarted(error))
    }
  }

  const post = (message: ToThread): void => worker?.postMessage(message)

  const pump = (): void => {
    if (sent.length > 1 || waiting.length === 0) return
    if (sent.length === 1 && waiting.length < fullBatch) return
    if (worker === undefined) start()
    if (!isOpen) return
    const batch = waiting.splice(0, fullBatch)
    sent.push(batch)
    deadline.refresh()
    post(batch.flatMap(({ ops }) => ops))
  }

  /**
   * A batch is sent when it is full or when the current turn of the event loop ends. All writers of a turn
   * share it.
   */
  const schedule = (): void => {
    if (waiting.length >= fullBatch) pump()
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      pump()
    })
  }

  const ask = (ops: readonly Op[]): Promise<readonly StatementReply[]> =>
    new Promise((resolve, reject) => {
      waiting.push({ ops, resolve, reject })
      schedule()
    })

  return {
    ...requestsBy(ask, () => isStopped, failures),
    stop: async () => {
      isStopped = true
      // Ops keep their order, so the answer to this one means that all others were answered.
      if (waiting.length + sent.length > 0) await ask([]).catch(() => undefined)
      const last = worker
      if (last === undefined) return
      const ended = once(last, 'exit', { signal: AbortSignal.timeout(deadlineMs) })
      post('close')
      await ended.catch(() => last.unref())
    },
  }
}

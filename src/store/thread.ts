import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ProblemError } from '../model/problem.ts'
import type { DatabaseOptions } from './database.ts'
import type { Op, Row, SqlValue, StatementName } from './statements.ts'
import type { FromThread, ToThread } from './worker.ts'

export interface Thread {
  /** Resolves when what the statement did is committed. Ops are done in the order of their calls. */
  run(statement: StatementName, ...values: readonly SqlValue[]): Promise<readonly Row[]>
  /** Lets what was asked before finish, then ends the thread. Never rejects. */
  stop(): Promise<void>
}

export interface ThreadOptions {
  /** The file with the thread's body. */
  readonly body: URL
  readonly database: DatabaseOptions
  /** How long one batch, or the opening of the file, may take before everyone who waits is told. */
  readonly deadlineMs: number
  /** A damaged file was moved aside; `words` are for the owner. */
  readonly onRecovered: (words: string) => void
  /** A batch is about to leave: what is asked now goes with it. */
  readonly beforeBatch?: () => void
}

interface Waiting {
  readonly op: Op
  readonly resolve: (rows: readonly Row[]) => void
  readonly reject: (error: Error) => void
}

const maxBatch = 1000

/** Node 22 calls its SQLite experimental, on the console of a person who can do nothing about it. */
const quiet = ['--disable-warning=ExperimentalWarning']

/**
 * The caller's side of the worker thread. One batch is under way at a time, and what is asked meanwhile makes up the next:
 * the busier it is, the more share one commit. A thread that dies rejects everyone who waits; the next call starts another.
 */
export const createThread = ({ body, database, deadlineMs, onRecovered, beforeBatch }: ThreadOptions): Thread => {
  let worker: Worker | undefined
  let isOpen = false
  let isScheduled = false
  let isStopped = false
  let waiting: Waiting[] = []
  let sent: Waiting[] = []
  let deadline: NodeJS.Timeout | undefined

  const failure = (code: string, message: string, fix = 'Look at its disk: free space, rights, health. Then try again.'): Error =>
    new ProblemError({ code, message, fix, file: database.path })

  const fail = (error: Error): void => {
    clearTimeout(deadline)
    const lost = [...sent, ...waiting]
    worker = undefined
    isOpen = false
    sent = []
    waiting = []
    for (const each of lost) each.reject(error)
  }

  const armDeadline = (): void => {
    clearTimeout(deadline)
    deadline = setTimeout(() => {
      const late = worker
      fail(failure('store.late', `Expected the store to answer within ${deadlineMs} ms, got no answer; what was asked may have been done or not.`))
      late?.unref()
      late?.terminate().catch(() => undefined)
    }, deadlineMs)
  }

  const settle = (replies: Extract<FromThread, { kind: 'done' }>['replies']): void => {
    clearTimeout(deadline)
    const answered = sent
    sent = []
    for (const [index, { op, resolve, reject }] of answered.entries()) {
      const reply = replies[index] ?? { error: 'no reply' }
      if ('rows' in reply) resolve(reply.rows)
      else reject(failure('store.failed', `Expected the store to do ${op.statement}, got "${reply.error}".`))
    }
    schedule()
  }

  const take = (message: FromThread): void => {
    switch (message.kind) {
      case 'opened':
        isOpen = true
        clearTimeout(deadline)
        if (message.recovered !== undefined) onRecovered(message.recovered)
        pump()
        break
      case 'refused':
        fail(failure('store.open', `Expected to open the store, got "${message.why}".`))
        break
      case 'done':
        settle(message.replies)
        break
    }
  }

  const start = (): void => {
    try {
      // No environment: this thread has no use for what it may hold.
      const fresh = new Worker(body, { workerData: database, env: {}, name: 'store', execArgv: quiet })
      let why = 'it ended'
      worker = fresh
      armDeadline()
      fresh.on('message', (message: FromThread) => {
        if (fresh === worker) take(message)
      })
      fresh.on('error', (error) => {
        why = error instanceof Error ? error.message : String(error)
      })
      fresh.on('exit', () => {
        if (fresh === worker) fail(failure('store.died', `Expected the store's thread to answer, got its end (${why}); what was asked may have been done or not.`))
      })
    } catch (error) {
      fail(failure('store.open', `Expected to start the store's thread, got "${error instanceof Error ? error.message : String(error)}".`))
    }
  }

  const post = (message: ToThread): void => worker?.postMessage(message)

  const pump = (): void => {
    isScheduled = false
    if (sent.length > 0 || waiting.length === 0) return
    if (worker === undefined) start()
    if (!isOpen) return
    beforeBatch?.()
    sent = waiting.splice(0, maxBatch)
    armDeadline()
    post(sent.map(({ op }) => op))
  }

  /** After the current turn of the event loop, so that everyone who writes in it shares the batch. */
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(pump)
  }

  const ask = async (statement: StatementName, values: readonly SqlValue[]): Promise<readonly Row[]> =>
    new Promise((resolve, reject) => {
      waiting.push({ op: { statement, values }, resolve, reject })
      schedule()
    })

  return {
    run: async (statement, ...values) => {
      if (isStopped) throw failure('store.closed', `Expected an open store for ${statement}, got one that was closed.`, 'Close it last.')
      return ask(statement, values)
    },
    stop: async () => {
      isStopped = true
      // Ops keep their order, so the answer to this one means that all others were answered.
      if (waiting.length + sent.length > 0) await ask('getFact', ['']).catch(() => undefined)
      const last = worker
      if (last === undefined) return
      const ended = once(last, 'exit', { signal: AbortSignal.timeout(deadlineMs) })
      post('close')
      await ended.catch(() => last.unref())
    },
  }
}

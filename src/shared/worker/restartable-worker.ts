import { messageOf } from '../../core/model/gate/problem.ts'

const { once } = process.getBuiltinModule('node:events')
const { Worker } = process.getBuiltinModule('node:worker_threads')

type Worker = InstanceType<typeof Worker>

export interface WorkerOptions<FromWorker> {
  readonly program: URL
  /** What the program finds as `workerData`. */
  readonly data?: unknown
  /** In megabytes. */
  readonly limits?: { readonly maxOldGenerationSizeMb: number; readonly maxYoungGenerationSizeMb?: number }
  /** The process does not end by itself while the worker runs. */
  readonly keepsProcess?: true
  receive(message: FromWorker): void
  /** The worker ended, and `kill` or `close` was not called. */
  lost(why: string): void
}

/** A worker thread that is started when it is needed, and started again after it ended. */
export interface RestartableWorker<ToWorker> {
  /** Throws when no thread can be started. */
  start(): void
  /** Starts the worker where none runs. */
  post(message: ToWorker): void
  threadId(): number | undefined
  /** What it says from now on is not heard. The next message goes to another one. */
  kill(): Promise<void>
  /**
   * The worker ends by itself after this message, or is ended after `withinMs`. Until then it is heard, and
   * the next message goes to another one.
   */
  close(message: ToWorker, withinMs: number): Promise<void>
}

/** The worker gets no variables of the gate, because it needs none. */
export const createRestartableWorker = <ToWorker, FromWorker>({
  program,
  data,
  limits,
  keepsProcess,
  receive,
  lost,
}: WorkerOptions<FromWorker>): RestartableWorker<ToWorker> => {
  let running: Worker | undefined
  const killed = new WeakSet<Worker>()
  const start = (): Worker => {
    if (running !== undefined) return running
    const started = (running = new Worker(program, {
      workerData: data,
      env: {},
      // Node 22 says that its SQLite is experimental, and nobody at the console can change that.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      ...(limits === undefined ? {} : { resourceLimits: limits }),
    }))
    let why = 'its thread ended'
    if (keepsProcess !== true) started.unref()
    started.on('message', (message: FromWorker) => {
      if (!killed.has(started)) receive(message)
    })
    started.on('error', (error) => (why = messageOf(error)))
    started.on('exit', () => {
      if (running !== started) return
      running = undefined
      lost(why)
    })
    return started
  }
  const forget = (): Worker | undefined => {
    const forgotten = running
    running = undefined
    return forgotten
  }
  return {
    start: () => void start(),
    post: (message) => start().postMessage(message),
    threadId: () => running?.threadId,
    kill: async () => {
      const ending = forget()
      if (ending === undefined) return
      killed.add(ending)
      ending.unref()
      await ending.terminate()
    },
    close: async (message, withinMs) => {
      const closing = forget()
      if (closing === undefined) return
      const late = setTimeout(() => void closing.terminate(), withinMs)
      closing.postMessage(message)
      await once(closing, 'exit').catch(() => undefined)
      clearTimeout(late)
    },
  }
}

/** The worker did not answer in time. */
export class LateAnswer extends Error {}

const startWithinMs = 10_000

/** A worker that answers one question at a time. Its program calls `answerQuestions`. */
export interface AnsweringWorker {
  /**
   * Rejects when the worker dies, when the answer is late, and when the caller cancels. The worker is killed
   * then, because a late answer would be taken for the one to the next question.
   */
  ask(question: unknown, withinMs: number, signal?: AbortSignal): Promise<unknown>
  threadId(): number | undefined
  kill(): Promise<void>
}

/** When a question makes the program fill the memory, only the worker ends, not the gate. */
export const createAnsweringWorker = (program: URL, maxMb: number, data?: unknown): AnsweringWorker => {
  let waiting: PromiseWithResolvers<unknown> | undefined
  const worker = createRestartableWorker<unknown, unknown>({
    program,
    data,
    limits: { maxOldGenerationSizeMb: maxMb },
    receive: (message) => waiting?.resolve(message),
    lost: (why) => waiting?.reject(new Error(why)),
  })
  const next = async (withinMs: number, signal?: AbortSignal): Promise<unknown> => {
    const answer = (waiting = Promise.withResolvers<unknown>())
    const timer = setTimeout(() => answer.reject(new LateAnswer()), Math.max(1, withinMs))
    const cancel = (): void => answer.reject(new Error('it was stopped'))
    signal?.addEventListener('abort', cancel)
    if (signal?.aborted === true) cancel()
    try {
      return await answer.promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  }
  return {
    ask: async (question, withinMs, signal) => {
      try {
        if (worker.threadId() === undefined) {
          worker.start()
          await next(startWithinMs).catch((error: unknown) => {
            throw new Error(`it did not start: ${messageOf(error)}`)
          })
        }
        worker.post(question)
        return await next(withinMs, signal)
      } catch (error) {
        await worker.kill()
        throw error
      }
    },
    threadId: worker.threadId,
    kill: () => {
      waiting?.reject(new Error('it was stopped'))
      return worker.kill()
    },
  }
}

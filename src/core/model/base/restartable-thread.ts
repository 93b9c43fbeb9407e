import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { messageOf } from '../gate/problem.ts'

const startWithinMs = 10_000

/** A thread that is started when it is needed and killed when it does not reply. */
export interface RestartableThread {
  /**
   * Sends one request at a time. Rejects when the thread dies, when the reply is late, and when the caller
   * cancels.
   */
  ask(question: unknown, withinMs: number, signal: AbortSignal | undefined): Promise<unknown>
  threadId(): number | undefined
  end(): Promise<void>
}

export const createRestartableThread = (program: URL, maxMb: number): RestartableThread => {
  let running: Worker | undefined

  const start = async (): Promise<Worker> => {
    if (running !== undefined) return running
    // When a text makes a rule fill the memory, only the thread ends, not the gate.
    const started = (running = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: maxMb },
      execArgv: [],
      env: {},
    }))
    started.unref()
    started.on('error', () => undefined)
    started.on('exit', () => {
      if (running === started) running = undefined
    })
    await once(started, 'message', { signal: AbortSignal.timeout(startWithinMs) }).catch((error: unknown) => {
      throw new Error(`it did not start: ${messageOf(error)}`)
    })
    return started
  }

  return {
    ask: async (question, withinMs, signal) => {
      const started = await start()
      const timer = AbortSignal.timeout(Math.max(1, Math.floor(withinMs)))
      const answer = once(started, 'message', {
        signal: signal === undefined ? timer : AbortSignal.any([timer, signal]),
      })
      started.postMessage(question)
      return ((await answer) as readonly unknown[])[0]
    },
    threadId: () => running?.threadId,
    end: async () => {
      const ended = running
      running = undefined
      await ended?.terminate()
    },
  }
}

import { messageOf, ProblemError } from '../../core/model/gate/problem.ts'
import { createRestartableWorker } from '../../shared/worker/restartable-worker.ts'
import { commonFailures, createEngine, type Engine } from '../engine.ts'
import type { StatementReply } from '../operations.ts'
import type { DatabaseOptions } from './database.ts'
import type { FromThread, ToThread } from './worker.ts'

export interface ThreadOptions {
  /** The thread's program. */
  readonly program: URL
  readonly database: DatabaseOptions
  /** The time limit for a batch, with the opening of the file. Then every waiting caller gets an error. */
  readonly deadlineMs: number
  /** Called after a damaged file was moved aside. `notice` is the text for the owner. */
  readonly onRecovered: (notice: string) => void
}

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
 * The caller's side of the worker thread. It gets the next full batch before the callers of the last one go
 * on, so both sides work at once. When the thread dies, every call that waits is rejected, and the next call
 * starts another thread.
 */
export const createThread = ({ program, database, deadlineMs, onRecovered }: ThreadOptions): Engine => {
  const failures = failuresOf(database.path)
  let sent: PromiseWithResolvers<readonly StatementReply[]>[] = []
  const fail = (error: Error): void => {
    const lost = sent
    sent = []
    for (const { reject } of lost) reject(error)
  }
  const worker = createRestartableWorker<ToThread, FromThread>({
    program,
    data: database,
    keepsProcess: true,
    receive: (message) => {
      switch (message.kind) {
        case 'opened':
          return message.recovered === undefined ? undefined : onRecovered(message.recovered)
        case 'refused':
          void worker.kill()
          return fail(failures.refused(message.why))
        case 'done':
          if (sent.length > 1) deadline.refresh()
          return sent.shift()?.resolve(message.replies)
      }
    },
    lost: (why) => fail(failures.died(why)),
  })
  /** It does nothing when no answer is waited for any more: each batch would have to stop it otherwise. */
  const deadline = setTimeout(() => {
    if (sent.length === 0) return
    void worker.kill()
    fail(failures.late(deadlineMs))
  }, deadlineMs).unref()

  return createEngine({
    commit: (ops) => {
      const batch = Promise.withResolvers<readonly StatementReply[]>()
      try {
        worker.post(ops)
        sent.push(batch)
        deadline.refresh()
      } catch (error) {
        batch.reject(failures.unstarted(error))
      }
      return batch.promise
    },
    fullBatch: 64,
    mostBatches: 2,
    end: () => worker.close('close', deadlineMs),
    failures,
  })
}

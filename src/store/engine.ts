import type { Op, SqlRow, StatementReply } from './operations.ts'

/** What a store stands on: SQLite in a thread of this process, or a PostgreSQL server. */
export interface Engine {
  /**
   * Resolves with the reply to each op when all are committed, in one transaction. Requests run in the order
   * of the calls. When one op fails by itself, the others are still committed.
   */
  commit(ops: readonly Op[]): Promise<readonly StatementReply[]>
  /** Commits the ops like `commit`, and rejects when one of them failed. */
  write(...ops: readonly Op[]): Promise<void>
  read(op: Op): Promise<readonly SqlRow[]>
  /** Finishes the earlier requests, then ends. Never rejects. */
  stop(): Promise<void>
}

/** The errors that both engines give. `failure` adds what the engine knows: its file, or what to do. */
export const commonFailures = (failure: (code: string, message: string, fix?: string) => Error) => ({
  late: (deadlineMs: number): Error =>
    failure(
      'store.late',
      `Expected the store to answer within ${deadlineMs} ms, got no answer. The request may or may not have been carried out.`,
    ),
  closed: (ops: readonly Op[]): Error =>
    failure(
      'store.closed',
      `Expected an open store for ${ops.map(([statement]) => statement).join(', ')}, got a closed one.`,
      'Close the store last.',
    ),
  undone: (statement: string, error: string): Error =>
    failure('store.failed', `Expected the store to do ${statement}, got "${error}".`),
})

/** What an engine is made of. */
export interface EngineParts {
  /** Carries ops out in one transaction. Rejects when it is not known what became of them. */
  commit(ops: readonly Op[]): Promise<readonly StatementReply[]>
  /** The most calls in one batch. */
  readonly fullBatch: number
  /** The most batches under way. A second one begins only when it is full. */
  readonly mostBatches: 1 | 2
  /** Called once, when no batch is under way. Never rejects. */
  end(): Promise<void>
  readonly failures: Pick<ReturnType<typeof commonFailures>, 'closed' | 'undone'>
}

interface WaitingCall {
  readonly ops: readonly Op[]
  readonly resolve: (replies: readonly StatementReply[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * While one batch is committed, new calls gather in the next one, so that the calls of a busy store share a
 * commit. When a batch fails as a whole, every call that waits is rejected, too.
 */
export const createEngine = ({ fullBatch, mostBatches, failures, ...parts }: EngineParts): Engine => {
  const waiting: WaitingCall[] = []
  let underWay = 0
  let isScheduled = false
  let isStopped = false

  const pump = (): void => {
    if (waiting.length === 0 || underWay >= mostBatches) return
    if (underWay > 0 && waiting.length < fullBatch) return
    const batch = waiting.splice(0, fullBatch)
    underWay += 1
    parts.commit(batch.flatMap(({ ops }) => ops)).then(
      (replies) => {
        underWay -= 1
        // The next batch is on its way before the callers of this one go on.
        pump()
        let from = 0
        for (const { ops, resolve } of batch) resolve(replies.slice(from, (from += ops.length)))
      },
      (error: unknown) => {
        underWay -= 1
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error)
      },
    )
  }

  /** All callers of one turn of the event loop share a batch. */
  const schedule = (): void => {
    if (waiting.length >= fullBatch) pump()
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      pump()
    })
  }
  const enqueue = (ops: readonly Op[]): Promise<readonly StatementReply[]> =>
    new Promise((resolve, reject) => {
      waiting.push({ ops, resolve, reject })
      schedule()
    })
  const commit: Engine['commit'] = (ops) => (isStopped ? Promise.reject(failures.closed(ops)) : enqueue(ops))
  const rowsOf = ([statement]: Op, reply: StatementReply = { error: 'no reply' }): readonly SqlRow[] => {
    if ('rows' in reply) return reply.rows
    throw failures.undone(statement, reply.error)
  }
  return {
    commit,
    write: async (...ops) => {
      const replies = await commit(ops)
      ops.forEach((op, index) => rowsOf(op, replies[index]))
    },
    read: async (op) => rowsOf(op, (await commit([op]))[0]),
    stop: async () => {
      isStopped = true
      // Calls keep their order, so the answer to this one means that all others were answered.
      if (waiting.length + underWay > 0) await enqueue([]).catch(() => undefined)
      await parts.end()
    },
  }
}

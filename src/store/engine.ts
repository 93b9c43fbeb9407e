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

/** Makes the requests of an engine. `ask` carries ops out in the order of the calls. */
export const requestsBy = (
  ask: Engine['commit'],
  isStopped: () => boolean,
  { closed, undone }: Pick<ReturnType<typeof commonFailures>, 'closed' | 'undone'>,
): Omit<Engine, 'stop'> => {
  const commit: Engine['commit'] = (ops) => (isStopped() ? Promise.reject(closed(ops)) : ask(ops))
  const rowsOf = ([statement]: Op, reply: StatementReply = { error: 'no reply' }): readonly SqlRow[] => {
    if ('rows' in reply) return reply.rows
    throw undone(statement, reply.error)
  }
  return {
    commit,
    write: async (...ops) => {
      const replies = await commit(ops)
      ops.forEach((op, index) => rowsOf(op, replies[index]))
    },
    read: async (op) => rowsOf(op, (await commit([op]))[0]),
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { createEngine, type Engine } from '../engine.ts'
import type { Op, RecordBounds, SqlRow, StatementReply } from '../operations.ts'
import type { PostgresClient } from './client.ts'
import { endsConnection, isOfOlderLease, isRepeatable, type PostgresFailures } from './failures.ts'
import { checkLease, type LeaseTerm } from './lease.ts'
import { createRequests, type Pulse } from './requests.ts'
import { stepsOf, type SqlStep } from './statements.ts'

export interface PostgresEngineOptions {
  readonly connect: () => PostgresClient
  readonly failures: PostgresFailures
  readonly bounds: RecordBounds
  /** The term in which this gate may read and write. Absent: it needs none. */
  readonly term?: LeaseTerm
  /** Whether the database answers. Absent: each request waits for its time limit. */
  readonly pulse?: Pulse
}

/** What each transaction needs. */
type TransactionOptions = Pick<PostgresEngineOptions, 'bounds' | 'term'>

/** The most calls in one batch, so that a transaction stays short. */
const fullBatch = 256

/** How often a transaction is done again that the server ended because it was in another one's way. */
const maxRepeats = 8
/** The longest pause before it is done again, so that the other one can end. */
const maxPauseMs = 50

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Runs the ops. The statements follow each other without waiting for their answers. */
export const runOps = async (
  { query }: PostgresClient,
  ops: readonly Op[],
  bounds: RecordBounds,
): Promise<readonly StatementReply[]> => {
  const replies: StatementReply[] = ops.map(() => ({ rows: [] }))
  const answered = async ({ sql, values, answers }: SqlStep): Promise<void> => {
    const rows = await query<SqlRow>(sql, values)
    for (const place of answers) replies[place] = { rows }
  }
  await Promise.all(stepsOf(ops, bounds).map(answered))
  return replies
}

type Commit = (
  client: PostgresClient,
  ops: readonly Op[],
  options: TransactionOptions,
) => Promise<readonly StatementReply[]>

/** One transaction in one round trip. When a statement fails, the server rolls back and commits nothing. */
const commitTogether: Commit = async (client, ops, { bounds, term }) => {
  const [, , replies] = await Promise.all([
    client.query('BEGIN'),
    checkLease(client, term),
    runOps(client, ops, bounds),
    client.query('COMMIT'),
  ])
  return replies
}

/** One transaction with a savepoint for each op, so that one that fails does not take the others with it. */
const commitApart: Commit = async (client, ops, { bounds, term }) => {
  const replies: StatementReply[] = []
  await client.query('BEGIN')
  try {
    await checkLease(client, term)
    for (const op of ops) {
      await client.query('SAVEPOINT op')
      try {
        replies.push(...(await runOps(client, [op], bounds)))
      } catch (error) {
        if (endsConnection(error) || isRepeatable(error)) throw error
        replies.push({ error: textOf(error) })
        await client.query('ROLLBACK TO op')
      }
      await client.query('RELEASE op')
    }
    await client.query('COMMIT')
    return replies
  } catch (error) {
    if (!endsConnection(error)) await client.query('ROLLBACK')
    throw error
  }
}

/** Commits all ops in one transaction, together, or apart when one of them fails. */
const commitAll: Commit = async (client, ops, options) => {
  let isApart = false
  for (let repeats = 0; ;) {
    try {
      return await (isApart ? commitApart : commitTogether)(client, ops, options)
    } catch (error) {
      if (endsConnection(error) || isOfOlderLease(error)) throw error
      if (isRepeatable(error) && repeats < maxRepeats) {
        repeats += 1
        await pause(Math.random() * maxPauseMs)
      } else if (isApart) return ops.map(() => ({ error: textOf(error) }))
      else isApart = true
    }
  }
}

/**
 * The store's side of the server. When the connection ends, every call that waits is rejected, and the next
 * call connects again.
 */
export const createPostgresEngine = ({
  connect,
  failures,
  pulse,
  ...options
}: PostgresEngineOptions): Engine => {
  const { request, stop } = createRequests({ connect, what: 'a transaction', pulse })
  return createEngine({
    commit: async (ops) => (ops.length === 0 ? [] : request((client) => commitAll(client, ops, options))),
    fullBatch,
    mostBatches: 1,
    end: stop,
    failures,
  })
}

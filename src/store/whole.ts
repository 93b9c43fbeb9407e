import { ProblemError } from '../core/model/gate/problem.ts'
import { OUTBOX, PROMPT, type Op, type SqlRow, type SqlValue, type StatementName } from './operations.ts'

/** A table of the store, as both engines have it. */
export interface Table {
  readonly name: string
  /** The statement that adds a row. Its values are the columns, in this order. */
  readonly add: StatementName
  readonly columns: readonly string[]
  /** The column by which the rows are in order. `place`: the order in which they were added. */
  readonly order: 'place' | 'atMs' | 'key'
  /** The newest rows push out the oldest ones. */
  readonly isBounded?: true
}

/** Everything that a store keeps. */
export const TABLES: readonly Table[] = [
  {
    name: 'record',
    add: 'addRecord',
    columns: ['event_id', 'kind', 'class', 'json'],
    order: 'place',
    isBounded: true,
  },
  { name: 'outbox', add: 'putOutbox', columns: OUTBOX, order: 'place' },
  { name: 'prompt', add: 'putPrompt', columns: PROMPT, order: 'place' },
  { name: 'question', add: 'putQuestion', columns: ['key', 'call', 'state'], order: 'place' },
  { name: 'ended', add: 'addEnded', columns: ['id', 'json'], order: 'place', isBounded: true },
  {
    name: 'seen',
    add: 'firstSeen',
    columns: ['channel', 'chat_id', 'message_id', 'atMs'],
    order: 'atMs',
    isBounded: true,
  },
  { name: 'fact', add: 'setFact', columns: ['key', 'value'], order: 'key' },
]

/** A store that is copied as a whole. Nothing else reads or writes it meanwhile. */
export interface WholeStore {
  /** The rows of a table in their order, each as the op that adds it to another store, some at a time. */
  rows(table: Table): AsyncIterable<readonly Op[]>
  /** Adds rows. Rejects when one of them cannot be added. */
  add(ops: readonly Op[]): Promise<void>
  count(table: Table): Promise<number>
}

/** How many rows are read or added at a time. */
export const rowsAtATime = 500

export const opOf = ({ add, columns }: Table, row: SqlRow): Op => [
  add,
  ...columns.map((name): SqlValue => row[name] ?? null),
]

/** The number of rows of each table in the copy. */
export type Counts = Readonly<Record<string, number>>

/** Copies all tables into an empty store, and counts what is there then. */
export const copyStore = async (
  from: Pick<WholeStore, 'rows'>,
  to: Pick<WholeStore, 'add' | 'count'>,
): Promise<Counts> => {
  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    let read = 0
    for await (const ops of from.rows(table)) {
      await to.add(ops)
      read += ops.length
    }
    const there = await to.count(table)
    if (there !== read && table.isBounded !== true)
      throw new ProblemError({
        code: 'store.copy',
        message: `Expected ${read} rows in the copy of the table "${table.name}", got ${there}.`,
        fix: 'Nothing was carried over. This is a bug in hookgate. Please report it.',
      })
    counts[table.name] = there
  }
  return counts
}

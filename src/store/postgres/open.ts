import { budgets } from '../../shared/base/budgets.ts'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import { createStore } from '../create-store.ts'
import type { RecordBounds } from '../operations.ts'
import type { Store } from '../store.ts'
import { createClient } from './client.ts'
import { createPostgresEngine } from './engine.ts'
import type { LeaseTerm } from './lease.ts'
import { prepareDatabase } from './prepare.ts'
import type { Pulse } from './requests.ts'

export interface PostgresOptions {
  /** The address with its password: `postgres://user:password@host:5432/database`. It is never logged. */
  readonly url: string
  /** The most records of each class. The oldest records of a class are deleted for its newest. */
  readonly bounds?: RecordBounds
  readonly log: ChannelPorts['log']
  /** The term in which this gate may read and write. Absent: it needs none. */
  readonly term?: LeaseTerm
  /** Whether the database answers. Absent: each request waits for its time limit. */
  readonly pulse?: Pulse
  /** The time limit for the requests that wait together. After it, they are rejected. */
  readonly deadlineMs?: number
}

/**
 * Opens the store in a PostgreSQL database, and brings its schema to the current version. Rejects when the
 * database cannot be used, with what to do.
 */
export const openPostgresStore = async ({
  url,
  bounds = budgets.records,
  log,
  term,
  pulse,
  deadlineMs = 10_000,
}: PostgresOptions): Promise<Store> => {
  const failures = await prepareDatabase(url)
  const connect = () => createClient(url, deadlineMs)
  return createStore({ engine: createPostgresEngine({ connect, failures, bounds, term, pulse }), log })
}

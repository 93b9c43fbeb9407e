import { extname } from 'node:path'
import { budgets } from '../../shared/base/budgets.ts'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import { createStore } from '../create-store.ts'
import type { RecordBounds } from '../operations.ts'
import type { Store } from '../store.ts'
import { createThread } from './thread.ts'

export interface SqliteOptions {
  /** The database file; its folder must exist. */
  readonly path: string
  /** The most records of each class. The oldest records of a class are deleted for its newest. */
  readonly bounds?: RecordBounds
  readonly log: ChannelPorts['log']
}

const deadlineMs = 30_000

/**
 * Opens the store in a file. Rejects when the file cannot be opened or written. A damaged file is moved aside
 * instead.
 */
export const openSqliteStore = async ({
  path,
  bounds = budgets.records,
  log,
}: SqliteOptions): Promise<Store> => {
  let recovered: string | undefined

  const engine = createThread({
    // The compiler does not rewrite this string. The worker has the same file extension as this module: .ts
    // or, once compiled, .js.
    program: new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    database: { path, records: bounds },
    deadlineMs,
    onRecovered: (notice) => {
      recovered = notice
      log('error', 'the store was damaged: its file was moved aside and a new one was started', { notice })
    },
  })
  await engine.read(['getFact', ''])
  return createStore({ engine, log, recovered: () => recovered })
}

import { workerData } from 'node:worker_threads'
import { workerPort } from '../../shared/worker/worker-body.ts'
import type { Op, StatementReply } from '../operations.ts'
import { openDatabase, errorText, type Database, type DatabaseOptions } from './database.ts'

/**
 * This module is the body of the store's thread. It opens the file and commits each batch as one transaction.
 */
export type FromThread =
  | { readonly kind: 'opened'; readonly recovered: string | undefined }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'done'; readonly replies: readonly StatementReply[] }

export type ToThread = readonly Op[] | 'close'

const port = workerPort()
const tell = (message: FromThread): void => port.postMessage(message)

/** After this time without a request, the write-ahead log is emptied too, so that deleted data leaves it. */
const restAfterMs = 1000

const serve = (database: Database): void => {
  const rest = setTimeout(() => database.rest(), restAfterMs).unref()
  port.on('message', (message: ToThread) => {
    if (message !== 'close') {
      tell({ kind: 'done', replies: database.commit(message) })
      rest.refresh()
      return
    }
    clearTimeout(rest)
    database.close()
    port.close()
  })
  tell({ kind: 'opened', recovered: database.recovered })
}

try {
  serve(openDatabase(workerData as DatabaseOptions))
} catch (error) {
  tell({ kind: 'refused', why: errorText(error) })
}

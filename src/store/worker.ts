/** The body of the store's thread: it holds the file, and commits each batch that arrives as one transaction. */
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase, wordsOf, type Database, type DatabaseOptions } from './database.ts'
import type { Op, StatementReply } from './statements.ts'

export type FromThread =
  | { readonly kind: 'opened'; readonly recovered: string | undefined }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'done'; readonly replies: readonly StatementReply[] }

export type ToThread = readonly Op[] | 'close'

const port = parentPort
if (port === null)
  throw new Error('Expected to run as a worker thread, got the main thread. Start it through openStore.')

const tell = (message: FromThread): void => port.postMessage(message)

/** Without a question for so long, what was deleted is taken out of the log, too. */
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
  tell({ kind: 'refused', why: wordsOf(error) })
}

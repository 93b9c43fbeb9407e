/** This module is the body of the history's thread. It writes the events and answers questions about them. */
import { workerData } from 'node:worker_threads'
import { messageOf } from '../core/model/gate/problem.ts'
import { workerPort } from '../shared/worker/worker-body.ts'
import {
  openHistoryDatabase,
  type DatabaseOptions,
  type HistoryAnswer,
  type HistoryDatabase,
  type HistoryQuestion,
} from './database.ts'
import { columns, type KeptValue } from './row.ts'

/** `units`: the size of the values, which is told back when they are written or lost. */
export type ToHistory =
  | { readonly kind: 'keep'; readonly values: readonly KeptValue[]; readonly units: number }
  | { readonly kind: 'ask'; readonly id: number; readonly question: HistoryQuestion }
  | { readonly kind: 'close' }

/** `why`: what was to be kept is lost. */
export type FromHistory =
  | { readonly kind: 'kept'; readonly units: number; readonly events: number; readonly why?: string }
  | { readonly kind: 'found'; readonly id: number; readonly found: HistoryAnswer }
  | { readonly kind: 'failed'; readonly id: number; readonly why: string }
  | { readonly kind: 'moved'; readonly aside: string }

const port = workerPort()
const tell = (message: FromHistory): void => port.postMessage(message)
const whyOf = (error: unknown): string => messageOf(error).slice(0, 300)

const options = workerData as DatabaseOptions
let opened: HistoryDatabase | undefined
/** A file that could not be opened is tried again with the next request. */
const database = (): HistoryDatabase =>
  (opened ??= openHistoryDatabase(options, (aside) => tell({ kind: 'moved', aside })))

const keep = (values: readonly KeptValue[], units: number): void => {
  const events = values.length / columns.length
  try {
    database().keep(values, Date.now())
    tell({ kind: 'kept', units, events })
  } catch (error) {
    tell({ kind: 'kept', units, events, why: whyOf(error) })
  }
}

const answer = async (id: number, question: HistoryQuestion): Promise<void> => {
  try {
    tell({ kind: 'found', id, found: await database().answer(question) })
  } catch (error) {
    tell({ kind: 'failed', id, why: whyOf(error) })
  }
}

port.on('message', (message: ToHistory) => {
  if (message.kind === 'close') {
    opened?.close()
    port.close()
  } else if (message.kind === 'keep') keep(message.values, message.units)
  else void answer(message.id, message.question)
})

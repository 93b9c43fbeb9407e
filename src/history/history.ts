import { extname, join } from 'node:path'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import type { KeepEvent } from '../core/model/events/kept.ts'
import type { EventsFound, HistoryReader, HistoryStats } from '../shared/events/kept.ts'
import type { EventRecord } from '../core/model/events/record.ts'
import { ProblemError } from '../core/model/gate/problem.ts'
import { createRestartableWorker } from '../shared/worker/restartable-worker.ts'
import type { DatabaseOptions, HistoryAnswer, HistoryQuestion } from './database.ts'
import { columns, rowOfEvent, rowOfShadows, type KeptRow, type KeptValue } from './row.ts'
import type { FromHistory, ToHistory } from './worker.ts'

/** The file of the history in the gate's folder. */
export const historyFile = (home: string): string => join(home, 'history.db')

export interface HistoryOptions extends DatabaseOptions {
  /** Without payloads, the history has what hooks answered, and not what they were asked about. */
  readonly withPayload: boolean
  now(): number
  readonly log: ChannelPorts['log']
  /** The thread ends after this time without work, in milliseconds. */
  readonly restAfterMs?: number
}

/** The events of the last days with their payloads. No verdict ever waits for it. */
export interface History extends HistoryReader {
  readonly keep: KeepEvent
  /** Keeps with an event what its shadows answered. Returns at once. */
  keepShadows(record: EventRecord): void
  /** Writes what waits. Never rejects. */
  stop(): Promise<void>
}

const flushAfterMs = 50
const fullBatch = 256
/** A larger batch would hold the caller's thread, in characters. */
const fullBatchUnits = 1024 * 1024
/** What waits for the disk, in characters. More events than that are counted and not kept. */
const maxWaitingUnits = 16 * 1024 * 1024
const answerWithinMs = 10_000
const program = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)

const failed = (path: string, why: string): ProblemError =>
  new ProblemError({
    code: 'history.failed',
    message: `The history of events cannot be read: ${why}.`,
    fix: 'Check the free space and the permissions of its disk. Then try again.',
    file: path,
  })

/** The answer to a question. Rejects when none comes in time. */
const inTime = (
  path: string,
  { promise, reject }: PromiseWithResolvers<HistoryAnswer>,
): Promise<HistoryAnswer> => {
  const why = `no answer within ${answerWithinMs / 1000} s`
  const late = setTimeout(() => reject(failed(path, why)), answerWithinMs)
  return promise.finally(() => clearTimeout(late))
}

/**
 * Keeps events in a file by a thread of its own, which runs only while there is work. Nothing is written
 * before the first event.
 */
export const openHistory = ({
  withPayload,
  now,
  log,
  restAfterMs = 5000,
  ...database
}: HistoryOptions): History => {
  const { path } = database
  let values: KeptValue[] = []
  let valueUnits = 0
  let waitingUnits = 0
  /** Events that the thread has and that are not known to be written. */
  let sentEvents = 0
  let missed = 0
  let isFailing = false
  let flushTimer: NodeJS.Timeout | undefined
  let restTimer: NodeJS.Timeout | undefined
  /** The questions that wait for an answer of the thread, by number. */
  const waiting = new Map<number, PromiseWithResolvers<HistoryAnswer>>()
  let lastId = 0

  const miss = (count: number, why: string): void => {
    if (!isFailing) log('warn', 'events are missing in the history', { why })
    isFailing = true
    missed += count
  }

  /** Ends the thread when nothing has come for a while. */
  const restLater = (): void => {
    clearTimeout(restTimer)
    if (waitingUnits > 0 || waiting.size > 0) return
    restTimer = setTimeout(() => void close(), restAfterMs).unref()
  }

  const receive = (message: FromHistory): void => {
    if (message.kind === 'moved') {
      log('error', 'the history was damaged: its file was moved aside and a new one was started', {
        moved: message.aside,
      })
    } else if (message.kind === 'kept') {
      waitingUnits -= message.units
      sentEvents -= message.events
      if (message.why === undefined) isFailing = false
      else miss(message.events, message.why)
    } else {
      const asked = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.kind === 'found') asked?.resolve(message.found)
      else asked?.reject(failed(path, message.why))
    }
    restLater()
  }

  const worker = createRestartableWorker<ToHistory, FromHistory>({
    program,
    data: database,
    // A small heap is collected soon, and the thread's memory counts as the gate's.
    limits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 1 },
    receive,
    lost: (why) => {
      if (sentEvents > 0) miss(sentEvents, why)
      sentEvents = 0
      waitingUnits = valueUnits
      for (const { reject } of waiting.values()) reject(failed(path, why))
    },
  })
  const close = (): Promise<void> => worker.close({ kind: 'close' }, answerWithinMs)
  const post = (message: ToHistory): void => {
    clearTimeout(restTimer)
    worker.post(message)
  }

  const flush = (): void => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    if (values.length === 0) return
    post({ kind: 'keep', values, units: valueUnits })
    sentEvents += values.length / columns.length
    values = []
    valueUnits = 0
  }

  /** What waits is written before, so that an answer knows of it. */
  const ask = (question: HistoryQuestion): Promise<HistoryAnswer> => {
    flush()
    const id = (lastId += 1)
    const asked = Promise.withResolvers<HistoryAnswer>()
    waiting.set(id, asked)
    post({ kind: 'ask', id, question })
    return inTime(path, asked).finally(() => waiting.delete(id))
  }

  const add = ({ values: added, units }: KeptRow): void => {
    values.push(...added)
    valueUnits += units
    waitingUnits += units
    if (values.length >= fullBatch * columns.length || valueUnits >= fullBatchUnits) flush()
    else flushTimer ??= setTimeout(flush, flushAfterMs).unref()
  }
  const hasRoom = (): boolean => {
    if (waitingUnits > maxWaitingUnits) miss(1, 'they come faster than the disk takes them')
    return waitingUnits <= maxWaitingUnits
  }

  return {
    keep: (payload, verdict, durationMs, silent) => {
      if (!hasRoom()) return false
      // While the disk fails an event has a record, too.
      const alone = isFailing ? undefined : silent
      add(rowOfEvent(payload, verdict, { atMs: now(), durationMs, withPayload, silent: alone }))
      return !isFailing
    },
    keepShadows: (record) => {
      const added = rowOfShadows(record)
      if (added !== undefined && hasRoom()) add(added)
    },
    stats: async (query) => ({
      ...((await ask({ about: 'stats', query })) as Omit<HistoryStats, 'missed'>),
      missed,
    }),
    events: async (query) => (await ask({ about: 'events', query })) as EventsFound,
    stop: async () => {
      flush()
      clearTimeout(restTimer)
      await close()
      if (sentEvents > 0) miss(sentEvents, 'its thread ended')
    },
  }
}

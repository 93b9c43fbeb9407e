import { budgets } from '../shared/base/budgets.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import type { EventRecord } from '../core/model/events/record.ts'
import { classOf, type RecordClass } from '../shared/events/record-class.ts'
import type { Engine } from './engine.ts'

export interface RecordBuffer {
  add(record: EventRecord): void
  /** Resolves when all added records are stored, or are back in the buffer for another try. Never rejects. */
  flush(): Promise<void>
  /**
   * Sends the added records to the engine before the next request. Records that fail are tried again later.
   */
  join(): void
  /** Ends the retries. Records that are still not stored are logged as lost. */
  end(): void
}

const flushAfterMs = 50
const retryAfterMs = 1000
/**
 * The share of a class that may wait in memory while the disk fails. Further records are lost, counted and
 * logged.
 */
const unstoredShare = 1 / 5
/** The most characters of one record, so that the size of the file is bounded too. */
const maxTextChars = 16 * 1024
const maxCutChars = 500

const cut = (text: string): string => (text.length > maxCutChars ? `${text.slice(0, maxCutChars)}…` : text)

/** A record without the texts that hooks chose, except the start of their reasons. */
const shortened = (record: EventRecord): object => ({
  ...Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value]),
  ),
  hooks: record.hooks?.slice(0, 100).map(({ answer, ...trace }) => ({
    ...trace,
    label: cut(trace.label),
    why: cut(trace.why),
    answer: answer && {
      kind: answer.kind,
      reason: answer.reason && cut(answer.reason),
      notes: ['(a long answer, shortened)'],
      fault: answer.fault && { kind: answer.fault.kind, detail: cut(answer.fault.detail) },
    },
  })),
})

const textOf = (record: EventRecord): string => {
  try {
    const text = JSON.stringify(record)
    if (text.length <= maxTextChars) return text
  } catch {
    // A hook's answer can be nested deeper than the stack.
  }
  return JSON.stringify(shortened(record))
}

interface Added {
  readonly record: EventRecord
  readonly of: RecordClass
}

/**
 * Buffers records on their way to the engine. When the engine fails during a write, a record may be stored
 * twice, but it is not lost.
 */
export const createRecordBuffer = ({
  commit,
  log,
}: Pick<Engine, 'commit'> & Pick<ChannelPorts, 'log'>): RecordBuffer => {
  let buffer: Added[] = []
  const unstored = new Map<RecordClass, number>()
  let lost = 0
  let isFailing = false
  let isEnded = false
  let timer: NodeJS.Timeout | undefined

  /** Changes the count of unstored records of a class. */
  const count = (of: RecordClass, change: 1 | -1): void => {
    unstored.set(of, (unstored.get(of) ?? 0) + change)
  }

  const logLost = (): void => {
    lost += buffer.length
    for (const { of } of buffer) count(of, -1)
    buffer = []
    if (lost > 0) log('error', 'records of the event history were lost at shutdown', { lost })
    lost = 0
  }

  const arm = (): void => {
    if (isEnded) logLost()
    else
      timer ??= setTimeout(
        () => {
          timer = undefined
          void flush()
        },
        isFailing ? retryAfterMs : flushAfterMs,
      )
  }

  const putBack = (failed: readonly Added[], why: unknown): void => {
    if (!isFailing)
      log('error', 'the event history cannot be stored', {
        why: why instanceof Error ? why.message : String(why),
      })
    isFailing = true
    buffer = [...failed, ...buffer]
    arm()
  }

  const recover = (): void => {
    if (isFailing) log('info', 'the event history is stored again', { lost })
    isFailing = false
    lost = 0
  }

  const flush = async (): Promise<void> => {
    const batch = buffer
    buffer = []
    if (batch.length === 0) return
    try {
      const replies = await commit(
        batch.map(({ record, of }) => ['addRecord', record.event_id, record.kind, of, textOf(record)]),
      )
      const isStored = (_: Added, index: number): boolean =>
        'rows' in (replies[index] ?? { error: 'no reply' })
      const failed = batch.filter((added, index) => !isStored(added, index))
      for (const { of } of batch.filter(isStored)) count(of, -1)
      if (failed.length === 0) recover()
      else putBack(failed, replies.find((reply) => 'error' in reply)?.error)
    } catch (error) {
      putBack(batch, error)
    }
  }

  return {
    flush,
    join: () => {
      if (!isFailing) void flush()
    },
    end: () => {
      isEnded = true
      clearTimeout(timer)
      logLost()
    },
    add: (record) => {
      const of = classOf(record)
      const most = budgets.records[of] * unstoredShare
      if ((unstored.get(of) ?? 0) >= most) {
        lost += 1
        if (lost === 1) log('error', 'records of the event history are being lost', { unstored: most })
        return
      }
      count(of, 1)
      buffer.push({ record, of })
      arm()
    },
  }
}

import { extname } from 'node:path'
import type { ChannelPorts } from '../model/chat/channel.ts'
import { budgets } from '../model/base/budgets.ts'
import type { Ended, EventRecord, OutboxItem, Prompt, RecordClass } from '../model/events/record.ts'
import type { StoredQuestion } from '../model/gate/permission.ts'
import { createHistory } from './history.ts'
import {
  outboxValues,
  promptOf,
  promptValues,
  textOf,
  type Op,
  type RecordBounds,
  type SqlRow,
  written,
  type SqlValue,
  type StatementName,
} from './statements.ts'
import { createThread } from './thread.ts'

/** A query selects the records of one event, of one class, or all. */
export interface RecordQuery {
  readonly limit: number
  readonly kinds?: readonly EventRecord['kind'][]
  readonly eventId?: string
  readonly ofClass?: RecordClass
}

/**
 * The gate's data besides the ledger. It holds no approvals. Every promise rejects with a `ProblemError` when
 * the disk or the thread fails. The request may then have been carried out or not, and the next call tries
 * again.
 */
export interface Store {
  /** The notice for the owner when a damaged file was moved aside and a new one was started. */
  readonly recovered: string | undefined
  /**
   * Costs the caller one array push. The record is stored within 50 ms, before any read, and by `close`.
   * Failures are logged.
   */
  addRecord(record: EventRecord): void
  /** Resolves with the records, the newest first. */
  records(query: RecordQuery): Promise<readonly EventRecord[]>
  /** Resolves when the item outlives the process. An item with a known id replaces it. */
  putOutbox(item: OutboxItem): Promise<void>
  /** Does nothing to an item that is gone. */
  setOutbox(id: string, change: Partial<Pick<OutboxItem, 'state' | 'revision' | 'body'>>): Promise<void>
  /**
   * Removes the item. `ended` is its outcome: it is stored in the same commit, after the records that were
   * added before.
   */
  removeOutbox(id: string, ended?: Ended): Promise<void>
  /** Resolves with the last 10 000 outcomes, the oldest first. */
  ended(): Promise<readonly (Ended & { readonly id: string })[]>
  /** Resolves with all items in the order of `seq`. */
  outbox(): Promise<readonly OutboxItem[]>
  /**
   * Resolves with false when this message was seen before. Each inbound message counts once in 30 days,
   * across restarts. `atMs` is the gate's clock at receipt, not the platform's.
   */
  firstSeen(
    key: { readonly channel: string; readonly chat_id: string; readonly message_id: string },
    atMs: number,
  ): Promise<boolean>
  /**
   * Resolves with true for a message that a person wrote to a chat in the last 30 days, never for the gate's
   * own.
   */
  hasSeen(key: Parameters<Store['firstSeen']>[0]): Promise<boolean>
  putPrompt(prompt: Prompt): Promise<void>
  setPromptGiven(promptId: string): Promise<void>
  removePrompt(promptId: string): Promise<void>
  /** Resolves with all prompts in the order of `atMs`, then in the order in which they were put. */
  prompts(): Promise<readonly Prompt[]>
  /** Stores a question that waits for a person. `call` and `state` are JSON texts. */
  putQuestion(question: StoredQuestion): Promise<void>
  /** Changes the state of a question. Does nothing to one that is gone. */
  setQuestion(key: string, state: string): Promise<void>
  removeQuestion(key: string): Promise<void>
  /** Resolves with all questions in the order in which they were put. */
  questions(): Promise<readonly StoredQuestion[]>
  getFact(key: string): Promise<string | undefined>
  setFact(key: string, value: string): Promise<void>
  /**
   * Stores the buffered records and ends the thread. Never rejects. Records that could not be stored are
   * logged.
   */
  close(): Promise<void>
}

export interface StoreOptions {
  /** The database file; its folder must exist. */
  readonly path: string
  /** The most records of each class. The oldest records of a class are deleted for its newest. */
  readonly bounds?: RecordBounds
  readonly log: ChannelPorts['log']
}

const deadlineMs = 30_000

/**
 * Opens the store. Rejects when its file cannot be opened or written. A damaged file is moved aside instead.
 */
export const openStore = async ({ path, bounds = budgets.records, log }: StoreOptions): Promise<Store> => {
  let recovered: string | undefined
  let closing: Promise<void> | undefined

  const thread = createThread({
    // The compiler does not rewrite this string. The worker has the same file extension as this module: .ts
    // or, once compiled, .js.
    body: new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    database: { path, records: bounds },
    deadlineMs,
    onRecovered: (notice) => {
      recovered = notice
      log('error', 'the store was damaged: its file was moved aside and a new one was started', { notice })
    },
  })
  const history = createHistory({ commit: thread.commit, log })

  const { write } = thread
  const read = async (
    statement: StatementName,
    ...values: readonly SqlValue[]
  ): Promise<readonly SqlRow[]> => {
    void history.flush()
    return thread.read([statement, ...values])
  }
  const closeAll = async (): Promise<void> => {
    await history.flush()
    await thread.stop()
    history.end()
  }

  await read('getFact', '')
  return {
    get recovered() {
      return recovered
    },
    addRecord: history.add,
    records: async ({ limit, eventId, kinds, ofClass }) => {
      const filter = [kinds === undefined ? null : JSON.stringify(kinds), Math.max(0, limit)]
      const ask = (): Promise<readonly SqlRow[]> => {
        if (eventId !== undefined) return read('recordsOfEvent', ...filter, eventId)
        return ofClass === undefined ? read('records', ...filter) : read('recordsOfClass', ...filter, ofClass)
      }
      const rows = await ask()
      return rows.map(({ json }) => JSON.parse(String(json)) as EventRecord)
    },
    putOutbox: (item) => write(['putOutbox', ...outboxValues(item)]),
    setOutbox: (id, { state, revision, body }) =>
      write(['setOutbox', id, state ?? null, revision ?? null, body ?? null]),
    removeOutbox: (id, ended) => {
      // The records of an event are committed before its consequence or together with it.
      history.join()
      const remove: Op = ['removeOutbox', id]
      return ended === undefined ? write(remove) : write(['addEnded', id, JSON.stringify(ended)], remove)
    },
    ended: async () =>
      (await read('ended')).map(({ id, json }) => ({
        ...(JSON.parse(String(json)) as Ended),
        id: String(id),
      })),
    outbox: async () => (await read('outbox')) as unknown as readonly OutboxItem[],
    firstSeen: async ({ channel, chat_id, message_id }, atMs) =>
      (await thread.read(['firstSeen', channel, chat_id, message_id, atMs])).length > 0,
    hasSeen: async ({ channel, chat_id, message_id }) =>
      (await read('hasSeen', channel, chat_id, message_id)).length > 0,
    putPrompt: (prompt) => write(['putPrompt', ...promptValues(prompt)]),
    setPromptGiven: (promptId) => write(['setPromptGiven', promptId]),
    removePrompt: (promptId) => write(['removePrompt', promptId]),
    prompts: async () => (await read('prompts')).map(promptOf),
    putQuestion: ({ key, call, state }) => write(['putQuestion', key, call, state]),
    setQuestion: (key, state) => write(['setQuestion', key, state]),
    removeQuestion: (key) => write(['removeQuestion', key]),
    questions: async () =>
      (await read('questions')).map(({ key, call, state }) => ({
        key: String(key),
        call: String(call),
        state: String(state),
      })),
    getFact: async (key) => {
      const [row] = await read('getFact', key)
      return row === undefined ? undefined : textOf(row['value'])
    },
    setFact: (key, value) => write(['setFact', key, written(value)]),
    close: async () => (closing ??= closeAll()),
  }
}

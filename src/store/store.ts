import { extname } from 'node:path'
import type { ChannelPorts } from '../model/chat/channel.ts'
import { budgets } from '../model/base/budgets.ts'
import type { Ended, EventRecord, OutboxItem, Prompt, RecordClass } from '../model/events/record.ts'
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

/** Of one event, or of one class, or of all. */
export interface RecordQuery {
  readonly limit: number
  readonly kinds?: readonly EventRecord['kind'][]
  readonly eventId?: string
  readonly ofClass?: RecordClass
}

/**
 * What the gate keeps besides its ledger: nothing in here is an approval. Every promise rejects with a `ProblemError`
 * when the disk or the thread fails; what was asked then may have been done or not, and the next call tries anew.
 */
export interface Store {
  /** Words for the owner when a damaged file was moved aside and a fresh one started. */
  readonly recovered: string | undefined
  /** Costs the caller an array push; stored within 50 ms, before any read, and by `close`. Failures are told in the log. */
  addRecord(record: EventRecord): void
  /** Newest first. */
  records(query: RecordQuery): Promise<readonly EventRecord[]>
  /** Resolves when the item outlives the process. An item with a known id replaces it. */
  putOutbox(item: OutboxItem): Promise<void>
  /** Does nothing to an item that is gone. */
  setOutbox(id: string, change: Partial<Pick<OutboxItem, 'state' | 'revision' | 'body'>>): Promise<void>
  /** `ended`: what became of it is kept, in the same commit, and with it the records that were added before. */
  removeOutbox(id: string, ended?: Ended): Promise<void>
  /** What became of the last 10 000 of which that was kept, the oldest first. */
  ended(): Promise<readonly (Ended & { readonly id: string })[]>
  /** By `seq`. */
  outbox(): Promise<readonly OutboxItem[]>
  /**
   * False when this message was seen before: each inbound message counts once, across restarts, for 30 days.
   * `atMs` is the gate's clock at receipt, not the platform's.
   */
  firstSeen(
    key: { readonly channel: string; readonly chat_id: string; readonly message_id: string },
    atMs: number,
  ): Promise<boolean>
  /** True for a message that somebody wrote to a chat in the last 30 days; never for one of ours. */
  hasSeen(key: Parameters<Store['firstSeen']>[0]): Promise<boolean>
  putPrompt(prompt: Prompt): Promise<void>
  setPromptGiven(promptId: string): Promise<void>
  removePrompt(promptId: string): Promise<void>
  /** By `atMs`, then by when they were put. */
  prompts(): Promise<readonly Prompt[]>
  getFact(key: string): Promise<string | undefined>
  setFact(key: string, value: string): Promise<void>
  /** Stores what is buffered and ends the thread. Never rejects; records that could not be stored are told in the log. */
  close(): Promise<void>
}

export interface StoreOptions {
  /** The database file; its folder must exist. */
  readonly path: string
  /** How many records of each class are kept; the oldest of a class make room for its newest. */
  readonly bounds?: RecordBounds
  readonly log: ChannelPorts['log']
}

const deadlineMs = 30_000

/** Opens the store. Rejects when its file cannot be opened or written; a damaged file is moved aside instead. */
export const openStore = async ({ path, bounds = budgets.records, log }: StoreOptions): Promise<Store> => {
  let recovered: string | undefined
  let closing: Promise<void> | undefined

  const thread = createThread({
    // Compiled, this file ends in .js, and so does its neighbour; the compiler leaves this string as it is.
    body: new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    database: { path, records: bounds },
    deadlineMs,
    onRecovered: (words) => {
      recovered = words
      log('error', 'the store was damaged, moved aside and started anew', { words })
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
      // What happened is committed with what it brought about, or before.
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
    getFact: async (key) => {
      const [row] = await read('getFact', key)
      return row === undefined ? undefined : textOf(row['value'])
    },
    setFact: (key, value) => write(['setFact', key, written(value)]),
    close: async () => (closing ??= closeAll()),
  }
}

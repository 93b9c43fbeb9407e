import type { Ended, EventRecord, OutboxItem, Prompt } from '../core/model/events/record.ts'
import type { RecordQuery } from '../shared/events/record-class.ts'
import type { StoredQuestion } from '../shared/gate/permission.ts'

/**
 * The gate's data besides the ledger. It holds no approvals. Every promise rejects with a `ProblemError` when
 * the disk, the thread or the database's server fails. The request may then have been carried out or not, and
 * the next call tries again.
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
   * Stores the buffered records and ends the engine. Never rejects. Records that could not be stored are
   * logged.
   */
  close(): Promise<void>
}

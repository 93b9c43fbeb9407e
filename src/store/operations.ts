import {
  classOf,
  type EventRecord,
  type OutboxItem,
  type Prompt,
  type RecordClass,
} from '../model/events/record.ts'

/** The columns of the tables. They have the names of the fields, so a row that is read is the value. */
export const OUTBOX = [
  'id',
  'seq',
  'channel',
  'chat_id',
  'kind',
  'state',
  'revision',
  'createdAtMs',
  'body',
] as const satisfies readonly (keyof OutboxItem)[]
export const PROMPT = [
  'prompt_id',
  'agent_id',
  'channel',
  'chat_id',
  'sender_id',
  'sender_name',
  'text',
  'inGroup',
  'atMs',
  'state',
] as const satisfies readonly (keyof Prompt)[]

export type SqlValue = string | number | null
export type SqlRow = Readonly<Record<string, SqlValue>>

/**
 * Encodes a person's text as JSON. The SQLite of Node 22 returns a text only up to its first NUL, and
 * PostgreSQL stores no NUL.
 */
export const written = (text: string): string => JSON.stringify(text)
export const textOf = (json: SqlValue | undefined): string => String(JSON.parse(String(json)))

/** The values of a row in the order of the parameters of `putOutbox` and `putPrompt`. */
export const outboxValues = (item: OutboxItem): readonly SqlValue[] => OUTBOX.map((column) => item[column])
export const promptValues = (prompt: Prompt): readonly SqlValue[] =>
  PROMPT.map((column) =>
    column === 'text' || column === 'sender_name' ? written(prompt[column]) : (prompt[column] ?? null),
  )
export const promptOf = ({ inGroup, ...row }: SqlRow): Prompt =>
  ({
    ...row,
    text: textOf(row['text']),
    sender_name: textOf(row['sender_name']),
    ...((inGroup ?? null) === null ? {} : { inGroup }),
  }) as unknown as Prompt

/**
 * Finds the class of a record that an older hookgate stored without it. A record that cannot be parsed
 * belongs to the class `rest`.
 */
export const classOfText = (json: unknown): RecordClass => {
  try {
    return classOf(JSON.parse(String(json)) as EventRecord)
  } catch {
    return 'rest'
  }
}

/** The most records of each class. */
export type RecordBounds = Readonly<Record<RecordClass, number>>

export const maxEnded = 10_000
export const seenForMs = 30 * 24 * 60 * 60 * 1000

/**
 * What an engine can do, by name. Each engine has one statement for each. It returns rows, or none for a
 * change.
 */
export type StatementName =
  | 'addRecord'
  | 'records'
  | 'recordsOfEvent'
  | 'recordsOfClass'
  | 'putOutbox'
  | 'setOutbox'
  | 'removeOutbox'
  | 'outbox'
  | 'addEnded'
  | 'ended'
  | 'firstSeen'
  | 'hasSeen'
  | 'putPrompt'
  | 'setPromptGiven'
  | 'removePrompt'
  | 'prompts'
  | 'putQuestion'
  | 'setQuestion'
  | 'removeQuestion'
  | 'questions'
  | 'getFact'
  | 'setFact'

/** One use of a statement, with its values. */
export type Op = readonly [StatementName, ...SqlValue[]]

/** The reply to an op: its rows, or the error. */
export type StatementReply = { readonly rows: readonly SqlRow[] } | { readonly error: string }

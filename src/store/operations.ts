import type { EventRecord, OutboxItem, Prompt } from '../core/model/events/record.ts'
import { classOf, type RecordClass } from '../shared/events/record-class.ts'

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

/** Columns by their names, which keep their letter case so. */
export const quoted = (columns: readonly string[]): string => columns.map((name) => `"${name}"`).join(', ')

/**
 * The statements that are the same in both engines. `schema`: what stands before the name of each table.
 * `place`: the column with the order in which rows were added.
 */
export const sharedStatements = (schema: '' | 'hookgate.', place: 'row' | 'place') => {
  /** Inserts a row, or replaces the row with the same key (the first column), which keeps its place. */
  const put = (table: string, columns: readonly string[]): string =>
    `INSERT INTO ${schema}${table} (${quoted(columns)})
     VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})
     ON CONFLICT ("${columns[0]}") DO UPDATE SET ${columns.map((name) => `"${name}" = excluded."${name}"`).join(', ')}`
  return {
    putOutbox: put('outbox', OUTBOX),
    setOutbox: `UPDATE ${schema}outbox SET state = coalesce($2, state), revision = coalesce($3, revision),
      body = coalesce($4, body) WHERE id = $1`,
    removeOutbox: `DELETE FROM ${schema}outbox WHERE id = $1`,
    outbox: `SELECT ${quoted(OUTBOX)} FROM ${schema}outbox ORDER BY seq, ${place}`,
    addEnded: `INSERT INTO ${schema}ended (id, json) VALUES ($1, $2)`,
    ended: `SELECT id, json FROM ${schema}ended ORDER BY ${place}`,
    hasSeen: `SELECT 1 AS known FROM ${schema}seen WHERE channel = $1 AND chat_id = $2 AND message_id = $3`,
    putPrompt: put('prompt', PROMPT),
    setPromptGiven: `UPDATE ${schema}prompt SET state = 'given' WHERE prompt_id = $1`,
    removePrompt: `DELETE FROM ${schema}prompt WHERE prompt_id = $1`,
    prompts: `SELECT ${quoted(PROMPT)} FROM ${schema}prompt ORDER BY "atMs", ${place}`,
    putQuestion: put('question', ['key', 'call', 'state']),
    setQuestion: `UPDATE ${schema}question SET state = $2 WHERE key = $1`,
    removeQuestion: `DELETE FROM ${schema}question WHERE key = $1`,
    questions: `SELECT key, call, state FROM ${schema}question ORDER BY ${place}`,
    getFact: `SELECT value FROM ${schema}fact WHERE key = $1`,
    setFact: put('fact', ['key', 'value']),
  }
}

/** One use of a statement, with its values. */
export type Op = readonly [StatementName, ...SqlValue[]]

/** The reply to an op: its rows, or the error. */
export type StatementReply = { readonly rows: readonly SqlRow[] } | { readonly error: string }

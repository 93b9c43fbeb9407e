import { maxEnded, OUTBOX, PROMPT, seenForMs, type RecordBounds, type StatementName } from '../operations.ts'

/**
 * Inserts a row, or replaces the row with the same key (the first column). A replaced row keeps its position.
 */
const put = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
   ON CONFLICT (${columns[0]}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`

/** Columns have the names of the fields of the types, so a row that is read is already the value. */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS record (row INTEGER PRIMARY KEY, event_id TEXT NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS record_event ON record (event_id);
  CREATE TABLE IF NOT EXISTS record_class (class TEXT, nth INTEGER, row INTEGER NOT NULL,
    PRIMARY KEY (class, nth)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS outbox (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL,
    channel TEXT NOT NULL, chat_id TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, revision INTEGER NOT NULL,
    createdAtMs INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS prompt (row INTEGER PRIMARY KEY, prompt_id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL,
    channel TEXT NOT NULL, chat_id TEXT NOT NULL, sender_id TEXT NOT NULL, sender_name TEXT NOT NULL, text TEXT NOT NULL,
    atMs INTEGER NOT NULL, state TEXT NOT NULL, inGroup TEXT);
  CREATE TABLE IF NOT EXISTS seen (channel TEXT, chat_id TEXT, message_id TEXT, atMs INTEGER NOT NULL,
    PRIMARY KEY (channel, chat_id, message_id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS seen_at ON seen (atMs);
  CREATE TABLE IF NOT EXISTS ended (row INTEGER PRIMARY KEY, id TEXT NOT NULL, json TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS question (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, call TEXT NOT NULL,
    state TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS fact (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`

/** Returns a row when an older hookgate created the table of prompts. */
export const NO_SPEAKERS =
  "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info('prompt') WHERE name = 'inGroup')"
export const ADD_SPEAKERS = 'ALTER TABLE prompt ADD COLUMN inGroup TEXT'

/** Returns a row when an older hookgate wrote records. */
export const UNCLASSIFIED =
  'SELECT 1 FROM record WHERE row > coalesce((SELECT max(row) FROM record_class), 0) LIMIT 1'

/**
 * Gives each record of an older hookgate its class and its number in that class, and deletes entries for
 * records that no longer exist. Such a file can be large, so each record is read once and none is rewritten.
 * `class_of` is a function that `openDatabase` registers.
 */
export const CLASSIFY = `
  DELETE FROM record_class WHERE row NOT IN (SELECT row FROM record);
  INSERT INTO record_class (class, nth, row)
    WITH fresh AS MATERIALIZED (SELECT row, class_of(json) AS class FROM record
      WHERE row > coalesce((SELECT max(row) FROM record_class), 0))
    SELECT class, coalesce((SELECT max(nth) FROM record_class AS old WHERE old.class = fresh.class), 0)
      + row_number() OVER (PARTITION BY class ORDER BY row), row FROM fresh`

/** The most records that one insert deletes. A file that holds more than its bound shrinks step by step. */
const maxDeletedPerInsert = 64

const classBound = ([name, most]: readonly [string, number]): string => {
  const first = `(SELECT min(nth) FROM record_class WHERE class = '${name}')`
  const deleted = `class = '${name}' AND nth <= min(NEW.nth - ${BigInt(most)}, ${first} + ${maxDeletedPerInsert - 1})`
  return `
  CREATE TEMP TRIGGER record_${name} AFTER INSERT ON main.record_class WHEN NEW.class = '${name}' BEGIN
    DELETE FROM record WHERE row IN (SELECT row FROM record_class WHERE ${deleted});
    DELETE FROM record_class WHERE ${deleted};
  END;`
}

/**
 * The triggers that bound the tables, for this connection only. Each insert deletes the oldest rows in its
 * own commit. A record deletes only records of its own class.
 */
export const boundsOf = (records: RecordBounds): string => `
  CREATE TEMP TRIGGER record_place AFTER INSERT ON main.record BEGIN
    INSERT INTO record_class (class, nth, row) SELECT class, coalesce(
      (SELECT max(nth) FROM record_class AS old WHERE old.class = new.class), 0) + 1, NEW.row
      FROM (SELECT class_of(NEW.json) AS class) AS new;
  END;
  ${Object.entries(records).map(classBound).join('')}
  CREATE TEMP TRIGGER ended_bound AFTER INSERT ON main.ended
    BEGIN DELETE FROM ended WHERE row <= NEW.row - ${maxEnded}; END;
  CREATE TEMP TRIGGER seen_bound AFTER INSERT ON main.seen
    BEGIN DELETE FROM seen WHERE atMs < NEW.atMs - ${seenForMs}; END;`

/** All statements that the store can run. Each returns rows. A change without RETURNING returns none. */
export const STATEMENTS: Readonly<Record<StatementName, string>> = {
  addRecord: 'INSERT INTO record (event_id, kind, json) VALUES (?, ?, ?)',
  records:
    'SELECT json FROM record WHERE (?1 IS NULL OR kind IN (SELECT value FROM json_each(?1))) ORDER BY row DESC LIMIT ?2',
  recordsOfEvent: `SELECT json FROM record WHERE (?1 IS NULL OR kind IN (SELECT value FROM json_each(?1))) AND event_id = ?3
    ORDER BY row DESC LIMIT ?2`,
  recordsOfClass: `SELECT json FROM record_class JOIN record USING (row)
    WHERE (?1 IS NULL OR kind IN (SELECT value FROM json_each(?1))) AND class = ?3 ORDER BY nth DESC LIMIT ?2`,
  putOutbox: put('outbox', OUTBOX),
  setOutbox:
    'UPDATE outbox SET state = coalesce(?2, state), revision = coalesce(?3, revision), body = coalesce(?4, body) WHERE id = ?1',
  removeOutbox: 'DELETE FROM outbox WHERE id = ?',
  outbox: `SELECT ${OUTBOX.join(', ')} FROM outbox ORDER BY seq, row`,
  addEnded: 'INSERT INTO ended (id, json) VALUES (?, ?)',
  ended: 'SELECT id, json FROM ended ORDER BY row',
  firstSeen:
    'INSERT INTO seen (channel, chat_id, message_id, atMs) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1',
  hasSeen: 'SELECT 1 FROM seen WHERE channel = ? AND chat_id = ? AND message_id = ?',
  putPrompt: put('prompt', PROMPT),
  setPromptGiven: "UPDATE prompt SET state = 'given' WHERE prompt_id = ?",
  removePrompt: 'DELETE FROM prompt WHERE prompt_id = ?',
  prompts: `SELECT ${PROMPT.join(', ')} FROM prompt ORDER BY atMs, row`,
  putQuestion: put('question', ['key', 'call', 'state']),
  setQuestion: 'UPDATE question SET state = ?2 WHERE key = ?1',
  removeQuestion: 'DELETE FROM question WHERE key = ?',
  questions: 'SELECT key, call, state FROM question ORDER BY row',
  getFact: 'SELECT value FROM fact WHERE key = ?',
  setFact: put('fact', ['key', 'value']),
}

import {
  maxEnded,
  seenForMs,
  sharedStatements,
  type RecordBounds,
  type StatementName,
} from '../operations.ts'

/**
 * Columns have the names of the fields of the types, so a row that is read is already the value. A record has
 * its class in `of_class` and its number in that class in `in_class`: an older hookgate that opens the file
 * joins a table with the columns `class` and `nth`.
 */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS record (row INTEGER PRIMARY KEY, event_id TEXT NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL,
    of_class TEXT, in_class INTEGER);
  CREATE INDEX IF NOT EXISTS record_event ON record (event_id);
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

/** Columns that a table of an older hookgate does not have. */
export const ADDED_COLUMNS = [
  { table: 'prompt', column: 'inGroup', type: 'TEXT' },
  { table: 'record', column: 'of_class', type: 'TEXT' },
  { table: 'record', column: 'in_class', type: 'INTEGER' },
] as const

/**
 * Gives each record of an older hookgate its class and its number in that class. `class_of` is a function
 * that `openDatabase` registers.
 */
export const CLASSIFY = `
  DROP TABLE IF EXISTS record_class;
  CREATE INDEX IF NOT EXISTS record_in_class ON record (of_class, in_class);
  WITH older AS MATERIALIZED (SELECT row, class_of(json) AS class FROM record WHERE of_class IS NULL),
    counted AS MATERIALIZED (SELECT row, class, row_number() OVER (PARTITION BY class ORDER BY row)
      + coalesce((SELECT max(in_class) FROM record WHERE of_class = class), 0) AS nth FROM older)
  UPDATE record SET of_class = class, in_class = nth FROM counted WHERE record.row = counted.row;`

/** The most records that one insert deletes. A file that holds more than its bound shrinks step by step. */
const maxDeletedPerInsert = 64

/**
 * The triggers that bound the tables, for this connection only. Each insert deletes the oldest rows in its
 * own commit. A record deletes only records of its own class.
 */
export const boundsOf = (records: RecordBounds): string => `
  CREATE TEMP TRIGGER record_bound AFTER INSERT ON main.record BEGIN
    DELETE FROM record WHERE row IN (SELECT row FROM record WHERE of_class = NEW.of_class AND in_class <= NEW.in_class
      - CASE NEW.of_class ${Object.entries(records)
        .map(([name, most]) => `WHEN '${name}' THEN ${BigInt(most)}`)
        .join(' ')} END ORDER BY in_class LIMIT ${maxDeletedPerInsert});
  END;
  CREATE TEMP TRIGGER ended_bound AFTER INSERT ON main.ended
    BEGIN DELETE FROM ended WHERE row <= NEW.row - ${maxEnded}; END;
  CREATE TEMP TRIGGER seen_bound AFTER INSERT ON main.seen
    BEGIN DELETE FROM seen WHERE atMs < NEW.atMs - ${seenForMs}; END;`

const ofKinds = '($1 IS NULL OR kind IN (SELECT value FROM json_each($1)))'

const statements: Readonly<Record<StatementName, string>> = {
  ...sharedStatements('', 'row'),
  addRecord: `INSERT INTO record (event_id, kind, of_class, json, in_class)
    VALUES ($1, $2, $3, $4, coalesce((SELECT max(in_class) FROM record WHERE of_class = $3), 0) + 1)`,
  records: `SELECT json FROM record WHERE ${ofKinds} ORDER BY row DESC LIMIT $2`,
  recordsOfEvent: `SELECT json FROM record WHERE ${ofKinds} AND event_id = $3 ORDER BY row DESC LIMIT $2`,
  recordsOfClass: `SELECT json FROM record WHERE ${ofKinds} AND of_class = $3 ORDER BY in_class DESC LIMIT $2`,
  firstSeen: `INSERT INTO seen (channel, chat_id, message_id, "atMs") VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING RETURNING 1`,
}

/**
 * All statements that the store can run. Each returns rows. A change without RETURNING returns none. A value
 * is $1 above, as in PostgreSQL, and ?1 here.
 */
export const STATEMENTS = Object.fromEntries(
  Object.entries(statements).map(([name, sql]) => [name, sql.replaceAll('$', '?')]),
) as typeof statements

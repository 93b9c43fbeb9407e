import type { RecordClass } from '../../shared/events/record-class.ts'
import {
  maxEnded,
  seenForMs,
  sharedStatements,
  type Op,
  type RecordBounds,
  type SqlValue,
  type StatementName,
} from '../operations.ts'

const ofKinds = '($1::text IS NULL OR kind IN (SELECT json_array_elements_text($1::text::json)))'

/** All statements that the store can run. Each returns rows. A change without RETURNING returns none. */
export const STATEMENTS: Readonly<Record<StatementName, string>> = {
  ...sharedStatements('hookgate.', 'place'),
  // The value is a list of records as JSON text, so that a burst of records is one statement. Each class
  // counts its records. The counters are locked in one order, so that no two replicas wait for each other.
  addRecord: `WITH fresh AS (
      SELECT *, row_number() OVER (PARTITION BY class ORDER BY at) AS in_class
      FROM ROWS FROM (json_to_recordset($1::text::json) AS (class text, event_id text, kind text, json text))
        WITH ORDINALITY AS each (class, event_id, kind, json, at)),
    counter AS (
      INSERT INTO hookgate.record_class AS old (class, nth)
        SELECT class, count(*) FROM fresh GROUP BY class ORDER BY class
      ON CONFLICT (class) DO UPDATE SET nth = old.nth + excluded.nth RETURNING class, nth),
    sizes AS (SELECT class, count(*) AS size FROM fresh GROUP BY class)
    INSERT INTO hookgate.record (class, nth, event_id, kind, json)
      SELECT class, counter.nth - size + in_class, event_id, kind, json
      FROM fresh JOIN counter USING (class) JOIN sizes USING (class) ORDER BY at`,
  records: `SELECT json FROM hookgate.record WHERE ${ofKinds} ORDER BY place DESC LIMIT $2::bigint`,
  recordsOfEvent: `SELECT json FROM hookgate.record WHERE ${ofKinds} AND event_id = $3
    ORDER BY place DESC LIMIT $2::bigint`,
  recordsOfClass: `SELECT json FROM hookgate.record WHERE ${ofKinds} AND class = $3
    ORDER BY nth DESC LIMIT $2::bigint`,
  // A message of which the memory has ended counts once more, also before its row is deleted.
  firstSeen: `INSERT INTO hookgate.seen AS old (channel, chat_id, message_id, "atMs") VALUES ($1, $2, $3, $4)
    ON CONFLICT (channel, chat_id, message_id) DO UPDATE SET "atMs" = excluded."atMs"
      WHERE old."atMs" < excluded."atMs" - ${seenForMs} RETURNING 1 AS fresh`,
}

/*
 * The oldest rows are found by an index, a bounded number of them at a time. Without the bound, the server
 * expects a third of the table and reads all of it.
 */
const trimRecords = `DELETE FROM hookgate.record WHERE place IN (
  SELECT place FROM hookgate.record
  WHERE class = $1 AND nth <= (SELECT nth FROM hookgate.record_class WHERE class = $1) - $2::bigint
  ORDER BY class, nth LIMIT $3::bigint)`

/** The places have no gaps but those of transactions that failed, so at most `maxEnded` rows stay. */
const trimEnded = `DELETE FROM hookgate.ended WHERE place IN (
  SELECT place FROM hookgate.ended WHERE place <= (SELECT max(place) FROM hookgate.ended) - ${maxEnded}
  ORDER BY place LIMIT $1::bigint)`

/** Rows beyond a bound that one trim removes, besides as many as were added. */
const trimmedAtOnce = 1000
const trimSeen = `DELETE FROM hookgate.seen WHERE "atMs" < $1::bigint - ${seenForMs}`

/** One statement to run. */
export interface SqlStep {
  readonly sql: string
  readonly values: readonly SqlValue[]
  /** The places of the ops that it answers. */
  readonly answers: readonly number[]
}

/** PostgreSQL stores no NUL in a text. Without this, one NUL in a platform's id would reject the row. */
const storable = (value: SqlValue): SqlValue =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value

const recordOf = ([, event_id, kind, of, json]: Op): object => ({
  class: of,
  event_id: String(storable(event_id ?? '')).toWellFormed(),
  kind,
  json,
})

const isReading: ReadonlySet<StatementName> = new Set([
  'records',
  'recordsOfEvent',
  'recordsOfClass',
  'ended',
  'hasSeen',
])

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The steps that bound the tables to which the ops added. */
const boundsAfter = (added: readonly Op[], records: RecordBounds): readonly SqlStep[] => {
  const has = (name: StatementName): boolean => added.some(([each]) => each === name)
  const seenAtMs = added.flatMap((op) => (op[0] === 'firstSeen' ? [Number(op[4])] : []))
  const most = added.length + trimmedAtOnce
  const classes = new Set(
    added.flatMap(([name, , , of]) => (name === 'addRecord' ? [of as RecordClass] : [])),
  )
  return [
    // Every gate removes the classes in one order, so that no two wait for each other.
    ...[...classes].toSorted(compare).map((of) => ({
      sql: trimRecords,
      values: [of, records[of], most],
      answers: [],
    })),
    ...(has('addEnded') ? [{ sql: trimEnded, values: [most], answers: [] }] : []),
    ...(has('firstSeen') ? [{ sql: trimSeen, values: [Math.max(...seenAtMs)], answers: [] }] : []),
  ]
}

const endOfRun = (ops: readonly Op[], from: number): number => {
  const name = ops[from]?.[0]
  const length = ops.slice(from).findIndex(([other]) => other !== name)
  return length === -1 ? ops.length : from + length
}

/** The key of a message as one text. */
const keyOf = ({ values }: SqlStep): string => JSON.stringify(values.slice(0, 3))

/** The steps of one run of ops with the same name. */
const stepsOfRun = (run: readonly Op[], from: number): readonly SqlStep[] => {
  const [name = 'outbox'] = run[0] ?? []
  if (name === 'addRecord') {
    const added = JSON.stringify(run.map(recordOf))
    return [{ sql: STATEMENTS.addRecord, values: [added], answers: run.map((_, index) => from + index) }]
  }
  const steps = run.map(([, ...values], index) => ({
    sql: STATEMENTS[name],
    values: values.map(storable),
    answers: [from + index],
  }))
  // Two replicas that get the same messages lock them in the same order, so neither waits for the other.
  return name === 'firstSeen' ? steps.toSorted((a, b) => compare(keyOf(a), keyOf(b))) : steps
}

/**
 * The steps of ops, in their order. Records that follow each other are one step. The tables are bounded
 * before something is read, and at the end.
 */
export const stepsOf = (ops: readonly Op[], records: RecordBounds): readonly SqlStep[] => {
  const steps: SqlStep[] = []
  let boundedTo = 0
  for (let from = 0; from < ops.length;) {
    const end = endOfRun(ops, from)
    if (isReading.has(ops[from]?.[0] ?? 'outbox')) {
      steps.push(...boundsAfter(ops.slice(boundedTo, from), records))
      boundedTo = from
    }
    steps.push(...stepsOfRun(ops.slice(from, end), from))
    from = end
  }
  return [...steps, ...boundsAfter(ops.slice(boundedTo), records)]
}

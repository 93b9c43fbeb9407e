import type { RecordClass } from '../../shared/events/record-class.ts'
import {
  maxEnded,
  OUTBOX,
  quoted,
  seenForMs,
  sharedStatements,
  type Op,
  type RecordBounds,
  type SqlValue,
  type StatementName,
} from '../operations.ts'

const ofKinds = '($1::text IS NULL OR kind IN (SELECT json_array_elements_text($1::text::json)))'

/** The values of many ops: a list of their rows as JSON text, in the order of the ops. */
const rows = 'json_array_elements($1::text::json) WITH ORDINALITY AS each (v, at)'

/** The statements of which many ops are one. Each op of the store is a row of its values. */
export const BULK = {
  // Each class counts its records. The counters are locked in one order, so that no two replicas wait for
  // each other.
  addRecord: `WITH fresh AS (
      SELECT v->>0 AS event_id, v->>1 AS kind, v->>2 AS class, v->>3 AS json, at,
        row_number() OVER (PARTITION BY v->>2 ORDER BY at) AS in_class
      FROM ${rows}),
    counter AS (
      INSERT INTO hookgate.record_class AS old (class, nth)
        SELECT class, count(*) FROM fresh GROUP BY class ORDER BY class
      ON CONFLICT (class) DO UPDATE SET nth = old.nth + excluded.nth RETURNING class, nth),
    sizes AS (SELECT class, count(*) AS size FROM fresh GROUP BY class)
    INSERT INTO hookgate.record (class, nth, event_id, kind, json)
      SELECT class, counter.nth - size + in_class, event_id, kind, json
      FROM fresh JOIN counter USING (class) JOIN sizes USING (class) ORDER BY at`,
  putOutbox: `INSERT INTO hookgate.outbox (${quoted(OUTBOX)})
    SELECT v->>0, (v->>1)::bigint, v->>2, v->>3, v->>4, v->>5, (v->>6)::bigint, (v->>7)::bigint, v->>8
      FROM ${rows} ORDER BY at
    ON CONFLICT (id) DO UPDATE SET ${OUTBOX.map((name) => `"${name}" = excluded."${name}"`).join(', ')}`,
  setOutbox: `UPDATE hookgate.outbox SET state = coalesce(v->>1, state),
    revision = coalesce((v->>2)::bigint, revision), body = coalesce(v->>3, body) FROM ${rows} WHERE id = v->>0`,
  removeOutbox: `DELETE FROM hookgate.outbox WHERE id IN (SELECT v->>0 FROM ${rows})`,
  addEnded: `INSERT INTO hookgate.ended (id, json) SELECT v->>0, v->>1 FROM ${rows} ORDER BY at`,
} as const satisfies Partial<Record<StatementName, string>>
type BulkName = keyof typeof BULK
const isBulk = (name: StatementName): name is BulkName => name in BULK

/** All statements that the store can run. Each returns rows. A change without RETURNING returns none. */
export const STATEMENTS: Readonly<Record<StatementName, string>> = {
  ...sharedStatements('hookgate.', 'place'),
  ...BULK,
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

/**
 * PostgreSQL stores no NUL in a text, and reads no half of a pair of units in JSON. Without this, one of them
 * in a platform's id would reject the row.
 */
const storable = (value: SqlValue): SqlValue =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value

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

/** Ops of one kind that are one after the other for the server. */
interface Group {
  readonly name: StatementName
  readonly places: number[]
}

/**
 * The ops in groups. An op of which many are one statement joins the newest group of its kind, unless
 * something in between is about the same row, or is of another kind that has its place in the order.
 */
const groupsOf = (ops: readonly Op[]): readonly Group[] => {
  const groups: Group[] = []
  const newest = new Map<StatementName, number>()
  const newestOf = new Map<SqlValue | undefined, number>()
  let fixed = 0
  for (const [place, [name, row]] of ops.entries()) {
    const own = name === 'addRecord' ? undefined : row
    const earliest = Math.max(fixed, own === undefined ? 0 : (newestOf.get(own) ?? -1) + 1)
    const found = newest.get(name) ?? -1
    // An op of another kind joins only those of its kind that stand right before it.
    const isJoined = found >= (isBulk(name) ? earliest : Math.max(0, groups.length - 1))
    const at = isJoined ? found : groups.push({ name, places: [] }) - 1
    groups[at]?.places.push(place)
    newest.set(name, at)
    if (own !== undefined) newestOf.set(own, at)
    if (!isBulk(name)) fixed = groups.length
  }
  return groups
}

/** The key of a message as one text. */
const keyOf = ({ values }: SqlStep): string => JSON.stringify(values.slice(0, 3))

const stepsOfGroup = ({ name, places }: Group, ops: readonly Op[]): readonly SqlStep[] => {
  const rows = places.map((place) => (ops[place] ?? []).slice(1).map((value) => storable(value ?? null)))
  if (isBulk(name)) return [{ sql: BULK[name], values: [JSON.stringify(rows)], answers: places }]
  const steps = rows.map((values, index) => ({
    sql: STATEMENTS[name],
    values,
    answers: places.slice(index, index + 1),
  }))
  // Two replicas that get the same messages lock them in the same order, so neither waits for the other.
  return name === 'firstSeen' ? steps.toSorted((a, b) => compare(keyOf(a), keyOf(b))) : steps
}

/**
 * The steps of ops. What is about one row keeps its order. The tables are bounded before something is read,
 * and at the end.
 */
export const stepsOf = (ops: readonly Op[], records: RecordBounds): readonly SqlStep[] => {
  const steps: SqlStep[] = []
  let added: Op[] = []
  for (const group of groupsOf(ops)) {
    if (isReading.has(group.name)) {
      steps.push(...boundsAfter(added, records))
      added = []
    }
    steps.push(...stepsOfGroup(group, ops))
    added.push(...group.places.map((place) => ops[place]).filter((op) => op !== undefined))
  }
  return [...steps, ...boundsAfter(added, records)]
}

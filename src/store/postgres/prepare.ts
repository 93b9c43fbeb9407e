import { createClient, type PostgresClient } from './client.ts'
import type { PostgresFailures } from './failures.ts'
import { MIGRATIONS, SCHEMA_NAME } from './migrations.ts'

/** The time limit for opening a database. It includes a change of the schema by another replica. */
const openMs = 60_000
const lockMs = 45_000

const oldestVersion = 150_000

/** What is true of the database at opening. */
interface Found {
  readonly version: number
  readonly versionText: string
  readonly encoding: string
  readonly isReadonly: boolean
  readonly hasSchema: boolean
  readonly hasTables: boolean
  readonly isOurs: boolean
}

/** The catalogue can be read without any right on the schema. */
const FOUND = `SELECT current_setting('server_version_num')::int AS version,
  current_setting('server_version') AS "versionText", current_setting('server_encoding') AS encoding,
  current_setting('transaction_read_only') = 'on' AS "isReadonly",
  to_regnamespace('${SCHEMA_NAME}') IS NOT NULL AS "hasSchema",
  EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('${SCHEMA_NAME}')) AS "hasTables",
  EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('${SCHEMA_NAME}')
    AND relname = 'hookgate_schema') AS "isOurs"`

/** The ledger is written by a function, so no right to write its tables is needed. */
const WITHOUT_RIGHTS = `SELECT relname FROM pg_class
  WHERE relnamespace = '${SCHEMA_NAME}'::regnamespace AND relkind = 'r' AND relname <> 'hookgate_schema'
    AND NOT (has_table_privilege(oid, 'SELECT') AND (relname IN ('ledger', 'ledger_line')
      OR (has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
        AND has_table_privilege(oid, 'DELETE'))))
  UNION ALL SELECT 'write_ledger' WHERE NOT has_function_privilege(
    '${SCHEMA_NAME}.write_ledger(bigint, bigint, text, bigint, json)', 'EXECUTE')
  ORDER BY relname`

const found = async ({ query }: PostgresClient): Promise<Found> => {
  const [row] = await query<Found>(FOUND)
  if (row === undefined) throw new Error('the server gave no row')
  return row
}

/** The version of the schema. 0: there is none. Throws when a newer hookgate or another program made it. */
export const versionOf = async (client: PostgresClient): Promise<number> => {
  const { isOurs, hasTables } = await found(client)
  if (!isOurs && hasTables) throw client.failures.foreign()
  if (!isOurs) return 0
  const [row] = await client.query<{ readonly version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM ${SCHEMA_NAME}.hookgate_schema`,
  )
  const version = row?.version ?? 0
  if (version > MIGRATIONS.length) throw client.failures.newer(MIGRATIONS.length, version)
  return version
}

/**
 * Applies the missing steps in the transaction that is open. Replicas that start together do it one after
 * another. What fails is rolled back by the server when the connection ends.
 */
const applySteps = async (client: PostgresClient): Promise<void> => {
  const { query } = client
  await query(`SET LOCAL lock_timeout = ${lockMs}`)
  await query("SELECT pg_advisory_xact_lock(hashtextextended('hookgate schema', 0))")
  const version = await versionOf(client)
  // A user without the right to create a schema can use one that an administrator made.
  const { hasSchema } = await found(client)
  if (!hasSchema) await query(`CREATE SCHEMA ${SCHEMA_NAME}`)
  if (version === 0) await query(`CREATE TABLE ${SCHEMA_NAME}.hookgate_schema (version integer PRIMARY KEY)`)
  for (const [index, step] of MIGRATIONS.entries()) {
    if (index < version) continue
    await query(step)
    await query(`INSERT INTO ${SCHEMA_NAME}.hookgate_schema VALUES (${index + 1})`)
  }
}

const checkServer = async (client: PostgresClient): Promise<void> => {
  const { failures } = client
  const { version, versionText, encoding, isReadonly } = await found(client)
  if (version < oldestVersion) throw failures.unfit('PostgreSQL 15 or newer', versionText)
  if (encoding !== 'UTF8') throw failures.unfit('the encoding UTF8', encoding)
  if (isReadonly) throw failures.readonly()
}

const checkRights = async ({ query, failures }: PostgresClient): Promise<void> => {
  const tables = await query<{ readonly relname: string }>(WITHOUT_RIGHTS)
  if (tables.length > 0)
    throw failures.rights(`no such rights on ${tables.map(({ relname }) => relname).join(', ')}`)
}

const check = async (client: PostgresClient): Promise<void> => {
  await checkServer(client)
  if ((await versionOf(client)) < MIGRATIONS.length) {
    await client.query('BEGIN')
    await applySteps(client)
    await client.query('COMMIT')
  }
  await checkRights(client)
}

/**
 * Begins a transaction in which the schema has the current version. A gate that starts on an older schema
 * waits for its end.
 */
export const beginPrepared = async (client: PostgresClient): Promise<void> => {
  await checkServer(client)
  await client.query('BEGIN')
  await applySteps(client)
  await checkRights(client)
}

/**
 * Brings the schema of a database to the current version. Rejects with a problem that says what to do when
 * the database cannot be reached or used. Resolves with the errors of this database.
 */
export const prepareDatabase = async (url: string): Promise<PostgresFailures> => {
  const client = createClient(url, openMs)
  try {
    await client.inTime(check(client))
    return client.failures
  } catch (error) {
    throw client.failures.unopened(error)
  } finally {
    void client.end()
  }
}

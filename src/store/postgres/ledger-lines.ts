import { setTimeout as pause } from 'node:timers/promises'
import { asProblem } from '../../core/model/gate/problem.ts'
import type { LedgerEnd, LedgerLines, SharedLines } from '../../core/model/gate/shared.ts'
import { unreadLedger } from '../../shared/gate/recovery.ts'
import { createClient, type PostgresClient } from './client.ts'
import { endsConnection } from './failures.ts'
import { SCHEMA_NAME } from './migrations.ts'
import { checkLease, type DatabaseAccess, type LeaseTerm } from './lease.ts'
import { prepareDatabase, versionOf } from './prepare.ts'
import { createRequests } from './requests.ts'

const END = `SELECT generation, revision, head FROM ${SCHEMA_NAME}.ledger`
const LINES = `SELECT line FROM ${SCHEMA_NAME}.ledger_line WHERE generation = $1 AND n > $2 ORDER BY n`
/** The lines come as a list in JSON, so that all of them are one statement. */
const WRITE = `SELECT ${SCHEMA_NAME}.write_ledger($1, $2, $3, $4, $5::text::json) AS outcome`

const endNow = async ({ query }: PostgresClient): Promise<LedgerEnd | undefined> =>
  (await query<LedgerEnd>(END))[0]

/** What a write adds: lines after line `after` of a ledger. */
interface Addition {
  readonly generation: number
  readonly after: number
  readonly lines: readonly string[]
}

/** Adds lines where the ledger ends at `at`, and moves its end behind them. */
export const addLines = async (
  { query }: PostgresClient,
  at: LedgerEnd | undefined,
  { generation, lines }: Pick<Addition, 'generation' | 'lines'>,
): Promise<'written' | 'moved'> => {
  const end = [at?.generation ?? null, at?.revision ?? null, at?.head ?? null]
  const [row] = await query<{ readonly outcome: 'written' | 'moved' }>(WRITE, [
    ...end,
    generation,
    JSON.stringify(lines),
  ])
  return row?.outcome ?? 'moved'
}

/** One transaction. The server writes only where the ledger ends as this gate knows it. */
const write = async (
  client: PostgresClient,
  at: LedgerEnd | undefined,
  addition: Addition,
  term: LeaseTerm | undefined,
): Promise<'written' | 'moved'> => {
  const { query } = client
  await query('BEGIN')
  try {
    await checkLease(client, term)
    const outcome = await addLines(client, at, addition)
    await query('COMMIT')
    return outcome
  } catch (error) {
    if (!endsConnection(error)) await query('ROLLBACK')
    throw error
  }
}

/**
 * Whether the addition is in the ledger, although its answer was lost. Its last line decides: a ledger that
 * goes on from a good line begins with lines that others have, too.
 */
const isWritten = async (
  client: PostgresClient,
  { generation, after, lines }: Addition,
): Promise<boolean> => {
  const place = after + lines.length - 1
  const rows = await client.query<{ readonly line: string }>(`${LINES} LIMIT 1`, [generation, place])
  return rows[0]?.line === lines.at(-1)
}

/** The lines of the newest ledger after line `after`. */
export const linesAfter = async (client: PostgresClient, after: number): Promise<LedgerLines | undefined> => {
  const end = await endNow(client)
  if (end === undefined) return undefined
  const rows = await client.query<{ readonly line: string }>(LINES, [end.generation, after])
  return { end, lines: rows.map(({ line }) => line) }
}

/** Reads the end and the lines as of one moment. */
const readAsOfNow = async (client: PostgresClient, after: number): Promise<LedgerLines | undefined> => {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const found = await linesAfter(client, after)
  await client.query('COMMIT')
  return found
}

/** The time limit for reading the whole ledger without a gate, in milliseconds. */
const readMs = 60_000
/** The version of the schema that brought the ledger. */
const ledgerVersion = 2

/**
 * Reads the ledger of a database, also while a gate works, and with the right to read alone. It changes
 * nothing, not even an older schema. Undefined: no ledger was begun there yet. Rejects with what to do when
 * the database cannot be read.
 */
export const readLedgerOf = async (url: string): Promise<LedgerLines | undefined> => {
  const client = createClient(url, readMs)
  const read = async (): Promise<LedgerLines | undefined> =>
    (await versionOf(client)) < ledgerVersion ? undefined : readAsOfNow(client, 0)
  try {
    return await client.inTime(read())
  } catch (error) {
    throw client.failures.unopened(error)
  } finally {
    void client.end()
  }
}

/** The lines, and how far this gate knows of them. */
export interface KnownLines extends SharedLines {
  /** The end as this gate wrote it, or as it first read it. Undefined: it has done neither yet. */
  end(): Pick<LedgerEnd, 'generation' | 'revision'> | undefined
}

/** Opens the ledger's lines in a PostgreSQL database, and brings its schema to the current version. */
export const openPostgresLines = async ({
  url,
  deadlineMs,
  ...access
}: DatabaseAccess): Promise<KnownLines> => {
  await prepareDatabase(url)
  return linesBy(() => createClient(url, deadlineMs), access)
}

const isUnanswered = (error: unknown): boolean => /^store\.(?:lost|late)$/.test(asProblem(error).code)

/** The pause before a write that got no answer is done again, in milliseconds. */
const againMs = 250

/** The ledger's lines in a database that is prepared. */
export const linesBy = (
  connect: () => PostgresClient,
  { term, pulse }: Pick<DatabaseAccess, 'term' | 'pulse'> = {},
): KnownLines => {
  const requests = createRequests({ connect, what: 'what the ledger needs', pulse })
  const { request } = requests
  let isStopped = false
  let end: ReturnType<KnownLines['end']>
  /** `isAgain`: an earlier write of the same lines got no answer, so they may be there. */
  const added = (at: LedgerEnd | undefined, addition: Addition, isAgain: boolean) =>
    request(async (used) => {
      const outcome = await write(used, at, addition, term)
      // Each line is signed with its place and time, so an equal line there is this one.
      return outcome === 'moved' && isAgain && (await isWritten(used, addition)) ? 'written' : outcome
    })
  /**
   * Writes the same lines until the database says what became of them, because nobody could say it before.
   * Without a term nobody waits for long.
   */
  const add = async (at: LedgerEnd | undefined, addition: Addition): Promise<'written' | 'moved'> => {
    for (let tries = 1; ; tries += 1)
      try {
        const outcome = await added(at, addition, tries > 1)
        const { generation, after, lines } = addition
        if (outcome === 'written') end = { generation, revision: after + lines.length }
        return outcome
      } catch (error) {
        const mayGoOn = !isStopped && (term !== undefined || tries === 1)
        if (!isUnanswered(error) || !mayGoOn) throw error
        await pause(againMs)
      }
  }
  return {
    end: () => end,
    read: async (after = 0) => {
      try {
        const found = await request((used) => readAsOfNow(used, after))
        end ??= found?.end
        return found
      } catch (error) {
        throw isUnanswered(error) ? unreadLedger() : error
      }
    },
    append: (at, lines) => add(at, { generation: at.generation, after: at.revision, lines }),
    begin: (at, lines) => add(at, { generation: (at?.generation ?? 0) + 1, after: 0, lines }),
    stop: () => {
      isStopped = true
      return requests.stop()
    },
  }
}

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { chainOf } from '../../src/core/gatekeeper/ledger/lines.ts'
import { budgets } from '../../src/shared/base/budgets.ts'
import { classOfText, type SqlRow, type SqlValue, type StatementName } from '../../src/store/operations.ts'
import type { PostgresClient } from '../../src/store/postgres/client.ts'
import { failuresOf, type PostgresFailures } from '../../src/store/postgres/failures.ts'
import { BULK, STATEMENTS as POSTGRES } from '../../src/store/postgres/statements.ts'
import { boundsOf, CLASSIFY, SCHEMA, STATEMENTS as SQLITE } from '../../src/store/sqlite/statements.ts'
import type { Seeded } from '../handlers/builtins/redact/seeded.ts'
import type { Machine, Wire, World } from './world.ts'

/** What a statement costs the server, in milliseconds of its one thread. */
export interface Costs {
  readonly statementMs: number
  /** A commit that writes waits for the disk. */
  readonly commitMs: number
}

export interface Database {
  readonly machine: Machine
  readonly failures: PostgresFailures
  /** Makes a connection for the machine on which it is called. */
  connect(from: Machine, deadlineMs: number): PostgresClient
  /** Ends every connection, and takes none for so long. */
  restart(forMs: number): void
  /** The lines of the ledger now. */
  lines(): readonly string[]
  /** How long the server has worked, in milliseconds. */
  busyMs(): number
}

const failures = failuresOf({ server: 'simulated', database: 'hookgate', user: 'hookgate' })

class ServerError extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.name = 'PostgresError'
    this.code = code
  }
}

const LEDGER = `
  CREATE TABLE ledger (one INTEGER PRIMARY KEY, generation INTEGER, revision INTEGER, head TEXT);
  CREATE TABLE ledger_line (generation INTEGER, n INTEGER, line TEXT NOT NULL, PRIMARY KEY (generation, n));
  CREATE TABLE lease (name TEXT PRIMARY KEY, epoch INTEGER, holder TEXT, until REAL);`

const byText = new Map(Object.entries(POSTGRES).map(([name, text]) => [text, name as StatementName]))

interface Job {
  readonly session: Session
  readonly text: string
  readonly values: readonly SqlValue[]
  reply(rows: readonly SqlRow[] | ServerError): void
}

/** One connection as the server sees it. */
interface Session {
  readonly wire: Wire
  readonly deadlineMs: number
  isFailed: boolean
  /** When its last statement ended. */
  lastMs: number
}

/**
 * A PostgreSQL server as hookgate sees it: sessions, transactions, and the few statements that hookgate
 * sends. One transaction at a time is open, so a gate that stops in the middle of one holds up all others
 * until the server ends it. That is stricter than PostgreSQL. The rows are in SQLite, in memory.
 */
export const createDatabase = (world: World, random: Seeded, costs: Costs): Database => {
  const machine = world.machine('database')
  const db = new DatabaseSync(':memory:')
  db.function('class_of', classOfText)
  db.exec(`${SCHEMA} ${CLASSIFY} ${LEDGER} ${boundsOf(budgets.records)}`)
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const run = (sql: string, ...values: readonly SQLInputValue[]): readonly SqlRow[] => {
    const statement = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, statement)
    return statement.all(...values) as SqlRow[]
  }

  /** How the server answers each statement that is no op of the store. */
  const answers: readonly (readonly [
    RegExp,
    (values: readonly SqlValue[], text: string) => readonly SqlRow[],
  ])[] = [
    [
      /check_lease/,
      ([name = '', epoch = 0]) => {
        if (run('SELECT 1 FROM lease WHERE name = ? AND epoch = ?', name, epoch).length > 0) return []
        throw new ServerError('the lease has another holder', 'HG001')
      },
    ],
    [
      /^INSERT INTO hookgate\.lease /,
      ([name = '', holder = '', lengthMs = 0]) =>
        run(
          `INSERT INTO lease (name, epoch, holder, until) VALUES (?1, 1, ?2, ?3) ON CONFLICT (name) DO UPDATE
            SET epoch = epoch + 1, holder = excluded.holder, until = excluded.until WHERE until < ?4
            RETURNING epoch`,
          name,
          holder,
          world.nowMs() + Number(lengthMs),
          world.nowMs(),
        ),
    ],
    [
      /^SELECT holder, CASE/,
      ([name = '']) =>
        run('SELECT holder, max(until - ?2, 0) AS leftMs FROM lease WHERE name = ?1', name, world.nowMs()),
    ],
    [
      /^UPDATE hookgate\.lease SET until = clock_timestamp/,
      ([name = '', epoch = 0, lengthMs = 0]) =>
        run(
          'UPDATE lease SET until = ?3 WHERE name = ?1 AND epoch = ?2 RETURNING epoch',
          name,
          epoch,
          world.nowMs() + Number(lengthMs),
        ),
    ],
    [
      /^UPDATE hookgate\.lease SET until = '-infinity'/,
      ([name = '', epoch = 0]) =>
        run('UPDATE lease SET until = -1 WHERE name = ? AND epoch = ?', name, epoch),
    ],
    [
      /^SELECT generation, revision, head FROM hookgate\.ledger/,
      () => run('SELECT generation, revision, head FROM ledger'),
    ],
    [
      /^SELECT line FROM hookgate\.ledger_line/,
      ([generation = 0, after = 0], text) =>
        run(
          `SELECT line FROM ledger_line WHERE generation = ? AND n > ? ORDER BY n ${/LIMIT 1/.exec(text)?.[0] ?? ''}`,
          generation,
          after,
        ),
    ],
    [
      /write_ledger/,
      ([generation = null, revision = null, head = null, to = 0, text]) => {
        const [end] = run('SELECT generation, revision, head FROM ledger')
        const known = [generation, revision, head]
        if (
          [end?.['generation'], end?.['revision'], end?.['head']].some(
            (one, at) => (one ?? null) !== known[at],
          )
        )
          return [{ outcome: 'moved' }]
        const lines = JSON.parse(String(text)) as readonly string[]
        const after = to === generation ? Number(revision) : 0
        run(
          'INSERT INTO ledger_line SELECT ?1, ?2 + key + 1, value FROM json_each(?3)',
          to,
          after,
          String(text),
        )
        run(
          `INSERT INTO ledger VALUES (1, ?, ?, ?) ON CONFLICT (one) DO UPDATE SET generation = excluded.generation,
            revision = excluded.revision, head = excluded.head`,
          to,
          after + lines.length,
          chainOf(lines.at(-1) ?? ''),
        )
        return [{ outcome: 'written' }]
      },
    ],
    [/^(?:BEGIN|COMMIT|ROLLBACK(?: TO op)?|SAVEPOINT op|RELEASE op)$/, (_, text) => run(text)],
    [/^BEGIN ISOLATION/, () => run('BEGIN')],
    // SQLite bounds the tables by itself. Nobody waits here.
    [/^DELETE FROM hookgate\.(?:record|ended|seen)|set_config/, () => []],
  ]
  const execute = (text: string, values: readonly SqlValue[]): readonly SqlRow[] => {
    const name = byText.get(text)
    if (name !== undefined && name in BULK) {
      for (const row of JSON.parse(String(values[0])) as SQLInputValue[][]) run(SQLITE[name], ...row)
      return []
    }
    if (name !== undefined) return run(SQLITE[name], ...values)
    const answer = answers.find(([pattern]) => pattern.test(text))?.[1]
    if (answer === undefined) throw new Error(`The simulated server does not know ${text}.`)
    return answer(values, text)
  }

  const jobs: Job[] = []
  /** The session whose transaction is open. */
  let open: Session | undefined
  let isWorking = false
  let workedMs = 0
  let downUntilMs = 0

  const rollBack = (): void => {
    if (db.isTransaction) db.exec('ROLLBACK')
    open = undefined
  }
  /** The server ends a session that does nothing in an open transaction. */
  const watch = (session: Session): void =>
    world.after(session.deadlineMs, () => {
      if (open !== session) return
      if (world.nowMs() - session.lastMs >= session.deadlineMs) session.wire.end()
      else watch(session)
    })
  const answer = ({ session, text, values }: Job): readonly SqlRow[] | ServerError => {
    if (session.isFailed && !/^(?:COMMIT|ROLLBACK)/.test(text))
      return new ServerError('current transaction is aborted', '25P02')
    try {
      if (session.isFailed && text === 'COMMIT') {
        rollBack()
        session.isFailed = false
        return []
      }
      const rows = execute(text, values)
      if (text.startsWith('BEGIN')) {
        open = session
        watch(session)
      } else if (text.startsWith('ROLLBACK')) session.isFailed = false
      if (text === 'COMMIT' || text === 'ROLLBACK') open = undefined
      return rows
    } catch (error) {
      session.isFailed = open === session
      return error instanceof ServerError ? error : new ServerError(String(error), 'XX000')
    }
  }
  const work = (): void => {
    if (isWorking) return
    const job = jobs.find(({ session }) => open === undefined || session === open)
    if (job === undefined) return
    isWorking = true
    const costMs = job.text === 'COMMIT' ? costs.commitMs : costs.statementMs
    workedMs += costMs
    world.after(costMs, () => {
      isWorking = false
      const at = jobs.indexOf(job)
      if (at >= 0) {
        jobs.splice(at, 1)
        const said = answer(job)
        job.session.lastMs = world.nowMs()
        job.reply(said)
      }
      work()
    })
  }

  const sessions = new Set<Session>()
  const connect: Database['connect'] = (from, deadlineMs) => {
    let isEnded = false
    const waiting = new Set<(error: Error) => void>()
    const endHere = (): void => {
      isEnded = true
      for (const reject of waiting) reject(new Error('the connection broke'))
      waiting.clear()
    }
    const endThere = (): void => {
      sessions.delete(session)
      const own = jobs.filter((job) => job.session === session)
      for (const job of own) jobs.splice(jobs.indexOf(job), 1)
      // What the server had got already is carried out or not. Nobody hears of it.
      if (random.below(2) === 0 && (open === undefined || open === session))
        for (const job of own) answer(job)
      if (open === session) rollBack()
      work()
    }
    const wire = world.wire(from, machine, (side) => (side === machine ? endThere() : endHere()))
    const session: Session = { wire, deadlineMs, isFailed: false, lastMs: world.nowMs() }
    sessions.add(session)
    if (downUntilMs > world.nowMs()) wire.end()
    const query: PostgresClient['query'] = (text, values = []) =>
      new Promise((resolve, reject) => {
        if (isEnded) {
          reject(new Error('it has ended'))
          return
        }
        waiting.add(reject)
        const take = (said: readonly SqlRow[] | ServerError): void => {
          waiting.delete(reject)
          if (said instanceof ServerError) reject(said)
          else resolve(said as never)
        }
        wire.send(machine, () => {
          jobs.push({ session, text, values, reply: (said) => wire.send(from, () => take(said)) })
          work()
        })
      })
    return {
      failures,
      query,
      isEnded: () => isEnded,
      lose: () => wire.end(),
      end: () => {
        isEnded = true
        wire.end()
        return Promise.resolve()
      },
      inTime: (done) =>
        new Promise((resolve, reject) => {
          const late = setTimeout(() => {
            reject(failures.late(deadlineMs))
            isEnded = true
            wire.end()
          }, deadlineMs)
          done.then(resolve, reject).finally(() => clearTimeout(late))
        }),
    }
  }

  return {
    machine,
    failures,
    connect,
    restart: (forMs) => {
      downUntilMs = world.nowMs() + forMs
      for (const { wire } of sessions) wire.end()
    },
    lines: () => run('SELECT line FROM ledger_line ORDER BY generation, n').map(({ line }) => String(line)),
    busyMs: () => workedMs,
  }
}

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { chainOf, noLine } from '../../src/core/gatekeeper/ledger/lines.ts'
import { budgets } from '../../src/shared/base/budgets.ts'
import { classOfText, type SqlRow, type SqlValue, type StatementName } from '../../src/store/operations.ts'
import { BULK, STATEMENTS as POSTGRES } from '../../src/store/postgres/statements.ts'
import { boundsOf, CLASSIFY, SCHEMA, STATEMENTS as SQLITE } from '../../src/store/sqlite/statements.ts'

/** As whom somebody is at the server: as the user of the gates, or as the owner of the tables. */
export type Login = 'gate' | 'owner'

export class ServerError extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.name = 'PostgresError'
    this.code = code
  }
}

const SHARED = `
  CREATE TABLE ledger (one INTEGER PRIMARY KEY, generation INTEGER, revision INTEGER, head TEXT);
  CREATE TABLE ledger_line (generation INTEGER, n INTEGER, line TEXT NOT NULL, PRIMARY KEY (generation, n));
  CREATE TABLE lease (name TEXT PRIMARY KEY, epoch INTEGER, holder TEXT, until REAL);
  CREATE TABLE standby (holder TEXT PRIMARY KEY, version TEXT, generation INTEGER, revision INTEGER, why TEXT,
    until REAL);`

const byText = new Map(Object.entries(POSTGRES).map(([name, text]) => [text, name as StatementName]))

/** What the user of the gates may not do, as config/service/README.md grants its rights. */
const denied = /(?:INSERT INTO|UPDATE|DELETE FROM) hookgate\.ledger(?:_line)?\b/

const refused = (message: string): ServerError => new ServerError(message, 'P0001')

/**
 * The rows of a PostgreSQL server as hookgate uses it, in SQLite and in memory, and how the server answers
 * each statement that hookgate sends.
 */
export const createTables = (nowMs: () => number) => {
  const db = new DatabaseSync(':memory:')
  db.function('class_of', classOfText)
  db.exec(`${SCHEMA} ${CLASSIFY} ${SHARED} ${boundsOf(budgets.records)}`)
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const run = (sql: string, ...values: readonly SQLInputValue[]): readonly SqlRow[] => {
    const statement = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, statement)
    return statement.all(...values) as SqlRow[]
  }
  const endNow = (): SqlRow | undefined => run('SELECT generation, revision, head FROM ledger')[0]
  const setEnd = (generation: number, revision: number, head: string): void =>
    void run(
      `INSERT INTO ledger VALUES (1, ?, ?, ?) ON CONFLICT (one) DO UPDATE SET generation = excluded.generation,
        revision = excluded.revision, head = excluded.head`,
      generation,
      revision,
      head,
    )
  /** By the head of each line that was ever written, the head of the line before it. */
  const previous = new Map<string, string>()

  /** What the function of this name in migrations.ts does. */
  const writeLedger = (values: readonly SqlValue[]): 'written' | 'moved' => {
    const end = endNow()
    const [generation = null, revision = null, head = null, to = 0, text = '[]'] = values
    const known = [end?.['generation'] ?? null, end?.['revision'] ?? null, end?.['head'] ?? null]
    if (known.some((one, at) => one !== [generation, revision, head][at])) return 'moved'
    const isSame = to === generation
    if (!isSame && to !== Number(generation ?? 0) + 1)
      throw refused(`ledger ${to} cannot follow ledger ${generation}`)
    const lines = JSON.parse(String(text)) as readonly string[]
    const from = isSame ? Number(revision) : 0
    let [n, prev, last] = [from, isSame ? String(head) : noLine, '']
    for (const line of lines) {
      n += 1
      const [, after] = /"prev":"([0-9a-f]{64})","mac":"[0-9a-f]{64}"\}$/.exec(line) ?? []
      if (!line.startsWith(`{"n":${n},`) || after !== prev)
        throw refused(`line ${n} does not follow the line before it`)
      const next = chainOf(line)
      previous.set(next, prev)
      ;[prev, last] = [next, line]
    }
    const begun = /"generation":([0-9]+)\},"prev":/.exec(last)?.[1]
    const isOfOwner = /^\{"n":[0-9]+,"at":"[^"]*","act":"(?:recover|resume)",/.test(last)
    if (Number(to) > 1 && !isSame && !(isOfOwner && begun === String(to)))
      throw refused('only an owner begins a ledger anew')
    for (const [index, line] of lines.entries())
      run('INSERT INTO ledger_line VALUES (?, ?, ?)', to, from + index + 1, line)
    setEnd(Number(to), n, prev)
    return 'written'
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
          `INSERT INTO lease (name, epoch, holder, until) VALUES (?1, ?4, ?2, ?3) ON CONFLICT (name) DO UPDATE
            SET epoch = max(epoch + 1, ?4), holder = excluded.holder, until = excluded.until WHERE until < ?4
            RETURNING epoch`,
          name,
          holder,
          nowMs() + Number(lengthMs),
          nowMs(),
        ),
    ],
    [
      /^SELECT holder, CASE/,
      ([name = '']) =>
        run('SELECT holder, max(until - ?2, 0) AS leftMs FROM lease WHERE name = ?1', name, nowMs()),
    ],
    [
      /^UPDATE hookgate\.lease SET until = clock_timestamp/,
      ([name = '', epoch = 0, lengthMs = 0]) =>
        run(
          'UPDATE lease SET until = ?3 WHERE name = ?1 AND epoch = ?2 RETURNING epoch',
          name,
          epoch,
          nowMs() + Number(lengthMs),
        ),
    ],
    [
      /^UPDATE hookgate\.lease SET until = '-infinity'/,
      ([name = '', epoch = 0]) =>
        run('UPDATE lease SET until = -1 WHERE name = ? AND epoch = ?', name, epoch),
    ],
    [
      /^INSERT INTO hookgate\.standby /,
      ([holder = '', version = '', generation = 0, revision = 0, why = null, forMs = 0]) =>
        run(
          'INSERT OR REPLACE INTO standby VALUES (?, ?, ?, ?, ?, ?)',
          holder,
          version,
          generation,
          revision,
          why,
          nowMs() + Number(forMs),
        ),
    ],
    [
      /^DELETE FROM hookgate\.standby/,
      ([holder = '']) => run('DELETE FROM standby WHERE holder = ?', holder),
    ],
    [
      /^SELECT holder, version, why/,
      ([generation = 0, revision = 0]) =>
        run(
          `SELECT holder, version, why, max(0, ?2 - CASE generation WHEN ?1 THEN revision ELSE 0 END) AS behind
            FROM standby WHERE until > ?3 ORDER BY holder LIMIT 20`,
          generation,
          revision,
          nowMs(),
        ),
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
    [/write_ledger/, (values) => [{ outcome: writeLedger(values) }]],
    [/^(?:BEGIN|COMMIT|ROLLBACK(?: TO op)?|SAVEPOINT op|RELEASE op)$/, (_, text) => run(text)],
    // SQLite bounds the tables by itself. Nobody waits here.
    [/^DELETE FROM hookgate\.(?:record|ended|seen)|set_config/, () => []],
  ]

  return {
    /** Answers one statement. Throws what the server refuses. */
    execute: (text: string, values: readonly SqlValue[], login: Login): readonly SqlRow[] => {
      const name = byText.get(text)
      if (name !== undefined && name in BULK) {
        for (const row of JSON.parse(String(values[0])) as SQLInputValue[][]) run(SQLITE[name], ...row)
        return []
      }
      if (name !== undefined) return run(SQLITE[name], ...values)
      if (login === 'gate' && denied.test(text)) throw new ServerError('permission denied', '42501')
      const answer = answers.find(([pattern]) => pattern.test(text))?.[1]
      if (answer !== undefined) return answer(values, text)
      // Whoever has the password writes statements of their own.
      if (text.startsWith('/* own */')) return run(text.replaceAll('hookgate.', ''), ...values)
      throw new Error(`The simulated server does not know ${text}.`)
    },
    rollBack: (): void => {
      if (db.isTransaction) db.exec('ROLLBACK')
    },
    /** The lines of all ledgers. */
    lines: (): readonly string[] =>
      run('SELECT line FROM ledger_line ORDER BY generation, n').map(({ line }) => String(line)),
    /** The head of the line before the line with this head, also when both are lost. */
    previousOf: (head: string): string | undefined => previous.get(head),
    /** Who holds the lease. */
    holder: (): string => String(run('SELECT holder FROM lease')[0]?.['holder']),
    /** What the gates that wait say of themselves. */
    standbys: (): readonly SqlRow[] =>
      run('SELECT holder, generation, revision, why FROM standby WHERE until > ?', nowMs()),
    /** Takes away so many of the lines that were written last. The first line of all stays. */
    loseLines: (count: number): void => {
      for (let left = count; left > 0; left--) {
        const { generation = 0, revision = 0 } = endNow() ?? {}
        const [before] = run(
          `SELECT generation, n, line FROM ledger_line WHERE generation < ?1 OR (generation = ?1 AND n < ?2)
            ORDER BY generation DESC, n DESC LIMIT 1`,
          generation,
          revision,
        )
        if (before === undefined) return
        run('DELETE FROM ledger_line WHERE generation = ? AND n = ?', generation, revision)
        setEnd(Number(before['generation']), Number(before['n']), chainOf(String(before['line'])))
      }
    },
  }
}

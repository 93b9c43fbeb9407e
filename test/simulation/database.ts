import type { SqlRow, SqlValue } from '../../src/store/operations.ts'
import type { PostgresClient } from '../../src/store/postgres/client.ts'
import { failuresOf, type PostgresFailures } from '../../src/store/postgres/failures.ts'
import type { Seeded } from '../handlers/builtins/redact/seeded.ts'
import { createTables, ServerError, type Login } from './tables.ts'
import type { Machine, Wire, World } from './world.ts'

/** What a statement costs the server, in milliseconds of its one thread. */
export interface Costs {
  readonly statementMs: number
  /** A commit that writes waits for the disk. */
  readonly commitMs: number
}

export interface Database extends Pick<
  ReturnType<typeof createTables>,
  'lines' | 'previousOf' | 'standbys' | 'holder'
> {
  readonly machine: Machine
  readonly failures: PostgresFailures
  /** Makes a connection for the machine on which it is called. */
  connect(from: Machine, deadlineMs: number, login?: Login): PostgresClient
  /** Ends every connection, and takes none for so long. */
  restart(forMs: number): void
  /**
   * Ends every connection, and loses the newest lines of the ledger. The messages stay: what became of one
   * may be lost as well, and then it is sent again, which nobody could notice.
   */
  putBack(lines: number): void
  /** Calls back when the next line of the ledger was committed. */
  onNextLine(listener: () => void): void
  /**
   * One statement takes so long, the first one after so many others. Another connection is answered, unless
   * the transaction of that statement is in its way.
   */
  hangOne(after: number, forMs: number): void
  /** How long the server has worked, in milliseconds. */
  busyMs(): number
  /** Somebody changed the ledger behind the gates, so that a gate that waits sees it since then. */
  noteLoss(atMs?: number): void
  /** Since when a gate that waits sees that. */
  lostMs(): number
  /** What was written by somebody who did not hold the lease. */
  strays(): readonly string[]
}

const failures = failuresOf({ server: 'simulated', database: 'hookgate', user: 'hookgate' })

interface Job {
  readonly session: Session
  readonly text: string
  readonly values: readonly SqlValue[]
  reply(rows: readonly SqlRow[] | ServerError): void
}

/** One connection as the server sees it. */
interface Session {
  readonly from: Machine
  readonly login: Login
  readonly wire: Wire
  readonly deadlineMs: number
  isFailed: boolean
  /** When its last statement ended. */
  lastMs: number
  /** Its statements wait until then. */
  hungUntilMs: number
  /** What its open transaction has written. */
  wrote: 'nothing' | 'rows' | 'lines'
  /** In a transaction that only reads: the number of lines when it first looked. */
  seen: number | undefined
}

const readOnly = 'BEGIN ISOLATION'
const changes = /^\s*(?:INSERT|UPDATE|DELETE|WITH fresh)/

/**
 * A PostgreSQL server as hookgate sees it: sessions, transactions, and the few statements that hookgate
 * sends. One transaction that writes is open at a time, so a gate that stops in the middle of one holds up
 * all others until the server ends it. That is stricter than PostgreSQL. A transaction that only reads is in
 * nobody's way.
 */
export const createDatabase = (world: World, random: Seeded, costs: Costs): Database => {
  const machine = world.machine('database')
  const tables = createTables(world.nowMs)
  const jobs: Job[] = []
  const sessions = new Set<Session>()
  const lineListeners: (() => void)[] = []
  const strays: string[] = []
  /** How the process on a machine is called, since it took the lease. */
  const processes = new WeakMap<Machine, SqlValue>()
  /** The session whose transaction is open. */
  let open: Session | undefined
  let isWorking = false
  let workedMs = 0
  let downUntilMs = 0
  let lostMs = -Infinity
  let hang: { left: number; readonly forMs: number } | undefined

  const noteLoss = (atMs = world.nowMs()): void => {
    lostMs = Math.max(lostMs, atMs)
  }
  const rollBack = (): void => {
    tables.rollBack()
    open = undefined
  }
  /** The server ends a session that does nothing in an open transaction. */
  const watch = (session: Session): void =>
    world.after(session.deadlineMs, () => {
      if (open !== session) return
      if (world.nowMs() - session.lastMs >= session.deadlineMs) session.wire.end()
      else watch(session)
    })
  const committed = ({ from, login, wrote }: Session): void => {
    const process = processes.get(from)
    if (wrote !== 'nothing' && login === 'gate' && process !== tables.holder())
      strays.push(`${from.name} (${process}) wrote ${wrote} at ${world.nowMs().toFixed(0)} ms`)
    if (wrote === 'lines') for (const listener of lineListeners.splice(0)) listener()
  }
  const answer = ({ session, text, values }: Job): readonly SqlRow[] | ServerError => {
    if (session.isFailed && !/^(?:COMMIT|ROLLBACK)/.test(text))
      return new ServerError('current transaction is aborted', '25P02')
    try {
      if (session.isFailed && text === 'COMMIT') {
        rollBack()
        session.isFailed = false
        return []
      }
      if (text.startsWith(readOnly) || (text === 'COMMIT' && session.seen !== undefined)) {
        session.seen = text === 'COMMIT' ? undefined : Infinity
        return []
      }
      const rows = tables.execute(text, values, session.login)
      if (session.seen === Infinity) session.seen = Number(rows[0]?.['revision'] ?? 0)
      // What was written since its first look is not there for it.
      else if (session.seen !== undefined) return rows.slice(0, Math.max(0, session.seen - Number(values[1])))
      if (text.startsWith('INSERT INTO hookgate.lease ') && rows.length > 0)
        processes.set(session.from, values[1] ?? null)
      if (rows[0]?.['outcome'] === 'written') session.wrote = 'lines'
      else if (session.wrote === 'nothing' && changes.test(text)) session.wrote = 'rows'
      if (text.startsWith('BEGIN')) {
        open = session
        session.wrote = 'nothing'
        watch(session)
      } else if (text.startsWith('ROLLBACK')) session.isFailed = false
      if (text === 'COMMIT' || text === 'ROLLBACK') open = undefined
      if (text === 'COMMIT') committed(session)
      return rows
    } catch (error) {
      session.isFailed = open === session
      return error instanceof ServerError ? error : new ServerError(String(error), 'XX000')
    }
  }
  const work = (): void => {
    if (isWorking) return
    const job = jobs.find(
      ({ session }) => (open === undefined || session === open) && session.hungUntilMs <= world.nowMs(),
    )
    if (job === undefined) return
    if (hang !== undefined && hang.left-- === 0) {
      job.session.hungUntilMs = world.nowMs() + hang.forMs
      world.after(hang.forMs, work)
      hang = undefined
      work()
      return
    }
    isWorking = true
    const costMs = job.text === 'COMMIT' && job.session === open ? costs.commitMs : costs.statementMs
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

  const connect: Database['connect'] = (from, deadlineMs, login = 'gate') => {
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
    const lastMs = world.nowMs()
    const session: Session = {
      from,
      login,
      wire,
      deadlineMs,
      isFailed: false,
      lastMs,
      hungUntilMs: 0,
      wrote: 'nothing',
      seen: undefined,
    }
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
    lines: tables.lines,
    previousOf: tables.previousOf,
    standbys: tables.standbys,
    holder: tables.holder,
    connect,
    restart: (forMs) => {
      downUntilMs = world.nowMs() + forMs
      for (const { wire } of sessions) wire.end()
    },
    putBack: (lines) => {
      jobs.length = 0
      rollBack()
      tables.loseLines(lines)
      noteLoss()
      for (const { wire } of sessions) wire.end()
    },
    onNextLine: (listener) => void lineListeners.push(listener),
    hangOne: (after, forMs) => {
      hang = { left: after, forMs }
    },
    busyMs: () => workedMs,
    noteLoss,
    lostMs: () => lostMs,
    strays: () => strays,
  }
}

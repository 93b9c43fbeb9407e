import { killGroup } from '../../../shared/base/process-group.ts'
import { markName } from './group.ts'
import { listPids, readRow, readVariable, type ProcessRow } from './process-table.ts'

/** Finds processes that left their run's process group, and ends them with that run. */
export interface Orphans {
  /**
   * A program has started that leads its own session. `mark` is in its environment and belongs to no other
   * run.
   */
  began(pid: number, mark?: string): void
  /**
   * The run is over. Its group is killed now. Processes that left the group are killed soon after, if `hunt`
   * was called.
   */
  ended(pid: number): void
  /** Calls `tell` when a group begins, and when it has ended. */
  report(tell: (pid: number, isOver: boolean) => void): void
  /**
   * Kills every process of the PID namespace that belongs to no run. Only the one process that starts
   * programs there may call it. `hopeless` is called when processes appear faster than they can be killed.
   */
  hunt(hopeless: () => void): void
}

/** The first look comes after the answer. Runs that end together share one look. */
const firstLookMs = 10
const lookAgainMs = 2
/** After this time the processes either cannot be killed or fork without end. */
const huntTimeoutMs = 1000
/**
 * When this many looks in a row find no orphan, there is none. One look is not enough: a process that ended
 * during it may have left another.
 */
const quietLooks = 10
/** More processes than this are killed faster together with their namespace. */
const maxOrphans = 100

/**
 * Finds the processes that belong to no run. A session belongs to a run when that run's program leads it, or
 * when one of its processes has a parent in a session of the run. So a child that began its own session stays
 * while its parent does. A process that has also lost its parent stays only by the mark of its run.
 */
const findOrphans = (
  live: ReadonlyMap<number, string | undefined>,
): { readonly found: readonly ProcessRow[]; readonly hasMissed: boolean } => {
  const rows = new Map<number, ProcessRow>()
  // Orphans become children of the namespace's first process or of this one, so these two are left out.
  const pids = listPids().filter((pid) => pid !== 1 && pid !== process.pid)
  for (const pid of pids) {
    const row = readRow(pid)
    if (row !== undefined) rows.set(pid, row)
  }
  const owned = new Set([...live.keys(), 0])
  const isOwned = ({ session }: ProcessRow): boolean => owned.has(session)
  const all = [...rows.values()]
  const own = (isOf: (row: ProcessRow) => boolean): boolean => {
    let hasMore = false
    // In the order of pids a parent nearly always comes before its children, so one pass is enough.
    for (const row of all) {
      if (isOwned(row) || !isOf(row)) continue
      owned.add(row.session)
      hasMore = true
    }
    return hasMore
  }
  const ownFamilies = (): void => {
    let isMore = all.some((row) => !isOwned(row))
    while (isMore) {
      isMore = own(({ parent }) => {
        const row = rows.get(parent)
        return row !== undefined && isOwned(row)
      })
    }
  }
  ownFamilies()
  const marks = new Set([...live.values()].filter((mark) => mark !== undefined))
  if (marks.size > 0 && own(({ pid }) => marks.has(readVariable(pid, markName) ?? ''))) ownFamilies()
  // Zombies are included: of an endlessly forking process there may be nothing else to see.
  return { found: all.filter((row) => !isOwned(row)), hasMissed: rows.size < pids.length }
}

export const createOrphans = (): Orphans => {
  const live = new Map<number, string | undefined>()
  let hopeless: (() => void) | undefined
  let report: Parameters<Orphans['report']>[0] | undefined
  let timer: NodeJS.Timeout | undefined
  let untilMs = 0
  let seen = new Set<number>()
  let quiet = 0

  const look = (): void => {
    timer = undefined
    const { found, hasMissed } = findOrphans(live)
    quiet = found.length > 0 ? 0 : quiet + 1
    if (quiet > 0 && (quiet >= quietLooks || !hasMissed)) return
    const isLate = performance.now() > untilMs
    const hasNew = found.some(({ pid }) => !seen.has(pid))
    if (found.length > maxOrphans || (isLate && hasNew)) return hopeless?.()
    // The same processes are still there: the system is slow to end them, or cannot.
    if (isLate) return
    for (const group of new Set(found.map((row) => row.group))) killGroup(group)
    seen = new Set(found.map(({ pid }) => pid))
    timer = setTimeout(look, lookAgainMs)
  }

  return {
    began: (pid, mark) => {
      live.set(pid, mark)
      // The program gets its input first, and the gate its answer.
      queueMicrotask(() => report?.(pid, false))
    },
    ended: (pid) => {
      live.delete(pid)
      killGroup(pid)
      setImmediate(() => report?.(pid, true))
      quiet = 0
      if (hopeless === undefined || timer !== undefined) return
      untilMs = performance.now() + huntTimeoutMs
      seen = new Set()
      timer = setTimeout(look, firstLookMs)
    },
    report: (tell) => {
      report = tell
    },
    hunt: (then) => {
      hopeless = then
    },
  }
}

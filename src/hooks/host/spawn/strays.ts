import { killGroup, markName } from './group.ts'
import { listPids, readRow, readVariable, type ProcessRow } from './process-table.ts'

/** What left its run's process group, and is to end with that run all the same. */
export interface Strays {
  /** A program runs that leads a session of its own. `mark`: what its environment bears, and that of no other run. */
  began(pid: number, mark?: string): void
  /** Its run is over: its group is killed now, and whatever left that one soon, if `hunt` was called. */
  ended(pid: number): void
  /**
   * Only for the one process that starts programs in its PID namespace: everybody there who is of no run is killed.
   * `hopeless`: they come up faster than they can be killed.
   */
  hunt(hopeless: () => void): void
}

/** Behind the answer; runs that end together are looked behind together. */
const firstLookMs = 10
const lookAgainMs = 2
/** Then either they cannot be killed, or they fork for ever. */
const huntTimeoutMs = 1000
/** So many looks in a row find nobody, but somebody who went meanwhile and may have left another: then there is none. */
const quietLooks = 10
/** More are killed faster with their namespace than one by one. */
const maxStrays = 100

/**
 * Everybody of no run. A session is of a run when that run's program leads it, or when somebody in it has a parent in
 * a session that is: so a child that began its own session stays while its parent does. Whoever has lost its parent
 * too stays only by the mark of its run.
 */
const findStrays = (
  live: ReadonlyMap<number, string | undefined>,
): { readonly found: readonly ProcessRow[]; readonly hasMissed: boolean } => {
  const rows = new Map<number, ProcessRow>()
  // The namespace's first process and this one adopt whoever has lost its parent.
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
    // In the order of their numbers, a parent nearly always before its children: one time through is enough.
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
  // With those that nobody has buried yet: who forks for ever may have nothing else to show when it is looked at.
  return { found: all.filter((row) => !isOwned(row)), hasMissed: rows.size < pids.length }
}

export const createStrays = (): Strays => {
  const live = new Map<number, string | undefined>()
  let hopeless: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  let untilMs = 0
  let seen = new Set<number>()
  let quiet = 0

  const look = (): void => {
    timer = undefined
    const { found, hasMissed } = findStrays(live)
    quiet = found.length > 0 ? 0 : quiet + 1
    if (quiet > 0 && (quiet >= quietLooks || !hasMissed)) return
    const isLate = performance.now() > untilMs
    const hasNew = found.some(({ pid }) => !seen.has(pid))
    if (found.length > maxStrays || (isLate && hasNew)) return hopeless?.()
    // The same ones still: the system does not let them go yet, or not at all.
    if (isLate) return
    for (const group of new Set(found.map((row) => row.group))) killGroup(group)
    seen = new Set(found.map(({ pid }) => pid))
    timer = setTimeout(look, lookAgainMs)
  }

  return {
    began: (pid, mark) => void live.set(pid, mark),
    ended: (pid) => {
      live.delete(pid)
      killGroup(pid)
      quiet = 0
      if (hopeless === undefined || timer !== undefined) return
      untilMs = performance.now() + huntTimeoutMs
      seen = new Set()
      timer = setTimeout(look, firstLookMs)
    },
    hunt: (then) => {
      hopeless = then
    },
  }
}

import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createMutex } from '../../model/base/mutex.ts'
import type { ArmedHook } from '../../model/hooks/entry.ts'
import { messageOf } from '../../model/gate/problem.ts'
import { isOtherThan, type Surroundings, type WatchedFile } from '../../model/approval/canonical.ts'
import type { CheckedCopies } from './checked-copy.ts'
import { shownName } from '../../model/approval/names.ts'
import {
  digestOf,
  isSameStat,
  isSettled,
  readSource,
  settledAfterMs,
  statOf,
} from '../../model/approval/source-file.ts'

type Stat = ReturnType<typeof statOf>

const changedWords = (name: string): string => `${shownName(name)} changed since approval; approve it again`

/** The last comparison of each file: its stat and its fault, by full path. */
export type Compared = Map<string, { readonly stat: Stat; readonly fault: string | undefined }>

/**
 * Creates the check of watched files. It makes one stat call for each file while nothing changed, and
 * compares the bytes otherwise. The agent can reach these files, so a change is a fault of this run and never
 * causes a lockdown. The files in `kept` are copied by `copies` when they were compared, and the hook runs
 * the copies. The check returns the fault, or undefined.
 */
export const createWatchCheck = (
  { watched = [], absent = [] }: Surroundings,
  workspace: string,
  copiedNames: ReadonlySet<string>,
  copies: CheckedCopies,
  known: Compared,
): (() => string | undefined) => {
  const compare = (known: WatchedFile, file: string, stat: Stat): string | undefined => {
    const { path: name, bytes, isExecutable } = known
    // Another size means another content, so a file that somebody made large is not read.
    if (stat?.isFile() === true && Number(stat.size) !== bytes) return changedWords(name)
    const source = readSource(file, shownName(name))
    if ('problem' in source) return `${changedWords(name)}. ${source.problem.message}`
    if (isOtherThan(known, source)) return changedWords(name)
    if (copiedNames.has(name)) {
      copies.prepare()
      copies.keep(name, source.content, isExecutable)
    }
    return undefined
  }
  const check = (one: WatchedFile): string | undefined => {
    const file = path.resolve(workspace, one.path)
    const stat = statOf(file)
    const last = known.get(file)
    const isKnown = last !== undefined && isSameStat(last.stat, stat)
    if (isKnown && (last.fault !== undefined || !copiedNames.has(one.path) || copies.isKept(one.path)))
      return last.fault
    const fault = compare(one, file, stat)
    if (stat !== undefined && isSettled(stat)) known.set(file, { stat, fault })
    else known.delete(file)
    return fault
  }
  const appeared = (name: string): string | undefined => {
    const stat = statOf(path.resolve(workspace, name))
    return stat === undefined || stat.isDirectory()
      ? undefined
      : `${shownName(name)} was not there at approval; approve it again`
  }
  const checked = (one: WatchedFile): string | undefined => {
    try {
      return check(one)
    } catch (error) {
      return `${shownName(one.path)} could not be copied to run it (${messageOf(error)})`
    }
  }
  return () => {
    for (const one of watched) {
      const fault = checked(one)
      if (fault !== undefined) return fault
    }
    return absent.map(appeared).find((fault) => fault !== undefined)
  }
}

/**
 * True when a change from now on gets another timestamp: the last one is old enough, or in the future after a
 * clock was set back.
 */
const isStampOver = (stat: Stat): boolean => stat === undefined || isSettled(stat)

/** The time limit for reading the files, in milliseconds. Files of a few megabytes take far less. */
const lookMs = 10_000

interface WatchedPath {
  readonly file: string
  readonly shown: string
  /** The watched file at this path or below it. */
  readonly leadsTo: string
  /**
   * True for the workspace itself. Other files in it change its timestamp, which does not concern the hook.
   */
  readonly isTop: boolean
}

/**
 * The paths whose stats are compared in addition to bytes: each file, and each folder from the workspace to
 * it. A folder that was replaced and put back has another timestamp, and so has a folder in which a file
 * appeared and disappeared.
 */
const watchedPathsOf = (
  { watched, absent }: Required<Surroundings>,
  workspace: string,
): readonly WatchedPath[] => {
  const points = new Map<string, WatchedPath>()
  const add = (name: string, leadsTo: string, isTop: boolean): void => {
    const known = points.get(name)
    if (known !== undefined && (!known.isTop || isTop)) return
    const file = path.resolve(workspace, name)
    points.set(name, { file, shown: shownName(name), leadsTo: shownName(leadsTo), isTop })
  }
  const addFolders = (name: string): void => {
    add('.', name, true)
    // Folders outside the workspace belong to the machine, and others write there.
    if (path.isAbsolute(name)) return
    for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder))
      add(folder, name, false)
  }
  for (const { path: name } of watched) {
    add(name, name, false)
    addFolders(name)
  }
  for (const name of absent) {
    add(name, name, false)
    addFolders(name)
    // A file that appears there and disappears again leaves no other trace.
    if (path.dirname(name) === '.') add('.', name, false)
  }
  return [...points.values()]
}

const isSameInode = (a: Stat, b: Stat): boolean => a?.ino === b?.ino && a?.dev === b?.dev

const hasMoved = ({ isTop }: WatchedPath, then: Stat, now: Stat): boolean => {
  if (then === undefined || now === undefined) return then !== now
  return isTop ? !isSameInode(then, now) : !isSameStat(then, now)
}

const movedWords = (
  { shown, leadsTo }: WatchedPath,
  stat: Stat,
  moved = 'changed while the hook ran',
): string => {
  if (shown === leadsTo && stat?.isDirectory() !== true) return `${shown} ${moved}`
  const folder = shown === './.' ? 'The workspace' : shown
  return (
    `${folder} ${moved}: a file was created, renamed or deleted there, and the hook uses ${leadsTo}. ` +
    'Let hooks and agents write to another folder'
  )
}

const timedOut = 'its watched files could not be read in time'

/**
 * Creates the check of watched files that cannot be copied, such as code that a script sources. Their bytes
 * and paths are compared before and after each run, and a stat never replaces the comparison of bytes. Checks
 * run one at a time, so that large files never fill the memory.
 */
export const createStayCheck = (
  { watched = [], absent = [] }: Surroundings,
  workspace: string,
  isCopied: (name: string) => boolean,
  known: Compared,
): ArmedHook['watch'] => {
  const used = watched.filter(({ path: name }) => !isCopied(name))
  if (used.length === 0 && absent.length === 0) return undefined
  const points = watchedPathsOf({ watched: used, absent }, workspace)
  const paths = new Set(used.map(({ path: name }) => path.resolve(workspace, name)))
  const look = (): readonly Stat[] => points.map(({ file }) => statOf(file))
  const queued = createMutex()
  const inTurn = async <T>(ask: () => Promise<T>): Promise<T | string> => {
    const end = new AbortController()
    try {
      return await Promise.race([queued(ask), setTimeout(lookMs, timedOut, { signal: end.signal })])
    } finally {
      end.abort()
    }
  }
  const otherBytes = async (): Promise<string | undefined> => {
    for (const { path: name, sha256, bytes } of used) {
      if ((await digestOf(path.resolve(workspace, name), bytes)) !== sha256) return name
    }
    return undefined
  }
  const before = async (): Promise<string | readonly Stat[]> => {
    let stats = look()
    // A second change within one tick of the kernel's clock would have the same timestamp.
    if (!stats.every(isStampOver)) {
      await setTimeout(2 * settledAfterMs)
      stats = look()
    }
    const fresh = points.findIndex((point, index) => !point.isTop && !isStampOver(stats[index]))
    const [point, stat] = [points[fresh], stats[fresh]]
    if (point !== undefined) return movedWords(point, stat, 'keeps changing')
    const other = await otherBytes()
    if (other !== undefined) return changedWords(other)
    // The next check on the gate's own thread then has nothing to read.
    for (const [index, { file }] of points.entries()) {
      if (paths.has(file)) known.set(file, { stat: stats[index], fault: undefined })
    }
    return stats
  }
  const after = async (before: readonly Stat[]): Promise<string | undefined> => {
    const other = await otherBytes()
    if (other !== undefined) return `${shownName(other)} changed while the hook ran`
    const now = look()
    const at = points.findIndex((point, index) => hasMoved(point, before[index], now[index]))
    const point = points[at]
    return point === undefined ? undefined : movedWords(point, now[at])
  }
  return async () => {
    const stats = await inTurn(before)
    return typeof stats === 'string' ? stats : () => inTurn(() => after(stats))
  }
}

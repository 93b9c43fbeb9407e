import path from 'node:path'
import type { Surroundings, WatchedFile } from './canonical.ts'
import type { CheckedCopies } from './checked-copy.ts'
import { messageOf } from '../model/problem.ts'
import { shownName } from './names.ts'
import { isSameStat, isSettled, readSource, statOf } from './source-file.ts'

const changedWords = (name: string): string => `${shownName(name)} changed since approval; approve it again`

/**
 * Makes the check of what a hook uses from where it lies: a stat call for each file while nothing moved, else its bytes
 * are compared again. They lie in the agent's reach, so a change is this run's fault and says nothing about the gate.
 * `copies` keeps what was compared of the files in `kept`: those run, and not what lies there by then.
 */
export const createWatchCheck = (
  { watched = [], absent = [] }: Surroundings, workspace: string, kept: ReadonlySet<string>, copies: CheckedCopies,
): (() => string | undefined) => {
  const known = new Map<string, { readonly stat: ReturnType<typeof statOf>; readonly fault: string | undefined }>()

  const compare = ({ path: name, sha256, bytes }: WatchedFile, file: string, stat: ReturnType<typeof statOf>): string | undefined => {
    // Another length is another content: what somebody made large is not read.
    if (stat?.isFile() === true && Number(stat.size) !== bytes) return changedWords(name)
    const source = readSource(file, shownName(name))
    if ('problem' in source) return `${changedWords(name)}. ${source.problem.message}`
    if (source.sha256 !== sha256) return changedWords(name)
    if (kept.has(name)) {
      copies.prepare()
      copies.keep(name, source.content)
    }
    return undefined
  }
  const check = (one: WatchedFile): string | undefined => {
    const file = path.resolve(workspace, one.path)
    const stat = statOf(file)
    const last = known.get(file)
    const isKnown = last !== undefined && isSameStat(last.stat, stat)
    if (isKnown && (last.fault !== undefined || !kept.has(one.path) || copies.isKept(one.path))) return last.fault
    const fault = compare(one, file, stat)
    if (stat !== undefined && isSettled(stat)) known.set(file, { stat, fault })
    else known.delete(file)
    return fault
  }
  const came = (name: string): string | undefined => {
    const stat = statOf(path.resolve(workspace, name))
    return stat === undefined || stat.isDirectory() ? undefined : `${shownName(name)} was not there at approval; approve it again`
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
    return absent.map(came).find((fault) => fault !== undefined)
  }
}

/**
 * What is used by its path all the same, as code that a script sources: it must lie there after the run as before it.
 * Gives the look afterwards.
 */
export const createStayCheck = (
  { watched = [], absent = [] }: Surroundings, workspace: string, copied: ReadonlySet<string>,
): (() => () => string | undefined) | undefined => {
  const names = [...watched.map(({ path: name }) => name).filter((name) => !copied.has(name)), ...absent]
  if (names.length === 0) return undefined
  const look = (): ReadonlyMap<string, ReturnType<typeof statOf>> =>
    new Map(names.map((name) => [name, statOf(path.resolve(workspace, name))]))
  return () => {
    const before = look()
    return () => {
      const after = look()
      const moved = names.find((name) => {
        const [then, now] = [before.get(name), after.get(name)]
        return then === undefined || now === undefined ? then !== now : !isSameStat(then, now)
      })
      return moved === undefined ? undefined : `${shownName(moved)} changed while the hook ran`
    }
  }
}

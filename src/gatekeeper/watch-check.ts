import path from 'node:path'
import type { Surroundings, WatchedFile } from './canonical.ts'
import { shownName } from './names.ts'
import { isSameStat, isSettled, readSource, statOf } from './source-file.ts'

/**
 * Makes the check of what a hook uses from where it lies: a stat call for each file while nothing moved, else its bytes
 * are hashed again. They lie in the agent's reach, so a change is this run's fault and says nothing about the gate.
 */
export const createWatchCheck = ({ watched = [], absent = [] }: Surroundings, workspace: string): (() => string | undefined) => {
  const known = new Map<string, { readonly stat: ReturnType<typeof statOf>; readonly fault: string | undefined }>()

  const compare = ({ path: name, sha256, bytes }: WatchedFile, file: string, stat: ReturnType<typeof statOf>): string | undefined => {
    const shown = shownName(name)
    // Another length is another content: what somebody made large is not read.
    if (stat?.isFile() === true && Number(stat.size) !== bytes) return `${shown} changed since approval; approve it again`
    const source = readSource(file, shown)
    if ('problem' in source) return `${shown} changed since approval; approve it again. ${source.problem.message}`
    return source.sha256 === sha256 ? undefined : `${shown} changed since approval; approve it again`
  }
  const check = (one: WatchedFile): string | undefined => {
    const file = path.resolve(workspace, one.path)
    const stat = statOf(file)
    const last = known.get(file)
    if (last !== undefined && isSameStat(last.stat, stat)) return last.fault
    const fault = compare(one, file, stat)
    if (stat !== undefined && isSettled(stat)) known.set(file, { stat, fault })
    else known.delete(file)
    return fault
  }
  const came = (name: string): string | undefined => {
    const stat = statOf(path.resolve(workspace, name))
    return stat === undefined || stat.isDirectory() ? undefined : `${shownName(name)} was not there at approval; approve it again`
  }
  return () => {
    for (const one of watched) {
      const fault = check(one)
      if (fault !== undefined) return fault
    }
    return absent.map(came).find((fault) => fault !== undefined)
  }
}

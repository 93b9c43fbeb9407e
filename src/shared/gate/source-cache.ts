import fs from 'node:fs'
import {
  type Source,
  type Refuses,
  openProblem,
  isSameStat,
  readSource,
  isSettled,
} from '../../core/model/approval/source-file.ts'
import type { Problem } from '../../core/model/gate/problem.ts'

const maxCached = 4000
/**
 * Caches what `keep` returns for a file, until its stat changes. Only for showing: an approval always reads
 * the file.
 */
export const createSourceCache = <T>(
  keep: (source: Source, file: string) => T,
  refuses?: Refuses,
): ((file: string, shown: string) => T | { readonly problem: Problem }) => {
  const cache = new Map<string, { readonly stat: fs.BigIntStats; readonly value: T }>()
  return (file, shown) => {
    let stat: fs.BigIntStats
    try {
      stat = fs.lstatSync(file, { bigint: true })
    } catch (error) {
      return openProblem(shown, error)
    }
    const known = cache.get(file)
    if (known !== undefined && isSameStat(known.stat, stat)) return known.value
    const source = readSource(file, shown, undefined, refuses)
    if ('problem' in source) return source
    const value = keep(source, file)
    if (isSettled(stat)) {
      if (cache.size >= maxCached) cache.clear()
      cache.set(file, { stat, value })
    }
    return value
  }
}

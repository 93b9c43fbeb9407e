import { unwatchFile, watchFile } from 'node:fs'

const pollEveryMs = 300
/** A changed file is read after it has not changed for this long, because it may still be written. */
const quietMs = 120

/**
 * Calls back when a file was changed, replaced or removed. It polls by stat, because only polling notices
 * in-place writes, renames over the file, removal and a replaced link.
 */
export const watch = (path: string, changed: () => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  const listener = (): void => {
    clearTimeout(timer)
    timer = setTimeout(changed, quietMs)
  }
  watchFile(path, { interval: pollEveryMs, persistent: false }, listener)
  return () => {
    clearTimeout(timer)
    unwatchFile(path, listener)
  }
}

import { unwatchFile, watchFile } from 'node:fs'

const pollEveryMs = 300
/** A file that is still being written is read when it has been quiet this long. */
const quietMs = 120

/**
 * Calls back when a file changed, was replaced or removed. Polls by stat: of all ways to watch it alone sees in-place
 * writes, renames over it, removal and a swapped link alike.
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

const windowMs = 60_000
const maxPerWindow = 10

export interface Misuse {
  /** False when there are too many to answer one by one. */
  report(why: string): boolean
}

/**
 * Counts wrong logins. A right one is never counted and never refused: whoever floods the page must not lock its
 * owner out. Above the limit the alarm stays silent until the minute is over, and the next one says how many there were.
 */
export const createMisuse = (elapsedMs: () => number, alarm: (why: string) => void): Misuse => {
  let startedAtMs = -Infinity
  let count = 0
  return {
    report: (why) => {
      const atMs = elapsedMs()
      let untold = 0
      if (atMs - startedAtMs >= windowMs) {
        untold = Math.max(0, count - maxPerWindow)
        startedAtMs = atMs
        count = 0
      }
      count += 1
      if (count > maxPerWindow) return false
      alarm(untold === 0 ? why : `${why} ${untold} more tries came before it, too many to tell one by one.`)
      return true
    },
  }
}

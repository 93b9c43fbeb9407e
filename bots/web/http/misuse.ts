const windowMs = 60_000
const maxPerWindow = 10

export interface Misuse {
  /** Reports one attempt. False when there were too many in this minute. */
  report(why: string): boolean
}

/**
 * Counts wrong logins and limits their alarms. A right login is never counted and never refused, so that
 * nobody can lock the owner out. Above the limit no alarm is raised until the minute is over. The next alarm
 * then says how many attempts there were.
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
      alarm(
        untold === 0
          ? why
          : `${why} There were ${untold} more attempts before it that were not reported one by one.`,
      )
      return true
    },
  }
}

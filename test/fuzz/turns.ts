/** How often it is looked, in milliseconds. */
const everyMs = 10

/**
 * The longest turn of this thread, in milliseconds of its own processor time: a timer that should run every
 * 10 ms sees how much was worked since it ran last. What other programs take from the machine does not count.
 */
export const watchTurns = (): { readonly longestMs: () => number } => {
  let before = process.threadCpuUsage()
  let longestMs = 0
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (user + system) / 1000)
  }, everyMs).unref()
  return {
    longestMs: () => {
      const found = longestMs
      longestMs = 0
      return found
    },
  }
}

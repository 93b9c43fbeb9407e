/**
 * Begins to measure, and returns what says how long the processor worked in this process since then, in
 * milliseconds. What other programs do meanwhile is not counted.
 */
export const measureProcessor = (): (() => number) => {
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
}

import type { Reporter, TestCase } from 'vitest/node'

/** What takes longer belongs in another tier. */
const maxTestMs = 3000
/**
 * The largest part of the whole tier's time that one test may take: on an idle machine some seconds, beside
 * two others.
 */
const maxShare = 1 / 60

/**
 * Holds the rule of tiers: no test of the quick tier takes over 3 seconds. A slow or busy machine makes every
 * test slow, so the time that all tests of the same run took together is the measure there.
 */
export const createSlow = (): Reporter => {
  const ran: { readonly test: TestCase; readonly tookMs: number }[] = []
  return {
    onTestCaseResult: (test) => {
      if (test.project.name === 'quick') ran.push({ test, tookMs: test.diagnostic()?.duration ?? 0 })
    },
    onTestRunEnd: () => {
      const allowedMs = Math.max(maxTestMs, maxShare * ran.reduce((sum, { tookMs }) => sum + tookMs, 0))
      for (const { test, tookMs } of ran.filter((one) => one.tookMs > allowedMs)) {
        process.stdout.write(
          `Expected a test of the quick tier to take at most ${Math.round(allowedMs)} ms, got ${Math.round(tookMs)} ms: ` +
            `${test.module.relativeModuleId}: ${test.fullName}. Move it to another tier (test/tiers.ts).\n`,
        )
        process.exitCode = 1
      }
    },
  }
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reporter, TestCase } from 'vitest/node'

/** What takes longer belongs in another tier. */
const maxTestMs = 3000
const maxReruns = 20
/** Of so many measurements the shortest counts: the others met something else that this machine did. */
const measurements = 3

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly { readonly fullName: string; readonly duration?: number | null }[] }[]
}

/** How long a test takes with nothing beside it, in milliseconds; undefined when it did not run. */
const measureAlone = (file: string, fullName: string): number | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-slow-'))
  const report = join(folder, 'report.json')
  const pattern = `^${fullName.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`
  try {
    const words = ['--config', 'test/vitest.config.ts', '--project', 'quick', '--reporter=json', `--outputFile=${report}`]
    spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...words, '-t', pattern, file], { stdio: 'ignore' })
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
    const ran = testResults.flatMap(({ assertionResults }) => assertionResults).find((one) => one.fullName === fullName)
    return ran?.duration ?? undefined
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const shortestAlone = (file: string, fullName: string): number => {
  const times = []
  for (let index = 0; index < measurements && (times.at(-1) ?? Infinity) > maxTestMs; index += 1) {
    times.push(measureAlone(file, fullName) ?? 0)
  }
  return Math.min(...times)
}

/**
 * Holds the rule of tiers: no test of the quick tier takes over 3 seconds. A busy machine makes any test slow, so each that
 * was slow is measured again by itself, and only that counts.
 */
export const createSlow = (): Reporter => {
  const slow: TestCase[] = []
  return {
    onTestCaseResult: (test) => {
      if (test.project.name === 'quick' && (test.diagnostic()?.duration ?? 0) > maxTestMs) slow.push(test)
    },
    onTestRunEnd: () => {
      for (const test of slow.slice(0, maxReruns)) {
        const aloneMs = shortestAlone(test.module.moduleId, test.fullName.replaceAll(' > ', ' '))
        if (aloneMs <= maxTestMs) continue
        process.stdout.write(
          `Expected a test of the quick tier to take at most ${maxTestMs} ms, got ${Math.round(aloneMs)} ms: ` +
            `${test.module.relativeModuleId}: ${test.fullName}. Move it to another tier (test/tiers.ts).\n`,
        )
        process.exitCode = 1
      }
    },
  }
}

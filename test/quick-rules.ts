import type { Reporter, TestModule } from 'vitest/node'
import { startedIn, type Started } from './started.ts'

/** One whole gate starts five processes and three threads. */
const maxOfFile: Started = { processes: 8, threads: 8 }
/** With room for threads that are started again where the machine is slow. */
const maxOfTier: Started = { processes: 390, threads: 115 }

/** Of each kind of program, the file that shows it in the quick tier. The others are integration tests. */
const subjects: Readonly<Record<string, string>> = {
  'test/history/history.test.ts': 'the thread of the history',
  'test/handlers/host/ahead.property.ts': 'a shell that waits for its hook',
  'test/handlers/host/git-guards.test.ts': 'git in the world of hooks',
  'test/handlers/host/run.test.ts': 'hooks as programs',
  'test/laws/laws.test.ts': 'the laws, each over a whole gate',
}

/** A test over this time belongs in another tier. It is named, and is red only far above. */
const slowMs = 2000
const redMs = 10_000
/** On a machine that is slow or busy, every test is slow: the largest part of the whole tier's time. */
const redShare = 1 / 20

const said = ({ processes, threads }: Started): string => `${processes} processes and ${threads} threads`

/** Holds the rules of the quick tier: what files may start, and how long a test may take. */
export const createQuickRules = (): Reporter => {
  const slow: { readonly name: string; readonly tookMs: number }[] = []
  const broken: string[] = []
  let processes = 0
  let threads = 0
  let allMs = 0
  const tell = (line: string): void => void process.stdout.write(`${line}\n`)
  return {
    onTestModuleEnd: (module: TestModule) => {
      if (module.project.name !== 'quick') return
      const file = module.relativeModuleId
      const started = startedIn(module.meta())
      processes += started.processes
      threads += started.threads
      if (
        subjects[file] === undefined &&
        (started.processes > maxOfFile.processes || started.threads > maxOfFile.threads)
      )
        broken.push(
          `Expected ${file} to start at most ${said(maxOfFile)}, got ${said(started)}. Make it an integration test (test/tiers.ts).`,
        )
      for (const test of module.children.allTests()) {
        const tookMs = test.diagnostic()?.duration ?? 0
        allMs += tookMs
        if (tookMs > slowMs) slow.push({ name: `${file}: ${test.fullName}`, tookMs })
      }
    },
    onTestRunEnd: () => {
      for (const { name, tookMs } of slow) {
        const line = `${Math.round(tookMs)} ms of at most ${slowMs}: ${name}`
        if (tookMs > Math.max(redMs, allMs * redShare)) broken.push(`Expected a faster test, got ${line}`)
        else if (process.env['CI'] === 'true') tell(`Slow: ${line}`)
      }
      if (processes > maxOfTier.processes || threads > maxOfTier.threads)
        broken.push(
          `Expected the quick tier to start at most ${said(maxOfTier)}, got ${said({ processes, threads })}.`,
        )
      for (const line of broken) tell(line)
      if (broken.length > 0) process.exitCode = 1
    },
  }
}

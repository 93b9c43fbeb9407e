// A lane of the planted faults: one vitest that stays for all faults of this copy of the tree. planted.ts
// forks it in the copy and says what to do.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  createVitest,
  type Reporter,
  type SerializedError,
  type TestProject,
  type TestSpecification,
} from 'vitest/node'
import { rebuild, setup } from '../built.ts'
import { countOf, plant } from './place.ts'
import { testFileOf, type PlantedFault } from './planted-faults.ts'

/** What a lane is asked: to run test files as they are, or to plant a fault and run its test. */
export type Order = { readonly check: readonly string[] } | { readonly fault: PlantedFault }

/**
 * `red`: a test failed. `broken`: none failed, and yet the file was not run whole, for instance because it
 * cannot be loaded or because no test has the name. `endless`: none failed within the time limit.
 */
export type Planted = 'green' | 'red' | 'broken' | 'endless'

export interface Answer {
  readonly planted: Planted
  /** What failed, in the words of the tests. */
  readonly words: string
}

/** A test ends by its own time limit, so only what blocks the thread of a test takes so long. */
const plantedLimitMs = 300_000

/** What the tests of one run came to, told while they run: a run that is ended says no more. */
let seen = { passed: 0, failed: 0, errors: 0, words: '' }
const say = (where: string, errors: readonly SerializedError[]): void => {
  for (const { message, stack } of errors) seen.words += `${where}: ${message}\n${stack ?? ''}\n`
}
const hear = (where: string, errors: readonly SerializedError[]): void => {
  seen.errors += errors.length
  say(where, errors)
}
const reporter: Reporter = {
  onTestCaseResult: (test) => {
    const { state, errors = [] } = test.result()
    if (state === 'passed') seen.passed += 1
    if (state !== 'failed') return
    seen.failed += 1
    say(test.fullName, errors)
  },
  onTestSuiteResult: (suite) => hear(suite.fullName, suite.errors()),
  onTestModuleEnd: (module) => hear(module.relativeModuleId, module.errors()),
  onTestRunEnd: (_modules, errors) => hear('beside the tests', errors),
}

// vitest reads the module of the bundle a second time, and this one has to know what the bundle is made of.
await setup()
const vitest = await createVitest(
  'test',
  {
    config: resolve('test/vitest.config.ts'),
    watch: false,
    bail: 1,
    // A test that a busy machine makes late would count as one that the fault made red.
    testTimeout: 60_000,
    reporters: [reporter],
  },
  {},
  // What the tests print goes nowhere, as planted.ts starts this.
  { stderr: process.stdout },
)
await vitest.standalone()

const projectsOf = (file: string): readonly TestProject[] =>
  vitest.projects.filter((project) => project.matchesTestGlob(resolve(file)))

/** Each run has processes of its own, and all of them have ended when it is over. */
const run = async (specifications: TestSpecification[], limitMs?: number): Promise<Answer> => {
  seen = { passed: 0, failed: 0, errors: 0, words: '' }
  let isEndless = false
  const end = (): void => {
    isEndless = true
    // The first word waits for the tests, and the second one kills their process.
    void vitest.cancelCurrentRun('keyboard-input')
    void vitest.cancelCurrentRun('keyboard-input')
  }
  const limit = limitMs === undefined ? undefined : setTimeout(end, limitMs)
  await vitest.runTestSpecifications(specifications)
  clearTimeout(limit)
  await vitest.cancelCurrentRun('test-failure')
  const { passed, failed, errors, words } = seen
  const rest = isEndless ? 'endless' : errors === 0 && passed > 0 ? 'green' : 'broken'
  return { planted: failed > 0 ? 'red' : rest, words }
}

/** Where a file belongs to two tiers, as one with properties does, the first has to be green. */
const check = (files: readonly string[]): Promise<Answer> =>
  run(
    files.flatMap((file) =>
      projectsOf(file)
        .slice(0, 1)
        .map((project) => project.createSpecification(resolve(file))),
    ),
  )

/** In these tiers no test starts the whole program. */
const isInProcess = (project: TestProject): boolean => ['quick', 'property'].includes(project.name)

const write = async (file: string, source: string, test: string): Promise<void> => {
  writeFileSync(file, source)
  vitest.invalidateFile(resolve(file))
  await rebuild(file, !projectsOf(test).every(isInProcess))
}

const tryFault = async (fault: PlantedFault): Promise<Answer> => {
  const { law, what, file, find, replace } = fault
  const test = testFileOf(fault)
  const source = readFileSync(file, 'utf8')
  const count = countOf(source, find)
  if (count !== 1)
    throw new Error(
      `Expected "${find}" once in ${file}, got ${count} times: the fault "${what}" has to be planted elsewhere.`,
    )
  await write(file, plant(source, find, replace), test)
  const options = law === undefined ? {} : { testNamePattern: new RegExp(`Law ${law},`) }
  let answer: Answer = { planted: 'broken', words: `No tier has the file ${test}.` }
  // The few cases of the quick tier catch most faults in a moment, so the tier `property` comes after it.
  for (const project of projectsOf(test)) {
    answer = await run([project.createSpecification(resolve(test), options)], plantedLimitMs)
    if (answer.planted !== 'green') break
  }
  await write(file, source, test)
  return answer
}

process.on('disconnect', () => void vitest.exit(true))
process.on('message', (order: Order) => {
  void ('check' in order ? check(order.check) : tryFault(order.fault)).then((answer) =>
    process.send?.(answer),
  )
})
process.send?.('ready')

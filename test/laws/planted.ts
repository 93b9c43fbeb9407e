// Plants each fault in a copy of the tree and expects the test that holds against it to turn red there: `npm
// run test:faults`.
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { countOf, plant } from './place.ts'
import { plantedFaults, type PlantedFault } from './planted-faults.ts'

const root = resolve(import.meta.dirname, '../..')
const parts = ['src', 'bots', 'config', 'examples', 'package.json', 'build.ts', 'tsconfig.json', 'test']
/** So many copies of the tree are tried at once. */
const lanes = 2

const laws = 'test/laws/laws.test.ts'

const makeCopy = (): string => {
  const copy = mkdtempSync(join(tmpdir(), 'hookgate-faults-'))
  // Programs of other users run from it, too.
  chmodSync(copy, 0o755)
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

interface Ran {
  readonly isGreen: boolean
  readonly output: string
}

/** What did not change is not transformed again, which takes most of the time of a run. */
const cached = (copy: string): readonly string[] => [
  '--experimental.fsModuleCache',
  `--experimental.fsModuleCachePath=${join(copy, 'cache')}`,
]

const runTests = async (copy: string, words: readonly string[]): Promise<Ran> => {
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...cached(copy), ...words],
    {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, CI: '', NO_COLOR: '1', FORCE_COLOR: '0' },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const status = await new Promise<number | null>((done) => child.on('close', done))
  return { isGreen: status === 0, output }
}

type Planted = 'green' | 'red' | 'broken'

/**
 * Red means that a test failed: a file that cannot be loaded catches nothing. The first test that fails is
 * enough.
 */
const runPlanted = async (
  copy: string,
  { law, test = laws }: PlantedFault,
  tier: readonly string[],
): Promise<Planted> => {
  const { isGreen, output } = await runTests(copy, [
    test,
    '--bail=1',
    ...tier,
    ...(law === undefined ? [] : ['-t', `Law ${law},`]),
  ])
  if (!isGreen) return /^ +Tests +\d+ failed/m.test(output) ? 'red' : 'broken'
  return /^ +Tests +[1-9]\d* passed/m.test(output) ? 'green' : 'broken'
}

const said: Record<Planted, string> = {
  red: 'caught',
  green: 'NOT caught',
  broken: 'the test could not run with it',
}

/** Whether the fault was caught. */
const tryFault = async (copy: string, fault: PlantedFault): Promise<boolean> => {
  const { law, test = '', what, file, find, replace } = fault
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  const count = countOf(source, find)
  if (count !== 1)
    throw new Error(
      `Expected "${find}" once in ${file}, got ${count} times: the fault "${what}" has to be planted elsewhere.`,
    )
  writeFileSync(path, plant(source, find, replace))
  // The few cases of the quick tier catch most faults in a moment.
  const isProperty = test.endsWith('.property.ts')
  const soon = await runPlanted(copy, fault, isProperty ? ['--project', 'quick'] : [])
  const planted =
    isProperty && soon === 'green' ? await runPlanted(copy, fault, ['--project', 'property']) : soon
  writeFileSync(path, source)
  process.stdout.write(
    `${planted === 'red' ? '✓' : '✗'} ${law === undefined ? test : `law ${law}`}: ${what}: ${said[planted]}\n`,
  )
  return planted === 'red'
}

const copies = Array.from({ length: lanes }, makeCopy)
const [first = ''] = copies
try {
  // What is red without a fault proves nothing with one.
  const before = await runTests(first, [
    ...new Set(plantedFaults.map(({ test = laws }) => test)),
    '--project',
    '!property',
  ])
  if (!before.isGreen)
    throw new Error(`Expected the tests to pass before a fault is planted, got:\n${before.output}`)
  const left = [...plantedFaults]
  let missed = 0
  const runLane = async (copy: string): Promise<void> => {
    for (let fault = left.shift(); fault !== undefined; fault = left.shift())
      if (!(await tryFault(copy, fault))) missed += 1
  }
  await Promise.all(copies.map(runLane))
  process.stdout.write(`${plantedFaults.length - missed} passed, ${missed} failed\n`)
  process.exitCode = missed === 0 ? 0 : 1
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
}

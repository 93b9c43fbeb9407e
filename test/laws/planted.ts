// Plants each fault in a copy of the tree and expects the test that holds against it to turn red there: `npm run test:faults`.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { plantedFaults, type PlantedFault } from './planted-faults.ts'

const root = resolve(import.meta.dirname, '../..')
const copy = mkdtempSync(join(tmpdir(), 'hookgate-faults-'))
// Programs of other users run from it, too.
chmodSync(copy, 0o755)
const parts = ['src', 'bots', 'config', 'examples', 'package.json', 'tsconfig.json', 'test']

const laws = 'test/laws/laws.test.ts'
const runTests = (files: readonly string[], only: readonly string[] = []): { readonly status: number | null; readonly stdout: string } =>
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...files, ...only], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  })

/** Red means that a test failed: a file that cannot be loaded catches nothing. */
const runPlanted = ({ law, test = laws }: PlantedFault, tier: readonly string[]): 'green' | 'red' | 'broken' => {
  const ran = runTests([test], [...tier, ...(law === undefined ? [] : ['-t', `Law ${law},`])])
  if (ran.status !== 0) return /^ +Tests +\d+ failed/m.test(ran.stdout) ? 'red' : 'broken'
  return /^ +Tests +[1-9]\d* passed/m.test(ran.stdout) ? 'green' : 'broken'
}

let missed = 0
try {
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // What is red without a fault proves nothing with one.
  const before = runTests([...new Set(plantedFaults.map(({ test = laws }) => test))], ['--project', '!property'])
  if (before.status !== 0) throw new Error(`Expected the tests to pass before a fault is planted, got:\n${before.stdout}`)
  for (const fault of plantedFaults) {
    const { law, test = '', what, file, find, replace } = fault
    const name = law === undefined ? test : `law ${law}`
    const path = join(copy, file)
    const source = readFileSync(path, 'utf8')
    if (source.split(find).length !== 2) throw new Error(`Expected "${find}" once in ${file}, got ${source.split(find).length - 1} times: the fault "${what}" has to be planted elsewhere.`)
    writeFileSync(path, source.replace(find, () => replace))
    // The few cases of the quick tier catch most faults in a moment.
    const isProperty = test.endsWith('.property.ts')
    const soon = runPlanted(fault, isProperty ? ['--project', 'quick'] : [])
    const planted = isProperty && soon === 'green' ? runPlanted(fault, ['--project', 'property']) : soon
    writeFileSync(path, source)
    const isWell = planted === 'red'
    if (!isWell) missed += 1
    process.stdout.write(`${isWell ? '✓' : '✗'} ${name}: ${what}: ${{ red: 'caught', green: 'NOT caught', broken: 'the test could not run with it' }[planted]}\n`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
}
process.stdout.write(`${plantedFaults.length - missed} passed, ${missed} failed\n`)
process.exitCode = missed === 0 ? 0 : 1

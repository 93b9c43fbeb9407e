// Plants each fault in a copy of the tree and expects the law's test to turn red there: `npm run test:faults`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { plantedFaults } from './planted-faults.ts'

const root = resolve(import.meta.dirname, '../..')
const copy = mkdtempSync(join(tmpdir(), 'hookgate-faults-'))
const parts = ['src', 'bots', 'config', 'examples', 'package.json', 'tsconfig.json', 'test/plane.ts', 'test/until.ts', 'test/laws', 'test/vitest.config.ts']

const runLaw = (law: number): boolean => {
  const ran = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', 'test/laws/laws.test.ts', '-t', `Law ${law},`], { cwd: copy, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' } })
  return ran.status === 0 && / 1 passed/.test(ran.stdout)
}

let missed = 0
try {
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const { law, what, file, find, replace } of plantedFaults) {
    const path = join(copy, file)
    const source = readFileSync(path, 'utf8')
    if (source.split(find).length !== 2) throw new Error(`Expected "${find}" once in ${file}, got ${source.split(find).length - 1} times: the fault of law ${law} has to be planted elsewhere.`)
    const isSound = runLaw(law)
    writeFileSync(path, source.replace(find, () => replace))
    const isCaught = !runLaw(law)
    writeFileSync(path, source)
    const isWell = isSound && isCaught
    if (!isWell) missed += 1
    process.stdout.write(`${isWell ? '✓' : '✗'} law ${law}: ${what}: ${isSound ? (isCaught ? 'caught' : 'NOT caught') : 'the test is red without it'}\n`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
}
process.stdout.write(`${plantedFaults.length - missed} passed, ${missed} failed\n`)
process.exitCode = missed === 0 ? 0 : 1

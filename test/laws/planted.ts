// Plants each fault in a copy of the tree and expects the test that holds against it to turn red there: `npm
// run test:faults`.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { linkPackages } from '../packages.ts'
import type { Answer, Order, Planted } from './lane.ts'
import { plantedFaults, testFileOf, type PlantedFault } from './planted-faults.ts'

const root = resolve(import.meta.dirname, '../..')
const parts = ['src', 'bots', 'config', 'examples', 'package.json', 'build.ts', 'tsconfig.json', 'test']
/** So many copies of the tree are tried at once. */
const lanes = 2

const makeCopy = (): string => {
  const copy = mkdtempSync(join(tmpdir(), 'hookgate-faults-'))
  // Programs of other users run from it, too.
  chmodSync(copy, 0o755)
  const isOurs = (path: string): boolean => basename(path) !== 'node_modules'
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true, filter: isOurs })
  linkPackages(root, copy)
  return copy
}

const startLane = async (copy: string): Promise<ChildProcess> => {
  const lane = fork(join(copy, 'test/laws/lane.ts'), {
    cwd: copy,
    env: { ...process.env, CI: '', NO_COLOR: '1', FORCE_COLOR: '0' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(lane, 'message')
  return lane
}

const ask = async (lane: ChildProcess, order: Order): Promise<Answer> => {
  const ended = new AbortController()
  const onExit = (code: number | null): void =>
    ended.abort(new Error(`Expected an answer of the lane, but it ended with ${code}.`))
  lane.once('exit', onExit)
  lane.send(order)
  try {
    const [answer] = (await once(lane, 'message', { signal: ended.signal })) as [Answer]
    return answer
  } finally {
    lane.off('exit', onExit)
  }
}

const stopLane = async (lane: ChildProcess): Promise<void> => {
  if (lane.exitCode !== null || lane.signalCode !== null) return
  lane.disconnect()
  await once(lane, 'exit')
}

const said: Record<Planted, string> = {
  red: 'caught',
  green: 'NOT caught',
  broken: 'the test could not run with it',
  endless: 'the test did not end with it',
}

/** The faults that one test file holds against stay together, so that one lane alone reads that file. */
const groups = [...Map.groupBy(plantedFaults, testFileOf)].toSorted(([, a], [, b]) => b.length - a.length)

const copies = Array.from({ length: lanes }, makeCopy)
const started: ChildProcess[] = []
let missed = 0

const expectGreen = async (lane: ChildProcess, files: readonly string[], when: string): Promise<void> => {
  const { planted, words } = await ask(lane, { check: files })
  if (planted !== 'green') throw new Error(`Expected the tests to pass ${when}, got:\n${words}`)
}

const tryFault = async (lane: ChildProcess, fault: PlantedFault): Promise<void> => {
  const fromMs = performance.now()
  const { planted, words } = await ask(lane, { fault })
  const isCaught = planted === 'red'
  if (!isCaught) missed += 1
  const held = fault.law === undefined ? testFileOf(fault) : `law ${fault.law}`
  const seconds = ((performance.now() - fromMs) / 1000).toFixed(1)
  process.stdout.write(
    `${isCaught ? '✓' : '✗'} ${held}: ${fault.what}: ${said[planted]} (${seconds} s)\n${isCaught ? '' : words}`,
  )
}

try {
  started.push(...(await Promise.all(copies.map(startLane))))
  const [first] = started
  // What is red without a fault proves nothing with one. The copies are alike, so one lane is enough.
  if (first !== undefined)
    await expectGreen(
      first,
      groups.map(([file]) => file),
      'before a fault is planted',
    )
  const left = [...groups]
  const runLane = async (lane: ChildProcess): Promise<void> => {
    const files: string[] = []
    for (let group = left.shift(); group !== undefined; group = left.shift()) {
      const [file, faults] = group
      for (const fault of faults) await tryFault(lane, fault)
      files.push(file)
    }
    // A fault that stayed in the copy would have caught the next ones. The first file has the most faults.
    await expectGreen(lane, files.slice(0, 1), 'after all faults were taken away')
  }
  await Promise.all(started.map(runLane))
  process.stdout.write(`${plantedFaults.length - missed} passed, ${missed} failed\n`)
  process.exitCode = missed === 0 ? 0 : 1
} finally {
  await Promise.all(started.map(stopLane))
  for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
}

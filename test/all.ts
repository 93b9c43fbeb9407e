// Runs tiers side by side and prints the time that each took: `npm run test:all`, or `npm run test:all -- e2e
// attack` for some. What measures time runs with nothing beside it. What a tier printed follows when it has
// ended, and what failed in any of them stands once more at the end.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { installPackages } from './packages.ts'
import { tiers } from './tiers.ts'

const root = resolve(import.meta.dirname, '..')

/** Tiers that are programs of their own, with their scripts in package.json. */
const programs = ['packed', 'faults', 'fuzz', 'clients', 'wild'] as const

/** These bring programs of other people from the network, so they run only where they are named. */
const onlyNamed: readonly string[] = ['clients', 'wild']

/**
 * The groups run one after another. The lanes of a group run side by side, and the tiers of a lane one after
 * another.
 */
const plan: readonly (readonly (readonly string[])[])[] = [
  [['quick']],
  [['smoke']],
  [['integration']],
  // These two start many processes and wait for them: beside each other they only wait for longer.
  [['e2e']],
  [['attack']],
  [['packed', 'property'], ['fuzz']],
  // It has two lanes of its own.
  [['faults']],
  [['fleet']],
  [['load']],
  [['clients']],
  [['wild']],
]

const known = [...Object.keys(tiers), ...programs]
const planned = plan.flat(2)
const unplanned = known.filter((name) => !planned.includes(name))
if (unplanned.length > 0)
  throw new Error(`Expected every tier in the plan, got none for ${unplanned.join(', ')}.`)

const asked = process.argv.slice(2)
const strange = asked.filter((name) => !known.includes(name))
if (strange.length > 0)
  throw new Error(`Expected names of tiers (${known.join(', ')}), got ${strange.join(', ')}.`)
const isWanted = (name: string): boolean =>
  asked.length === 0 ? !onlyNamed.includes(name) : asked.includes(name)

interface Ran {
  readonly name: string
  readonly isGreen: boolean
  readonly seconds: number
  /** Of what it printed, the lines that name what failed. */
  readonly failed: readonly string[]
}

const maxFailed = 40
/** After a line that names what failed, so many lines say how it failed. */
const maxDetail = 25
const failedIn = (output: string): readonly string[] => {
  const lines = stripVTControlCharacters(output).split('\n')
  const failed = lines.flatMap((line, index) => {
    if (!/^ *(?:FAIL|✗|Error:|Caused by:) /.test(line)) return []
    const after = lines.slice(index + 1, index + 1 + maxDetail)
    const end = after.findIndex((next) => /^ *(?:FAIL|✓|✗|❯) /.test(next))
    return [line, ...(line.includes('FAIL') ? after.slice(0, end === -1 ? maxDetail : end) : [])]
  })
  return [...new Set(failed.map((line) => line.trim()).filter((line) => line !== ''))].slice(0, maxFailed)
}

const run = async (name: string): Promise<Ran> => {
  const startedAtMs = performance.now()
  const child = spawn('npm', name === 'quick' ? ['test'] : ['run', '--silent', `test:${name}`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const isGreen = await new Promise<boolean>((done) => {
    child.on('close', (code) => done(code === 0))
    child.on('error', () => done(false))
  })
  const seconds = Math.round((performance.now() - startedAtMs) / 1000)
  const printed = Buffer.concat(output).toString()
  process.stdout.write(`\n── ${name}: ${isGreen ? 'passed' : 'FAILED'} after ${seconds} s\n${printed}`)
  return { name, isGreen, seconds, failed: isGreen ? [] : failedIn(printed) }
}

const runLane = async (lane: readonly string[]): Promise<readonly Ran[]> => {
  const ran: Ran[] = []
  for (const name of lane.filter(isWanted)) ran.push(await run(name))
  return ran
}

// A tier cannot even load its tests of WeChat without it. What else a tier needs, its tests install.
await installPackages('bots/wechat')

const all: Ran[] = []
for (const lanes of plan) all.push(...(await Promise.all(lanes.map(runLane))).flat())

process.stdout.write('\n')
for (const { name, isGreen, seconds, failed } of all) {
  process.stdout.write(
    `${isGreen ? '✓' : '✗'} ${name.padEnd(10)} ${seconds} s\n${failed.map((line) => `    ${line}\n`).join('')}`,
  )
}
const green = all.filter(({ isGreen }) => isGreen).length
process.stdout.write(`${green} passed, ${all.length - green} failed\n`)
process.exitCode = green === all.length ? 0 : 1

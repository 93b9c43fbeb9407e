/**
 * Fuzzes one door for so many seconds, as a process of its own: `node --expose-gc work.ts <door> <seconds>
 * [seed]`.
 */
import * as fc from 'fast-check'
import { inputs } from './change.ts'
import { seedsOf, targets } from './targets.ts'
import { watchTurns } from './turns.ts'

/** The longest that one input may hold the thread, in milliseconds of its processor time. */
const usualTurnMs = 100
/** What may be held in the end beyond what was held after the first share of the time. */
const maxGrowthBytes = 24 * 1024 * 1024
/** A live gate is asked for its health once in so many inputs, and always before a fault is told. */
const healthEvery = 50

/** What the parent is told at the end. */
export interface Report {
  readonly inputs: number
  readonly longestMs: number
  readonly grownBytes: number
  readonly fault?: string
}

const [name = '', seconds = '10', seed] = process.argv.slice(2)
const target = targets[name]
if (target === undefined)
  throw new Error(`Expected a door (${Object.keys(targets).join(', ')}), got ${JSON.stringify(name)}.`)
const { maxTurnMs = usualTurnMs } = target
const door = await target.open()
const turns = watchTurns()
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let tried = 0
let longestMs = 0
/** Takes an input and gives what it cost the thread. In this process the cost is measured exactly. */
const cost = async (input: string): Promise<number> => {
  const before = cpuMs()
  await door.take(input)
  if (door.longestTurnMs === undefined) return cpuMs() - before
  return tried % healthEvery === 0 ? await door.longestTurnMs() : 0
}

const takeOne = async (input: string): Promise<void> => {
  tried += 1
  let ms = await cost(input)
  // What was slow once may have met the collector or the compiler: only what stays slow is a fault.
  for (let again = 0; again < 3 && ms > maxTurnMs; again += 1) ms = Math.min(ms, await cost(input))
  longestMs = Math.max(longestMs, ms)
  if (ms > maxTurnMs) throw new Error(`It held the thread for ${Math.round(ms)} ms.`)
}

/** The time limit interrupts fast-check, but not the input that the door is taking. */
let underWay = Promise.resolve()
const takes = (input: string): Promise<void> => (underWay = takeOne(input))

/** Fuzzes for so long. Resolves with what was found, the smallest input that shows it. */
const fuzz = async (ms: number): Promise<string | undefined> => {
  const details = await fc.check(
    fc.asyncProperty(inputs(seedsOf(name), target.words, target.maxChars), takes),
    {
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: ms,
      markInterruptAsFailure: false,
      maxSkipsPerRun: 0,
      ...(seed === undefined ? {} : { seed: Number(seed) }),
    },
  )
  if (!details.failed) {
    // The door may be closed only when nothing is in it.
    await underWay
    return undefined
  }
  const [input] = details.counterexample ?? []
  const error = details.errorInstance
  return `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\nseed ${details.seed}\ninput ${JSON.stringify(input)}`
}

const allMs = Number(seconds) * 1000
turns.longestMs()
let fault = await fuzz(allMs / 4)
const held = await door.heldBytes()
if (fault === undefined) fault = await fuzz((allMs / 4) * 3)
const grownBytes = (await door.heldBytes().catch(() => held)) - held
if (fault === undefined && grownBytes > maxGrowthBytes)
  fault = `It holds ${Math.round(grownBytes / 1e6)} MB more at the end.`
await door.close?.()
const report: Report = { inputs: tried, longestMs, grownBytes, ...(fault === undefined ? {} : { fault }) }
process.send?.(report, () => process.exit(0))

import { startServer } from '../store/postgres-server.ts'
import { measureCosts } from './costs.ts'
import type { Costs } from './database.ts'
import type { Fault, Plan } from './plan.ts'
import { simulate, type Outcome } from './run.ts'

const ratesPerS = [100, 300, 1000, 2000, 3000]

/** Of values in order, the one that so many are not greater than. */
const quantile = (ordered: readonly number[], share: number): number =>
  ordered[Math.ceil(ordered.length * share) - 1] ?? NaN

const big = (costs: Costs, pushesPerS: number, faults: readonly Fault[] = []): Plan => ({
  seed: 18,
  gates: 2,
  nodes: 1000,
  chats: 10_000,
  forMs: 10_000,
  pushEveryMs: 1000 / pushesPerS,
  eventEveryMs: 20,
  actEveryMs: 400,
  faults,
  costs,
  isCalm: true,
})

const rowOf = (what: string, { load, delaysMs, offMs, violations, steps }: Outcome): string =>
  [
    what.padEnd(34),
    `${(100 * load).toFixed(1)} %`.padStart(9),
    quantile(delaysMs, 0.5).toFixed(1).padStart(9),
    quantile(delaysMs, 0.99).toFixed(0).padStart(9),
    quantile(offMs, 0.99).toFixed(0).padStart(9),
    String(violations.length).padStart(7),
    String(steps).padStart(9),
  ].join('')

/**
 * Measures what statements cost a real server, and shows how busy it would be with 1000 nodes and 10 000
 * chats. The gates' own work takes no time here.
 */
export const showSize = async (): Promise<void> => {
  const server = await startServer(true)
  const url = await server.database()
  const costs = await measureCosts(url)
  await server.drop(url)
  await server.stop()
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  say(`measured: ${costs.statementMs.toFixed(3)} ms a statement, ${costs.commitMs.toFixed(3)} ms a commit`)
  say(`${''.padEnd(34)}     load  p50, ms  p99, ms off, p99   laws    steps`)
  for (const rate of ratesPerS) say(rowOf(`${rate} pushes a second`, await simulate(big(costs, rate))))
  const kill: Fault = { kind: 'kill', atMs: 3000, forMs: 3000, on: 0 }
  say(rowOf('300 a second, the gate is killed', await simulate(big(costs, 300, [kill]))))
}

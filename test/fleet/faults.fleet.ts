import { expect, test } from 'vitest'
import { token } from '../e2e/rig.ts'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import { useDatabase } from '../store/postgres-server.ts'
import { violationsOf } from './checker.ts'
import { faultKinds, type FaultKind } from './faults.ts'
import { startFleet } from './fleet.ts'
import type { History } from './history.ts'
import { runOnce, type Run } from './run.ts'

/** Each run has the next seed. `HOOKGATE_FLEET_KINDS` names the faults, with commas between them. */
const runs = Number(process.env['HOOKGATE_FLEET_RUNS'] ?? faultKinds.length)
const firstSeed = Number(process.env['HOOKGATE_FLEET_SEED'] ?? 20_261_126)
const wanted = process.env['HOOKGATE_FLEET_KINDS']?.split(',')
const longestRunMs = 180_000

const database = useDatabase()

/** From the kill to the first event that another process judged, and to the first message that it sent. */
const failoverOf = ({ history: { calls, arrivals }, fault }: Run) => {
  if (fault.kind !== 'kill') return {}
  const judged = calls.find(
    (call) =>
      call.kind === 'event' &&
      call.startMs > fault.endMs &&
      (call.verdict === 'allowed' || call.verdict === 'blocked'),
  )
  const sent = arrivals.find(({ atMs }) => atMs > fault.endMs)
  const since = (ms = NaN): number => Math.round(ms - fault.atMs)
  return { judgedMs: since(judged?.endMs), sentMs: since(sent?.atMs) }
}

const endingsOf = ({ calls }: History): string =>
  [
    ...Map.groupBy(
      calls,
      (call) =>
        `${call.kind} ${call.kind === 'push' ? call.told : call.kind === 'event' ? call.verdict : call.ending}`,
    ),
  ]
    .map(([what, all]) => `${what} ${all.length}`)
    .join(', ')

test(
  `over ${runs} runs with faults, no history breaks a law`,
  async () => {
    const api = await startBotApi({ token })
    const fleet = await startFleet(api, database)
    const all: readonly FaultKind[] = faultKinds.filter(
      (kind) => (database.isOurs() || kind !== 'database') && (wanted?.includes(kind) ?? true),
    )
    const broken: string[] = []
    try {
      const ports = {
        api,
        fleet,
        restartDatabase: database.restart,
      }
      for (let at = 0; at < runs; at++) {
        const seed = firstSeed + at
        const kind = all[seed % all.length] ?? 'kill'
        const startMs = performance.now()
        const run = await runOnce(ports, `run${seed}`, kind, seed)
        const found = violationsOf(run.history).map(({ law, what }) => `${law}: ${what}`)
        const line = {
          seed,
          ...run.fault,
          tookMs: Math.round(performance.now() - startMs),
          ...failoverOf(run),
          unanswered: run.unanswered,
          endings: endingsOf(run.history),
          found,
        }
        process.stdout.write(`${JSON.stringify(line)}\n`)
        if (found.length > 0 || run.unanswered.length > 0)
          process.stdout.write(`${JSON.stringify(run.history)}\n`)
        if (found.length > 0) {
          broken.push(`HOOKGATE_FLEET_SEED=${seed}: ${found.join('; ')}`)
        }
      }
    } finally {
      await fleet.stop()
      await api.stop()
    }
    expect(broken).toEqual([])
  },
  runs * longestRunMs,
)

import { maxRuns, maxUnits } from './behind.ts'

/** The most events whose shadows are asked at the same time, so that the hook host has room for the others. */
export const maxAtOnce = 2
/** The most events that wait or run for all agents together, and the most characters of their payloads. */
export const maxRunsOfAll = 4 * maxRuns
export const maxUnitsOfAll = 4 * maxUnits

interface Job {
  readonly units: number
  /** Never rejects. */
  readonly run: () => Promise<void>
}

interface Line {
  readonly jobs: Job[]
  /** Those that run count, too. */
  runs: number
  units: number
}

export interface ShadowQueue {
  /** Runs the job later. False: there is no room, and nothing waits for some. */
  add(agentId: string, units: number, run: Job['run']): boolean
  /** Nothing begins any more. */
  stop(): void
}

/**
 * The events that wait for shadows, bounded for each agent and for all. The agents take turns, so that a flood
 * of one does not keep the others waiting.
 */
export const createShadowQueue = (): ShadowQueue => {
  /** By agent. The one whose turn is next comes first. */
  const lines = new Map<string, Line>()
  const all = { runs: 0, units: 0 }
  let atOnce = 0
  let isStopped = false

  const begin = (agentId: string, line: Line, { units, run }: Job): void => {
    atOnce += 1
    lines.delete(agentId)
    lines.set(agentId, line)
    void run().finally(() => {
      atOnce -= 1
      for (const load of [line, all]) {
        load.runs -= 1
        load.units -= units
      }
      if (line.runs === 0) lines.delete(agentId)
      pump()
    })
  }

  const pump = (): void => {
    while (!isStopped && atOnce < maxAtOnce) {
      const next = [...lines].find(([, { jobs }]) => jobs.length > 0)
      const job = next?.[1].jobs.shift()
      if (next === undefined || job === undefined) return
      begin(...next, job)
    }
  }

  return {
    add: (agentId, units, run) => {
      const line = lines.get(agentId) ?? { jobs: [], runs: 0, units: 0 }
      const hasRoom = line.runs === 0 || (line.runs < maxRuns && line.units + units <= maxUnits)
      const hasRoomOfAll = all.runs === 0 || (all.runs < maxRunsOfAll && all.units + units <= maxUnitsOfAll)
      if (isStopped || !hasRoom || !hasRoomOfAll) return false
      line.jobs.push({ units, run })
      for (const load of [line, all]) {
        load.runs += 1
        load.units += units
      }
      lines.set(agentId, line)
      // The caller gets its verdict first.
      setImmediate(pump)
      return true
    },
    stop: () => {
      isStopped = true
      lines.clear()
    },
  }
}

import { maxRuns, maxUnits } from './async-run-limit.ts'

/** The most events whose shadows are asked at once, so that the hook host has room for the deciding hooks. */
export const maxAtOnce = 2
/** The most events that wait or run for all agents together, and the most characters of their payloads. */
export const maxRunsOfAll = 4 * maxRuns
export const maxUnitsOfAll = 4 * maxUnits

interface WaitingEvent {
  readonly units: number
  /** Never rejects. */
  readonly run: () => Promise<void>
}

interface Line {
  readonly jobs: WaitingEvent[]
  /** Those that run count, too. */
  runs: number
  units: number
}

export interface ShadowQueue {
  /** Runs the job later. False: there is no room, and nothing waits for some. */
  add(agentId: string, units: number, run: WaitingEvent['run']): boolean
  /** Nothing begins any more. */
  stop(): void
}

/**
 * The events that wait for shadows, bounded for each agent and for all. The agents take turns, so that a
 * flood of one does not keep the others waiting.
 */
export const createShadowQueue = (): ShadowQueue => {
  /** By agent. The one whose turn is next comes first. */
  const lines = new Map<string, Line>()
  const all = { runs: 0, units: 0 }
  let atOnce = 0
  let isStopped = false

  const begin = (agentId: string, line: Line, { units, run }: WaitingEvent): void => {
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

  /** The agent whose turn it is. Undefined: nothing can begin now. */
  const nextLine = (): readonly [string, Line] | undefined =>
    isStopped || atOnce >= maxAtOnce ? undefined : [...lines].find(([, { jobs }]) => jobs.length > 0)

  const pump = (): void => {
    for (let next = nextLine(); next !== undefined; next = nextLine()) {
      const [agentId, line] = next
      const job = line.jobs.shift()
      if (job !== undefined) begin(agentId, line, job)
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

/**
 * The most async runs that may be unfinished for one agent at the same time, and the most characters of their
 * payloads.
 */
export const maxRuns = 256
export const maxUnits = 8 * 1024 * 1024
/** An event waits at most this long for room, in milliseconds. */
const usualWaitMs = 5000

interface Waiter {
  readonly units: number
  readonly enter: (leave: () => void) => void
}

interface AgentLoad {
  runs: number
  units: number
  readonly waiting: Set<Waiter>
}

/**
 * Bounds the async runs of each agent. Nothing waits for such a run, so an agent could otherwise start any
 * number of them.
 */
export const createAsyncRunLimit = (waitMs = usualWaitMs) => {
  const rooms = new Map<string, AgentLoad>()

  const hasRoom = (room: AgentLoad, units: number): boolean =>
    room.runs === 0 || (room.runs < maxRuns && room.units + units <= maxUnits)

  const take = (agentId: string, room: AgentLoad, units: number): (() => void) => {
    room.runs += 1
    room.units += units
    return () => {
      room.runs -= 1
      room.units -= units
      for (const waiter of room.waiting) {
        if (!hasRoom(room, waiter.units)) return
        room.waiting.delete(waiter)
        waiter.enter(take(agentId, room, waiter.units))
      }
      if (room.runs === 0) rooms.delete(agentId)
    }
  }

  /**
   * Resolves with a function that frees the room again. The agent waits while there is none. Undefined: no
   * room was free in time.
   */
  return (agentId: string, units: number): Promise<(() => void) | undefined> => {
    const room = rooms.get(agentId) ?? { runs: 0, units: 0, waiting: new Set() }
    rooms.set(agentId, room)
    if (room.waiting.size === 0 && hasRoom(room, units)) return Promise.resolve(take(agentId, room, units))
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>()
    const waiter: Waiter = {
      units,
      enter: (leave) => {
        clearTimeout(timer)
        resolve(leave)
      },
    }
    const timer = setTimeout(() => {
      room.waiting.delete(waiter)
      resolve(undefined)
    }, waitMs)
    room.waiting.add(waiter)
    return promise
  }
}

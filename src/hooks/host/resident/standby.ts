import { isAlike, type RunRequest, type StartRequest } from '../protocol.ts'

/**
 * Decides which started processes wait, and for which request. The hook host starts and kills them. For a
 * warm hook its own program waits. For every other hook that fires often a shell waits, which becomes the
 * program when the event comes.
 */
export interface Standby {
  /**
   * Gives the id of the process that waits for this request. From then on it belongs to the caller.
   */
  take(request: RunRequest): number | undefined
  /** The answer to a request was delivered, so the next process may start. */
  answered(request: RunRequest): void
  /** A process has ended, for whatever reason. */
  ended(id: number): void
  retire(live: ReadonlySet<string>): void
  /** The hook host is gone, and all processes are gone with it. */
  clear(): void
}

export interface StandbyPorts {
  /** `varying`: a shell waits, and the values of these variables come with the event. */
  start(request: StartRequest, varying?: readonly string[]): number
  kill(id: number): void
  /** A hook fires often when this time did not pass between two events. Nothing waits longer. */
  readonly idleMs?: number
  /** A shell starts when its hook was not asked for this time, so that it never delays events in a row. */
  readonly restMs?: number
  readonly maxInstances?: number
  readonly maxShells?: number
}

interface WaitingSlot {
  readonly isWarm: boolean
  /** The start of the last request. */
  last: StartRequest
  /** The variables of a shell that had another value in one of the requests than in the one before. */
  readonly varying: Set<string>
  answeredAtMs?: number
  id?: number
  /** The process that was given to the last request. */
  asked?: number
  /** How many processes in a row ended without becoming the answer to a request. */
  lost: number
  /** The end of the process that waits, or the start of the next. */
  timer?: NodeJS.Timeout
}

/** With more variables that differ by event, no shell waits. */
const maxVarying = 8
/** When this many processes in a row were lost, no other one is started until the hook has been idle. */
const maxLost = 3

const startOf = ({ argv, argv0, cwd, env }: RunRequest): StartRequest => ({
  argv,
  argv0,
  cwd,
  env,
})

const changedNames = (one: StartRequest, { env }: StartRequest): readonly string[] =>
  Object.keys(env).filter((name) => env[name] !== one.env[name])

/** True when the same process can wait for both. Only a shell gets the values of variables with the event. */
const fits = ({ isWarm, last }: WaitingSlot, request: RunRequest): boolean =>
  isWarm === (request.isWarm === true) &&
  isAlike(last, request) &&
  (!isWarm || changedNames(last, request).length === 0)

/** Keeps at most one waiting process per hook. The least recently used are ended first. */
export const createStandby = ({
  start,
  kill,
  idleMs = 60_000,
  restMs = 10,
  maxInstances = 32,
  maxShells = 8,
}: StandbyPorts): Standby => {
  /** By fingerprint, with the least recently used first. */
  const slots = new Map<string, WaitingSlot>()

  const leave = (slot: WaitingSlot): void => {
    clearTimeout(slot.timer)
    delete slot.id
  }
  const dismiss = (slot: WaitingSlot): void => {
    if (slot.id !== undefined) kill(slot.id)
    leave(slot)
  }
  const drop = (fingerprint: string, slot: WaitingSlot): void => {
    dismiss(slot)
    slots.delete(fingerprint)
  }

  const launch = (fingerprint: string, slot: WaitingSlot): void => {
    // The hook was revoked, or its process already started.
    if (slots.get(fingerprint) !== slot || slot.id !== undefined) return
    const most = slot.isWarm ? maxInstances : maxShells
    const waiting = [...slots.values()].filter(({ id, isWarm }) => id !== undefined && isWarm === slot.isWarm)
    for (const oldest of waiting.slice(0, Math.max(0, waiting.length - most + 1))) dismiss(oldest)
    slot.id = slot.isWarm ? start(slot.last) : start(slot.last, [...slot.varying])
    slot.timer = setTimeout(dismiss, idleMs, slot).unref()
  }

  /** Notes what differs from the last request. True when a shell may wait for the next one. */
  const learn = (slot: WaitingSlot, request: RunRequest): boolean => {
    const before = slot.varying.size
    for (const name of changedNames(slot.last, request)) slot.varying.add(name)
    if (slot.varying.size > before) dismiss(slot)
    slot.last = startOf(request)
    const nowMs = performance.now()
    const isOften = nowMs - (slot.answeredAtMs ?? Number.NEGATIVE_INFINITY) <= idleMs
    if (slot.asked !== undefined || !isOften) slot.lost = 0
    delete slot.asked
    slot.answeredAtMs = nowMs
    return isOften && slot.varying.size <= maxVarying && slot.lost < maxLost
  }

  return {
    take: (request) => {
      const slot = slots.get(request.fingerprint ?? '')
      if (slot === undefined) return undefined
      // A process that is not started yet would only take time from this request.
      if (slot.id === undefined) clearTimeout(slot.timer)
      if (slot.id === undefined || !fits(slot, request)) return undefined
      const { id } = slot
      leave(slot)
      slot.asked = id
      return id
    },
    answered: (request) => {
      const { fingerprint } = request
      if (fingerprint === undefined) return
      const isWarm = request.isWarm === true
      const known = slots.get(fingerprint)
      const slot = known ?? { isWarm, last: startOf(request), varying: new Set(), lost: 0 }
      slots.delete(fingerprint)
      slots.set(fingerprint, slot)
      if (!fits(slot, request)) {
        // The request differs by event or session: nothing waits until two requests in a row are alike.
        dismiss(slot)
        slots.set(fingerprint, { isWarm, last: startOf(request), varying: new Set(), lost: 0 })
      } else if (isWarm) setImmediate(launch, fingerprint, slot)
      else if (learn(slot, request) && slot.id === undefined) {
        clearTimeout(slot.timer)
        slot.timer = setTimeout(launch, restMs, fingerprint, slot).unref()
      }
    },
    ended: (id) => {
      for (const slot of slots.values()) {
        if (slot.id !== id && slot.asked !== id) continue
        if (slot.id === id) leave(slot)
        else delete slot.asked
        slot.lost += 1
      }
    },
    retire: (live) => {
      for (const [fingerprint, slot] of slots) if (!live.has(fingerprint)) drop(fingerprint, slot)
    },
    clear: () => {
      for (const slot of slots.values()) leave(slot)
      slots.clear()
    },
  }
}

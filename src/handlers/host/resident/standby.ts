import { isAlike, type RunRequest, type StartRequest, type Waits } from '../protocol.ts'

/**
 * `varying`: a shell waits, and the values of these variables come with the event. `onEnd` is called when the
 * process has ended without becoming the answer to a request. Undefined: none can wait.
 */
type StartWaiting<Waiting> = (
  request: StartRequest,
  varying: readonly string[] | undefined,
  onEnd: () => void,
) => Waiting | undefined

interface WaitingSlot<Waiting> {
  readonly waits: Waits
  /** The start of the last request. */
  last: StartRequest
  /** The variables of a shell that had another value in one of the requests than in the one before. */
  readonly varying: Set<string>
  answeredAtMs?: number
  waiting?: Waiting
  /** The process that was given to the last request. */
  asked?: Waiting
  /** How many processes in a row ended without becoming the answer to a request. */
  lost: number
  /** The end of the process that waits, or the start of the next. */
  timer?: NodeJS.Timeout
}

/** A hook fires often when this time did not pass between two events. Nothing waits longer. */
const idleMs = 60_000
/** A process starts when its hook was not asked for this time, so that it never delays events in a row. */
const restMs = 10
const maxWaiting: Readonly<Record<Waits, number>> = { program: 32, shell: 8 }
/** With more variables that differ by event, no shell waits. */
const maxVarying = 8
/** When this many processes in a row were lost, no other one is started until the hook has been idle. */
const maxLost = 3

const startOf = ({ argv, argv0, cwd, env }: RunRequest): StartRequest => ({ argv, argv0, cwd, env })

const changedNames = (one: StartRequest, { env }: StartRequest): readonly string[] =>
  Object.keys(env).filter((name) => env[name] !== one.env[name])

/** True when the same process can wait for both. Only a shell gets the values of variables with the event. */
const fits = ({ waits, last }: WaitingSlot<unknown>, request: RunRequest): boolean =>
  waits === request.waits &&
  isAlike(last, request) &&
  (waits === 'shell' || changedNames(last, request).length === 0)

/**
 * Decides which processes are started before their request and wait, at most one per hook. The least recently
 * used are ended first.
 */
export const createStandby = <Waiting extends { readonly kill: () => void }>(
  start: StartWaiting<Waiting>,
) => {
  /** By fingerprint, with the least recently used first. */
  const slots = new Map<string, WaitingSlot<Waiting>>()

  const leave = (slot: WaitingSlot<Waiting>): Waiting | undefined => {
    const { waiting } = slot
    clearTimeout(slot.timer)
    delete slot.waiting
    return waiting
  }
  const dismiss = (slot: WaitingSlot<Waiting>): void => leave(slot)?.kill()

  const launch = (fingerprint: string, slot: WaitingSlot<Waiting>): void => {
    // The hook was revoked, or its process already started.
    if (slots.get(fingerprint) !== slot || slot.waiting !== undefined) return
    const others = [...slots.values()].filter(
      ({ waiting, waits }) => waiting !== undefined && waits === slot.waits,
    )
    for (const oldest of others.slice(0, Math.max(0, others.length - maxWaiting[slot.waits] + 1)))
      dismiss(oldest)
    const started = start(slot.last, slot.waits === 'shell' ? [...slot.varying] : undefined, () => {
      if (slot.waiting === started) leave(slot)
      else if (slot.asked === started) delete slot.asked
      else return
      slot.lost += 1
    })
    if (started === undefined) slot.lost += 1
    else {
      slot.waiting = started
      slot.timer = setTimeout(dismiss, idleMs, slot).unref()
    }
  }

  /** Notes what differs from the last request. True when a shell may wait for the next one. */
  const learn = (slot: WaitingSlot<Waiting>, request: RunRequest): boolean => {
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
    /** Gives the process that waits for this request. From then on it belongs to the caller. */
    take: (request: RunRequest): Waiting | undefined => {
      const slot = slots.get(request.fingerprint ?? '')
      if (slot === undefined) return undefined
      // A process that is not started yet would only take time from this request.
      if (slot.waiting === undefined) clearTimeout(slot.timer)
      if (slot.waiting === undefined || !fits(slot, request)) return undefined
      return (slot.asked = leave(slot))
    },
    /** The answer to a request was delivered, so the next process may start. */
    answered: (request: RunRequest): void => {
      const { fingerprint, waits } = request
      if (fingerprint === undefined || waits === undefined) return
      const fresh: WaitingSlot<Waiting> = { waits, last: startOf(request), varying: new Set(), lost: 0 }
      const slot = slots.get(fingerprint) ?? fresh
      slots.delete(fingerprint)
      slots.set(fingerprint, slot)
      if (!fits(slot, request)) {
        // The request differs by event or session: nothing waits until two requests in a row are alike.
        dismiss(slot)
        slots.set(fingerprint, fresh)
      } else if ((waits === 'program' || learn(slot, request)) && slot.waiting === undefined) {
        clearTimeout(slot.timer)
        slot.timer = setTimeout(launch, restMs, fingerprint, slot).unref()
      }
    },
    retire: (live: ReadonlySet<string>): void => {
      for (const [fingerprint, slot] of slots) {
        if (live.has(fingerprint)) continue
        slots.delete(fingerprint)
        dismiss(slot)
      }
    },
  }
}

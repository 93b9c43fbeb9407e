import type { RunRequest, StartRequest } from '../protocol.ts'

/** Decides which started instances wait, and for which request. The hook host starts and kills them. */
export interface Standby {
  /**
   * Gives the id of the instance that waits for exactly this request. From then on it belongs to the caller.
   */
  take(request: RunRequest): number | undefined
  /** The answer to a request was delivered, so the next instance may start. */
  answered(request: RunRequest): void
  /** An instance has ended, for whatever reason. */
  ended(id: number): void
  retire(live: ReadonlySet<string>): void
  /** The hook host is gone, and all instances are gone with it. */
  clear(): void
}

export interface StandbyPorts {
  start(request: StartRequest): number
  kill(id: number): void
  readonly idleMs?: number
  readonly maxInstances?: number
}

interface WaitingSlot {
  /** The request without its stdin. A started instance replaces a fresh one only for the same key. */
  key: string
  id?: number
  timer?: NodeJS.Timeout
}

const keyOf = ({ argv, cwd, env }: StartRequest): string => JSON.stringify([argv, cwd, env])

/** Keeps at most one waiting instance per hook. The least recently used are ended first. */
export const createStandby = ({ start, kill, idleMs = 60_000, maxInstances = 32 }: StandbyPorts): Standby => {
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

  const launch = (fingerprint: string, slot: WaitingSlot, request: RunRequest): void => {
    // The hook was revoked, or its instance already started.
    if (slots.get(fingerprint) !== slot || slot.id !== undefined) return
    const waiting = [...slots.values()].filter(({ id }) => id !== undefined)
    for (const oldest of waiting.slice(0, Math.max(0, waiting.length - maxInstances + 1))) dismiss(oldest)
    const { argv, argv0, cwd, env } = request
    slot.id = start({ argv, ...(argv0 === undefined ? {} : { argv0 }), cwd, env })
    slot.timer = setTimeout(dismiss, idleMs, slot).unref()
  }

  return {
    take: (request) => {
      const slot = slots.get(request.fingerprint ?? '')
      if (slot?.id === undefined || slot.key !== keyOf(request)) return undefined
      const { id } = slot
      leave(slot)
      return id
    },
    answered: (request) => {
      const { fingerprint } = request
      if (fingerprint === undefined) return
      const key = keyOf(request)
      const known = slots.get(fingerprint)
      const slot = known ?? { key }
      slots.delete(fingerprint)
      slots.set(fingerprint, slot)
      if (slot.key === key) setImmediate(launch, fingerprint, slot, request)
      else {
        // Its environment differs by event or session: no instance waits until two requests in a row are
        // alike.
        dismiss(slot)
        slot.key = key
      }
    },
    ended: (id) => {
      for (const slot of slots.values()) if (slot.id === id) leave(slot)
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

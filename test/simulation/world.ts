import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'
import type { Seeded } from '../handlers/builtins/redact/seeded.ts'

/** A process on a machine of its own. It can be killed, stopped for a while, and have a wrong clock. */
export interface Machine {
  readonly name: string
  isAlive: boolean
  /** Until then it does nothing, as after SIGSTOP. */
  stoppedUntilMs: number
  /** How far its time of day is wrong. */
  readonly skewMs: number
}

/** A connection of two machines. What one end sends arrives in order, or not at all. */
export interface Wire {
  /** Runs `arrive` on the machine at the other end, a little later. */
  send(to: Machine, arrive: () => void): void
  /** The connection breaks. Both ends are told. */
  end(): void
  isOpen(): boolean
}

export interface World {
  /** The time since the beginning, in milliseconds. */
  nowMs(): number
  machine(name: string, skewMs?: number): Machine
  /** Runs code as this machine. */
  on<Result>(machine: Machine, run: () => Result): Result
  /** Connects two machines. `onEnd` runs on each of them when the connection breaks. */
  wire(a: Machine, b: Machine, onEnd: (machine: Machine) => void): Wire
  kill(machine: Machine): void
  /** What two machines send each other arrives only when this time has passed. */
  hold(a: Machine, b: Machine, forMs: number): void
  /** The connections of two machines break, and new ones break at once until this time has passed. */
  refuse(a: Machine, b: Machine, forMs: number): void
  after(delayMs: number, run: () => void): void
  /** Runs everything until a time. */
  runTo(atMs: number): Promise<void>
  /** How many steps were taken. Equal seeds take equal steps. */
  steps(): number
  /** Gives the real clock and timers back. */
  leave(): void
}

interface Event {
  readonly atMs: number
  readonly order: number
  readonly machine: Machine | undefined
  readonly run: () => void
  isOver: boolean
}

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

/** A binary heap of events, the next one first. */
const createQueue = () => {
  const heap: Event[] = []
  const at = (index: number): Event => heap[index] as Event
  const swap = (a: number, b: number): void => {
    const [one, other] = [at(a), at(b)]
    heap[a] = other
    heap[b] = one
  }
  return {
    first: (): Event | undefined => heap[0],
    add: (event: Event): void => {
      let place = heap.push(event) - 1
      for (let up = (place - 1) >> 1; place > 0 && isBefore(event, at(up)); up = (place - 1) >> 1) {
        swap(place, up)
        place = up
      }
    },
    take: (): Event | undefined => {
      const first = heap[0]
      const last = heap.pop()
      if (last === undefined || heap.length === 0) return first
      heap[0] = last
      for (let place = 0; ;) {
        const [left, right] = [2 * place + 1, 2 * place + 2]
        let least = place
        if (left < heap.length && isBefore(at(left), at(least))) least = left
        if (right < heap.length && isBefore(at(right), at(least))) least = right
        if (least === place) return first
        swap(place, least)
        place = least
      }
    },
  }
}

const epochMs = Date.UTC(2026, 0, 2)
const pairOf = (a: Machine, b: Machine): string => [a.name, b.name].toSorted().join(' ')

/**
 * A world with a clock and a network of its own. While it stands, every timer and clock of this process is
 * the world's, so code that runs in it is the product's own and needs no change. One seed gives one history.
 * `isCalm`: no message takes much longer than the others.
 */
export const createWorld = (random: Seeded, isCalm = false): World => {
  const queue = createQueue()
  const current = new AsyncLocalStorage<Machine>()
  const wires = new Map<string, Set<{ fail(): void }>>()
  const heldUntilMs = new Map<string, number>()
  const refusedUntilMs = new Map<string, number>()
  let nowMs = 0
  let order = 0
  let steps = 0

  const add = (atMs: number, machine: Machine | undefined, run: () => void): Event => {
    const event = { atMs, order: order++, machine, run, isOver: false }
    queue.add(event)
    return event
  }

  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    setImmediate: globalThis.setImmediate,
    now: Date.now,
    random: Math.random,
    pause: promises.setTimeout,
  }
  /** A timer as Node gives it. */
  const timer = (delayMs: number, run: () => void, isRepeated: boolean): object => {
    const machine = current.getStore()
    const delay = Math.max(isRepeated ? 1 : 0, Number.isFinite(delayMs) ? delayMs : 0)
    let event: Event
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      end: () => (event.isOver = true),
    }
    const begin = (): void => {
      event = add(nowMs + delay, machine, () => {
        if (isRepeated) begin()
        run()
      })
    }
    begin()
    return handle
  }
  const end = (handle: unknown): void => {
    if (typeof handle === 'object' && handle !== null && 'end' in handle) (handle.end as () => void)()
  }
  const fakes = {
    setTimeout: (run: (...of: unknown[]) => void, ms = 0, ...of: unknown[]) =>
      timer(ms, () => run(...of), false),
    setInterval: (run: (...of: unknown[]) => void, ms = 0, ...of: unknown[]) =>
      timer(ms, () => run(...of), true),
    setImmediate: (run: (...of: unknown[]) => void, ...of: unknown[]) => timer(0, () => run(...of), false),
    clearTimeout: end,
    clearInterval: end,
  }
  const pause = (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason)
        return
      }
      const handle = fakes.setTimeout(() => resolve(value), ms)
      signal?.addEventListener('abort', () => {
        end(handle)
        reject(signal.reason)
      })
    })
  Object.assign(globalThis, fakes)
  Date.now = () => epochMs + nowMs + (current.getStore()?.skewMs ?? 0)
  Math.random = () => random.below(1_000_000) / 1_000_000
  Object.defineProperty(performance, 'now', { value: () => nowMs, configurable: true })
  Object.assign(promises, { setTimeout: pause })
  syncBuiltinESMExports()

  const settled = (): Promise<void> => new Promise((resolve) => void real.setImmediate(resolve))

  /** Most messages take a fraction of a millisecond, and now and then one takes much longer. */
  const latencyMs = (): number =>
    (!isCalm && random.below(50) === 0 ? random.below(20_000) : 100 + random.below(400)) / 1000
  const wiresOf = (pair: string): Set<{ fail(): void }> => {
    const found = wires.get(pair) ?? new Set()
    wires.set(pair, found)
    return found
  }

  return {
    nowMs: () => nowMs,
    steps: () => steps,
    machine: (name, skewMs = 0) => ({ name, isAlive: true, stoppedUntilMs: 0, skewMs }),
    on: (machine, run) => current.run(machine, run),
    wire: (a, b, onEnd) => {
      const pair = pairOf(a, b)
      let isOpen = true
      const lastMs = new Map<Machine, number>()
      const all = wiresOf(pair)
      const wire = {
        isOpen: () => isOpen,
        send: (to: Machine, arrive: () => void): void => {
          if (!isOpen) return
          const soonest = Math.max(nowMs + latencyMs(), heldUntilMs.get(pair) ?? 0)
          const atMs = Math.max(soonest, lastMs.get(to) ?? 0)
          lastMs.set(to, atMs)
          add(atMs, to, () => {
            if (isOpen) arrive()
          })
        },
        fail: (): void => {
          if (!isOpen) return
          isOpen = false
          all.delete(wire)
          for (const machine of [a, b]) add(nowMs, machine, () => onEnd(machine))
        },
        end: (): void => wire.fail(),
      }
      all.add(wire)
      const isRefused = !a.isAlive || !b.isAlive || (refusedUntilMs.get(pair) ?? 0) > nowMs
      if (isRefused) add(nowMs + latencyMs(), undefined, wire.fail)
      return wire
    },
    kill: (machine) => {
      machine.isAlive = false
      for (const [pair, all] of wires)
        if (pair.split(' ').includes(machine.name)) for (const wire of all) wire.fail()
    },
    hold: (a, b, forMs) => void heldUntilMs.set(pairOf(a, b), nowMs + forMs),
    refuse: (a, b, forMs) => {
      refusedUntilMs.set(pairOf(a, b), nowMs + forMs)
      for (const wire of wiresOf(pairOf(a, b))) wire.fail()
    },
    after: (delayMs, run) => void add(nowMs + delayMs, current.getStore(), run),
    runTo: async (atMs) => {
      for (let event = queue.first(); event !== undefined && event.atMs <= atMs; event = queue.first()) {
        queue.take()
        const { machine, run, isOver } = event
        if (isOver || machine?.isAlive === false) continue
        nowMs = event.atMs
        if (machine !== undefined && machine.stoppedUntilMs > nowMs) {
          queue.add(Object.assign(event, { atMs: machine.stoppedUntilMs }))
          continue
        }
        steps++
        if (machine === undefined) run()
        else current.run(machine, run)
        await settled()
      }
      nowMs = atMs
    },
    leave: () => {
      const { now, random: realRandom, pause: realPause, ...timers } = real
      Object.assign(globalThis, timers)
      Date.now = now
      Math.random = realRandom
      Reflect.deleteProperty(performance, 'now')
      Object.assign(promises, { setTimeout: realPause })
      syncBuiltinESMExports()
    },
  }
}

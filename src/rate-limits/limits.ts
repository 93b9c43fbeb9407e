import type { Channel, Limit } from '../core/model/chat/channel.ts'
import type { Address } from '../core/model/chat/push.ts'

export interface LimitPorts {
  channel(name: string): Channel | undefined
  after(delayMs: number, run: () => void): void
  /** A clock that nobody can set, in milliseconds. */
  elapsedMs(): number
}

/** A reserved slot for one send. A send that never started does not count. */
interface SendSlot {
  start(): void
  end(): void
}

type Window = ReturnType<typeof createWindow>

/**
 * The sends of one channel that wait for a free slot in the limit over all chats, in the order in which they
 * asked.
 */
interface SendLine {
  readonly windows: readonly Window[]
  readonly asking: (() => void)[]
  isArmed: boolean
}

/** Above this number of windows, those of idle chats are removed. */
const maxWindows = 1000

/**
 * The sends within the last interval. A send counts from its start, and again from its end: nobody knows when
 * in between the messenger counts it.
 */
const createWindow = ({ sends, withinMs }: Limit, elapsedMs: () => number) => {
  /** The time at which each send was last known to be under way. Infinity: it has not started yet. */
  const counted = new Set<{ atMs: number }>()
  const times = (): readonly number[] => {
    for (const each of counted) if (each.atMs + withinMs <= elapsedMs()) counted.delete(each)
    return [...counted].map(({ atMs }) => atMs).toSorted((a, b) => a - b)
  }
  return {
    take: (): SendSlot => {
      const send = { atMs: Infinity }
      counted.add(send)
      return {
        start: () => {
          send.atMs = elapsedMs()
        },
        end: () => {
          const wasStarted = send.atMs < Infinity
          counted.delete(send)
          if (wasStarted) counted.add({ atMs: elapsedMs() })
        },
      }
    },
    isIdle: (): boolean => times().length === 0,
    /** The time until a slot is free, in milliseconds. Infinity: a reserved send has to start first. */
    waitMs: (): number => {
      const startTimes = times()
      const first = startTimes[startTimes.length - sends]
      return first === undefined ? 0 : first + withinMs - elapsedMs()
    },
  }
}

const waitOf = (windows: readonly Window[]): number =>
  Math.max(0, ...windows.map((window) => window.waitMs()))

/**
 * Keeps the rate limits of a messenger without asking it: a number of sends within an interval, over all
 * chats, in each chat, and in each group.
 */
export const createLimits = (ports: LimitPorts) => {
  const windows = new Map<string, Window>()
  const lines = new Map<string, SendLine>()
  const limitsOf = (address: Address): readonly Limit[] => ports.channel(address.channel)?.limits ?? []

  const windowOf = (key: string, limit: Limit): Window => {
    if (windows.size > maxWindows)
      for (const [other, window] of windows) if (window.isIdle()) windows.delete(other)
    const window = windows.get(key) ?? createWindow(limit, ports.elapsedMs)
    windows.set(key, window)
    return window
  }
  const ownOf = (address: Address): readonly Window[] => {
    const group = ports.channel(address.channel)?.groupOf?.(address.chat_id)
    return limitsOf(address).flatMap((limit, index) =>
      // A messenger counts the topics of a group as one chat.
      limit.of === 'all' || (limit.of === 'group' && group === undefined)
        ? []
        : [windowOf(JSON.stringify([address.channel, group ?? address.chat_id, index]), limit)],
    )
  }
  const lineOf = (address: Address): SendLine => {
    const line = lines.get(address.channel) ?? {
      windows: limitsOf(address)
        .filter((limit) => limit.of === 'all')
        .map((limit) => createWindow(limit, ports.elapsedMs)),
      asking: [],
      isArmed: false,
    }
    lines.set(address.channel, line)
    return line
  }

  const arm = (line: SendLine): void => {
    const waitMs = waitOf(line.windows)
    if (line.isArmed || line.asking.length === 0 || waitMs === Infinity) return
    line.isArmed = true
    ports.after(Math.ceil(waitMs), () => {
      line.isArmed = false
      while (line.asking.length > 0 && waitOf(line.windows) === 0) line.asking.shift()?.()
      arm(line)
    })
  }

  const begin = (line: SendLine, own: readonly Window[]): SendSlot => {
    const slots = [...own, ...line.windows].map((window) => window.take())
    const all = (step: keyof SendSlot) => (): void => {
      for (const slot of slots) slot[step]()
      arm(line)
    }
    return { start: all('start'), end: all('end') }
  }

  return {
    /** Reserves a slot. Undefined: none is free yet; `again` is called once when it is worth trying again. */
    take: (address: Address, again: () => void): SendSlot | undefined => {
      const own = ownOf(address)
      const line = lineOf(address)
      const waitMs = waitOf(own)
      if (waitMs === 0 && waitOf(line.windows) === 0) return begin(line, own)
      if (waitMs > 0) {
        ports.after(Math.ceil(waitMs), again)
        return undefined
      }
      line.asking.push(again)
      arm(line)
      return undefined
    },
    /** Reserves a slot even when none is free. Later sends wait longer because of it. */
    force: (address: Address): SendSlot => begin(lineOf(address), ownOf(address)),
  }
}

import { faultAnswer, type Answer } from '../../model/hooks/answer.ts'
import { breathe } from '../../model/base/breathe.ts'
import type { ArmedHook } from '../../model/hooks/entry.ts'
import type { Payload } from '../../model/events/payload.ts'
import { messageOf } from '../../model/gate/problem.ts'
import type { RunResult } from '../host/protocol.ts'

export interface AskingPorts {
  /** True when another machine runs the hook for this payload, and checks its seal there. Absent: never. */
  isElsewhere?(hook: ArmedHook, payload: Payload): boolean
  run(
    hook: ArmedHook,
    payload: Payload,
    options: { timeoutMs: number; chain: readonly string[]; signal: AbortSignal },
  ): Promise<RunResult>
  /** Reads the hook's output as its own system does. */
  decode(hook: ArmedHook, payload: Payload, result: RunResult): Answer
  /** The time that is shown, in epoch milliseconds. */
  now(): number
  /** The time for intervals, from a monotonic clock. */
  elapsedMs(): number
}

/** Asks single hooks, each within its time limit. Every failure becomes a fault. */
export interface Asking {
  /** `chain`: the events that led to this one. Never rejects. */
  run(
    hook: ArmedHook,
    payload: Payload,
    timeoutMs: number,
    chain: readonly string[],
  ): Promise<{ readonly answer: Answer; readonly result?: RunResult }>
  /**
   * Asks a hook within a round, where the hook counts as fired. `waited` gets the time that it waited for a
   * free slot.
   */
  ask(
    chain: readonly string[],
    waited?: (ms: number) => void,
  ): (hook: ArmedHook, payload: Payload, remainingMs: number) => Promise<Answer>
  /** When a hook last fired in this run of the gate, in epoch milliseconds. */
  lastFiredMs(fingerprint: string): number | undefined
  /** Kills what runs for hooks that are not among these fingerprints. */
  retire(live: ReadonlySet<string>): void
}

/**
 * Adds a note when the hook ran in its own folder, because a hook that reads its working folder saw another
 * one.
 */
const noted = (answer: Answer, { cwd }: ArmedHook, { inOwnFolder }: RunResult): Answer =>
  inOwnFolder === true
    ? {
        ...answer,
        notes: [...answer.notes, `Its working folder ${cwd} is closed or gone, so it ran in its own.`],
      }
    : answer

/** One link of a chain: the event that caused others, by name and id. Hooks that cause events carry it. */
const link = (payload: Payload): string => `${payload.event}:${payload.event_id}`

export const createAsking = (ports: AskingPorts): Asking => {
  /** What ends the runs of a hook, by its fingerprint, until it is no longer in force. */
  const ends = new Map<string, AbortController>()
  const fired = new Map<string, number>()

  const run: Asking['run'] = async (hook, payload, timeoutMs, chain) => {
    const end = ends.get(hook.fingerprint) ?? new AbortController()
    ends.set(hook.fingerprint, end)
    try {
      const pause = breathe(payload)
      if (pause !== undefined) await pause
      const isHere = ports.isElsewhere?.(hook, payload) !== true
      if (isHere && hook.readSeal !== undefined) await hook.readSeal()
      const moved = isHere && hook.watch !== undefined ? await hook.watch() : undefined
      // What starts a resident program checks everything itself.
      const isRunning = hook.entry.type === 'process'
      const damaged = typeof moved === 'string' ? moved : isHere ? hook.checkSeal(isRunning) : undefined
      if (damaged !== undefined) return { answer: faultAnswer('changed', damaged) }
      const result = await ports.run(hook, payload, {
        timeoutMs,
        chain: [...chain, link(payload)],
        signal: end.signal,
      })
      const changed = typeof moved === 'function' ? await moved() : undefined
      if (changed !== undefined) return { answer: faultAnswer('changed', changed), result }
      return { answer: noted(ports.decode(hook, payload, result), hook, result), result }
    } catch (error) {
      return { answer: faultAnswer('host', `hookgate itself failed while asking it: ${messageOf(error)}.`) }
    }
  }

  return {
    run,
    ask: (chain, waited) => async (hook, payload, remainingMs) => {
      const askedAtMs = ports.elapsedMs()
      fired.set(hook.fingerprint, ports.now())
      const timeoutMs = Math.max(1, Math.min(hook.entry.timeoutMs, remainingMs))
      const { answer, result } = await run(hook, payload, timeoutMs, chain)
      if (result !== undefined && result.durationMs > 0)
        waited?.(Math.max(0, ports.elapsedMs() - askedAtMs - result.durationMs))
      return answer
    },
    lastFiredMs: (fingerprint) => fired.get(fingerprint),
    retire: (live) => {
      for (const [fingerprint, end] of ends) {
        if (live.has(fingerprint)) continue
        ends.delete(fingerprint)
        end.abort()
      }
    },
  }
}

import type { RunResult } from '../../model/hooks/run-result.ts'
import { faultAnswer, type Answer } from '../../model/hooks/answer.ts'
import { yieldIfLarge } from '../../model/base/yield-if-large.ts'
import type { ArmedHook } from '../../model/hooks/entry.ts'
import type { Payload } from '../../model/events/payload.ts'
import { messageOf } from '../../model/gate/problem.ts'

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
  /** The time for intervals, from a monotonic clock. */
  elapsedMs(): number
}

/** What a hook answered. `result`: absent where it was not started. */
export interface HookReply {
  readonly answer: Answer
  readonly result?: RunResult
  /** The time that the hook took, without a wait for a free slot. */
  readonly durationMs: number
}

/** Asks single hooks, each within its time limit. Every failure becomes a fault. */
export interface Asking {
  /**
   * Asks a hook within its own time limit and `remainingMs`. `chain`: the events that led to this one. Never
   * rejects.
   */
  ask(hook: ArmedHook, payload: Payload, remainingMs: number, chain: readonly string[]): Promise<HookReply>
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

  const ask: Asking['ask'] = async (hook, payload, remainingMs, chain) => {
    const end = ends.get(hook.fingerprint) ?? new AbortController()
    ends.set(hook.fingerprint, end)
    const askedAtMs = ports.elapsedMs()
    const asked = (answer: Answer, result?: RunResult): HookReply => ({
      answer,
      result,
      durationMs: result?.durationMs || ports.elapsedMs() - askedAtMs,
    })
    try {
      const pause = yieldIfLarge(payload)
      if (pause !== undefined) await pause
      const isHere = ports.isElsewhere?.(hook, payload) !== true
      if (isHere && hook.readSeal !== undefined) await hook.readSeal()
      const moved = isHere && hook.watch !== undefined ? await hook.watch() : undefined
      // What starts a resident program checks everything itself.
      const isRunning = hook.entry.type === 'process'
      const damaged = typeof moved === 'string' ? moved : isHere ? hook.checkSeal(isRunning) : undefined
      if (damaged !== undefined) return asked(faultAnswer('changed', damaged))
      const result = await ports.run(hook, payload, {
        timeoutMs: Math.max(1, Math.min(hook.entry.timeoutMs, remainingMs)),
        chain: [...chain, link(payload)],
        signal: end.signal,
      })
      const changed = typeof moved === 'function' ? await moved() : undefined
      if (changed !== undefined) return asked(faultAnswer('changed', changed), result)
      return asked(noted(ports.decode(hook, payload, result), hook, result), result)
    } catch (error) {
      return asked(faultAnswer('host', `hookgate itself failed while asking it: ${messageOf(error)}.`))
    }
  }

  return {
    ask,
    retire: (live) => {
      for (const [fingerprint, end] of ends) {
        if (live.has(fingerprint)) continue
        ends.delete(fingerprint)
        end.abort()
      }
    },
  }
}

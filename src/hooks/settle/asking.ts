import { faultAnswer, type Answer } from '../../model/hooks/answer.ts'
import { breathe } from '../../model/base/breathe.ts'
import type { ArmedHook } from '../../model/hooks/entry.ts'
import type { Payload } from '../../model/events/payload.ts'
import { messageOf } from '../../model/gate/problem.ts'
import type { RunResult } from '../host/protocol.ts'

export interface AskingPorts {
  run(
    hook: ArmedHook,
    payload: Payload,
    options: { timeoutMs: number; chain: readonly string[]; signal: AbortSignal },
  ): Promise<RunResult>
  /** What the hook's own system makes of what it left behind. */
  decode(hook: ArmedHook, payload: Payload, result: RunResult): Answer
  /** For what is shown. */
  now(): number
  /** For intervals, by a clock that nobody can set. */
  elapsedMs(): number
}

/** Asks single hooks, each for as long as it may take. Whatever goes wrong becomes a fault. */
export interface Asking {
  /** `chain`: the events that led to this one. Never rejects. */
  run(
    hook: ArmedHook,
    payload: Payload,
    timeoutMs: number,
    chain: readonly string[],
  ): Promise<{ readonly answer: Answer; readonly result?: RunResult }>
  /** The same within a round, where the hook counts as fired. `waited` hears how long it waited for a free slot. */
  ask(
    chain: readonly string[],
    waited?: (ms: number) => void,
  ): (hook: ArmedHook, payload: Payload, remainingMs: number) => Promise<Answer>
  /** When a hook last fired in this run of the gate, in epoch milliseconds. */
  lastFiredMs(fingerprint: string): number | undefined
  /** Kills what runs for hooks that are not among these fingerprints. */
  retire(live: ReadonlySet<string>): void
}

/** A hook that looks at its working folder saw another one: that is told beside what it answered. */
const noted = (answer: Answer, { cwd }: ArmedHook, { inOwnFolder }: RunResult): Answer =>
  inOwnFolder === true
    ? {
        ...answer,
        notes: [...answer.notes, `Its working folder ${cwd} is closed or gone, so it ran in its own.`],
      }
    : answer

/** One link of a chain, for hooks that cause events of their own: what caused them, by name. */
const link = (payload: Payload): string => `${payload.event}:${payload.event_id}`

export const createAsking = (ports: AskingPorts): Asking => {
  const running = new Map<AbortController, string>()
  const fired = new Map<string, number>()

  const run: Asking['run'] = async (hook, payload, timeoutMs, chain) => {
    const abort = new AbortController()
    running.set(abort, hook.fingerprint)
    try {
      const pause = breathe(payload)
      if (pause !== undefined) await pause
      const moved = await hook.watch?.()
      const damaged = typeof moved === 'string' ? moved : hook.checkSeal()
      if (damaged !== undefined) return { answer: faultAnswer('changed', damaged) }
      const result = await ports.run(hook, payload, {
        timeoutMs,
        chain: [...chain, link(payload)],
        signal: abort.signal,
      })
      const changed = typeof moved === 'function' ? await moved() : undefined
      if (changed !== undefined) return { answer: faultAnswer('changed', changed), result }
      return { answer: noted(ports.decode(hook, payload, result), hook, result), result }
    } catch (error) {
      return { answer: faultAnswer('host', `hookgate itself failed while asking it: ${messageOf(error)}.`) }
    } finally {
      running.delete(abort)
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
      for (const [abort, fingerprint] of running) if (!live.has(fingerprint)) abort.abort()
    },
  }
}

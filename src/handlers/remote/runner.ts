import type { RunResult } from '../../core/model/hooks/run-result.ts'
import type { Clock } from '../../core/model/base/clock.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { failedRun } from '../host/protocol.ts'
import { startPrograms, type ProgramOptions } from '../programs.ts'
import { createAsking } from '../../core/hooks/settle/asking.ts'
import { createCommandTransport } from '../transports/command.ts'
import type { AskOptions, Speech } from '../transports/transport.ts'

export interface HookRunnerOptions extends Omit<ProgramOptions, 'listed'>, Pick<Clock, 'elapsedMs'> {
  readonly speech: Speech
}

/** Runs approved commands for a gate on another machine. The gate reads their answers and decides. */
export interface HookRunner {
  /** Checks the seal and runs the hook. Never rejects. */
  run(hook: ArmedHook, payload: Payload, options: AskOptions): Promise<RunResult>
  /** Ends what runs for hooks that are not among these fingerprints. */
  retire(live: ReadonlySet<string>): void
  stop(): Promise<void>
}

/** Starts the hook host of a node. */
export const startHookRunner = async (options: HookRunnerOptions): Promise<HookRunner> => {
  const { speech, elapsedMs } = options
  const { host, envOf } = await startPrograms(options)
  const commands = createCommandTransport({ host, speech, envOf })
  /** By the payload of the run that it ends. */
  const ends = new WeakMap<Payload, AbortSignal>()
  const asking = createAsking({
    run: (hook, payload, { signal, ...more }) => {
      const end = ends.get(payload)
      return commands.ask(hook, payload, {
        ...more,
        signal: end === undefined ? signal : AbortSignal.any([signal, end]),
      })
    },
    // The gate reads the answer in the hook's dialect.
    decode: () => ({ kind: 'abstain', notes: [] }),
    elapsedMs,
  })
  return {
    run: async (hook, payload, { timeoutMs, chain, signal }) => {
      if (signal?.aborted === true) return failedRun('killed', 'Nobody waited for its answer any more.')
      if (signal !== undefined) ends.set(payload, signal)
      // The last link is this event, which is added again here.
      const { answer, result } = await asking.ask(hook, payload, timeoutMs, chain.slice(0, -1))
      const { fault } = answer
      if (fault !== undefined && fault.kind !== 'exit') return failedRun(fault.kind, fault.detail)
      return result ?? failedRun('host', 'It gave no answer. Try again.')
    },
    retire: (live) => {
      asking.retire(live)
      commands.retire?.(live)
    },
    stop: async () => {
      asking.retire(new Set())
      await host.stop()
    },
  }
}

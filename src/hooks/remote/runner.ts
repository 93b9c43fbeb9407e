import type { Clock } from '../../model/base/clock.ts'
import type { ArmedHook } from '../../model/hooks/entry.ts'
import type { HookWorld } from '../../model/hooks/hook-world.ts'
import type { Payload } from '../../model/events/payload.ts'
import { prepareGit } from '../host/git/git-wrapper.ts'
import { startHookHost, type HookHostOptions } from '../host/host.ts'
import { failedRun, type RunResult } from '../host/protocol.ts'
import { createAsking } from '../settle/asking.ts'
import { createCommandTransport } from '../transports/command.ts'
import { preparePython } from '../transports/python.ts'
import type { AskOptions, Speech } from '../transports/transport.ts'
import { createHookEnv, type BaseEnv } from '../world/hook-env.ts'

export interface HookRunnerOptions extends Pick<BaseEnv, 'lang' | 'tz' | 'user'>, Clock {
  /** The folder of hookgate on this machine. */
  readonly home: string
  readonly world: HookWorld
  /** The user, the sandbox and the mark of hooks. */
  readonly host: Pick<HookHostOptions, 'user' | 'sandbox' | 'mark'>
  readonly speech: Speech
  log(level: 'info' | 'warn' | 'error', what: string): void
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
  const { home, world, lang, tz, user, speech, log, now, elapsedMs } = options
  // These files are made before the host, because a sandbox contains only files that exist when it is made.
  const python = preparePython(home)
  const git = prepareGit(home, world.home)
  const host = await startHookHost({
    ...options.host,
    folders: { home: world.home, tmp: world.tmp },
    git,
    log: (level, what) => log(level, what),
  })
  const envOf = createHookEnv({ ...world, lang, user, python, ...(tz === undefined ? {} : { tz }) })
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
    now,
    elapsedMs,
  })
  return {
    run: async (hook, payload, { timeoutMs, chain, signal }) => {
      if (signal?.aborted === true) return failedRun('killed', 'Nobody waited for its answer any more.')
      if (signal !== undefined) ends.set(payload, signal)
      // The last link is this event, which is added again here.
      const { answer, result } = await asking.run(hook, payload, timeoutMs, chain.slice(0, -1))
      const { fault } = answer
      if (fault !== undefined && fault.kind !== 'exit') return failedRun(fault.kind, fault.detail)
      return result ?? failedRun('host', 'Expected an answer of the hook, got none.')
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

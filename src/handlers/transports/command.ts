import type { RunResult } from '../../core/model/hooks/run-result.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import { contractOf } from '../../core/model/events/event.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { syntheticPayload } from '../../shared/events/synthetic.ts'
import type { HookHost } from '../host/host.ts'
import type { createHookEnv } from '../world/hook-env.ts'
import type { Probe, RunRequest } from '../host/protocol.ts'
import type { Speech, Transport } from './transport.ts'

export interface ProgramPorts {
  readonly host: Pick<HookHost, 'run'> & Partial<Pick<HookHost, 'retire' | 'probe'>>
  readonly speech: Speech
  readonly envOf: ReturnType<typeof createHookEnv>
  /**
   * True when the hook is in force. For a hook that is not, as when doctor asks, no instance waits after the
   * answer. Absent: all hooks are in force.
   */
  isLive?(fingerprint: string): boolean
}

export interface CommandTransport extends Transport {
  /** Finds out whether this hook's program may be started before its payload exists. Never rejects. */
  probe(hook: ArmedHook): Promise<Probe>
}

/**
 * The chain for a program that is started before its event is known. The events that it causes cannot be
 * traced to one event. So they count as caused at the greatest depth and are refused as a loop: the chain has
 * one link more than a hook may cause.
 */
export const deepestChain = Array.from({ length: 3 }, () => 'waiting:waiting').join(',')

/**
 * Variables for a program that waits for its payload. The second one is for its Python; see `preparePython`.
 */
const waitingEnv = { HOOKGATE_CHAIN: deepestChain, HOOKGATE_WARM: '1' }

/**
 * A first line `{"async": true}` comes from Claude Code's protocol. Guards often print text that an agent
 * wrote, and such text must not end their question. So the line counts only on events where nothing can be
 * refused.
 */
const mayGoAsync = ({ entry }: ArmedHook): boolean => contractOf(entry.event).gate.length === 0

/**
 * Why a hook must be started for each request; undefined when it may wait. A file that is used from its
 * original path could change between the start of an instance and its request.
 */
const coldWhy = ({ entry, watch }: ArmedHook): string | undefined => {
  const why = 'The file could change between the start of the program and its request.'
  if (entry.shell !== undefined) return `A shell's text uses files that are not sealed. ${why}`
  return watch === undefined ? undefined : `It uses a file from its original path. ${why}`
}

/** Asks a hook that is a program: the payload is JSON on stdin, the answer is on stdout. */
export const createCommandTransport = ({
  host,
  speech,
  envOf,
  isLive = () => true,
}: ProgramPorts): CommandTransport => {
  /** An undefined `chain` means a program that waits for its payload. */
  const requestOf = (
    hook: ArmedHook,
    payload: Payload,
    stdin: string,
    chain: string | undefined,
    timeoutMs: number,
  ): RunRequest => ({
    argv: hook.argv,
    argv0: hook.argv0,
    cwd: hook.cwd,
    ownFolder: hook.ownFolder,
    env: {
      ...envOf(hook, speech.env(hook, payload)),
      ...(chain === undefined ? waitingEnv : { HOOKGATE_CHAIN: chain }),
    },
    stdin,
    timeoutMs,
    fingerprint: hook.fingerprint,
  })
  return {
    ask: (hook, payload, { timeoutMs, chain, signal }) => {
      const isWarm = hook.entry.isWarm === true && coldWhy(hook) === undefined
      const run = (stdin: string): Promise<RunResult> =>
        host.run(
          {
            ...requestOf(hook, payload, stdin, isWarm ? undefined : chain.join(','), timeoutMs),
            mayGoAsync: mayGoAsync(hook),
            waits: !isLive(hook.fingerprint) ? undefined : isWarm ? 'program' : 'shell',
          },
          signal,
          hook.checkSeal,
        )
      const stdin = speech.stdin(hook, payload)
      return typeof stdin === 'string' ? run(stdin) : stdin.then(run)
    },
    retire: (live) => host.retire?.(live),
    probe: async (hook) => {
      if (hook.entry.type !== 'command' || host.probe === undefined)
        return {
          isSafe: false,
          why: `It is a hook of type ${hook.entry.type}, and only a command can be warm.`,
        }
      await hook.readSeal?.()
      const damaged = hook.checkSeal()
      const why = damaged ?? coldWhy(hook)
      if (why !== undefined) return { isSafe: false, why }
      const sample = syntheticPayload(hook.entry.event, hook.cwd, new Date())
      const stdin = await speech.stdin(hook, sample)
      return host.probe(requestOf(hook, sample, stdin, undefined, hook.entry.timeoutMs))
    },
  }
}

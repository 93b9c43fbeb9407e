import type { RunResult } from '../../core/model/hooks/run-result.ts'
import { extname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isObject } from '../../core/model/base/json.ts'
import { parseUnambiguous } from '../../shared/base/unambiguous.ts'
import { type Answer, faultAnswer } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { startHookHost } from '../host/host.ts'
import { failedRun } from '../host/protocol.ts'
import { createAsking, type Asking } from '../../core/hooks/settle/asking.ts'
import { createCommandTransport, deepestChain } from '../transports/command.ts'
import type { Speech } from '../transports/transport.ts'
import { createHookEnv, type BaseEnv } from '../world/hook-env.ts'

const relay = fileURLToPath(new URL(`./relay-process${extname(import.meta.url)}`, import.meta.url))

/** The command of the process through which a host in a sandbox talks to the gate. */
export const relayed = (sandbox: readonly string[]): readonly string[] => [
  process.execPath,
  '--disable-sigusr1',
  '--disable-warning=ExperimentalWarning',
  // What a host sends without an end ends this process.
  '--max-old-space-size=128',
  relay,
  ...sandbox,
]

/** The folders of hooks in the sandbox, below its only writable folder. */
const tmp = '/tmp'
const home = '/tmp/home'

export interface TrialProgramsOptions extends Pick<BaseEnv, 'path' | 'lang' | 'tz' | 'user' | 'python'> {
  /** The command that starts a program in the strict sandbox. */
  readonly sandbox: readonly string[]
  readonly mark: string
  readonly speech: Speech
  decode(hook: ArmedHook, payload: Payload, output: HandlerOutput): Answer
  elapsedMs(): number
}

/** The programs of one hook in a sandbox of their own. */
export interface TrialPrograms {
  /** Never rejects. */
  readonly ask: Asking['ask']
  /** The leader of all processes of the sandbox. Undefined: it is down. */
  pid(): number | undefined
  /** How often what runs in the sandbox was killed as a whole. */
  losses(): number
  /** Kills everything that runs in it. */
  stop(): Promise<void>
}

/** A host that is down for longer counts as down, in milliseconds. */
const maxDownMs = 15_000

/** The answer in the output of a resident program that was asked once. */
const answerOf = (result: RunResult, id: string): RunResult => {
  for (const line of result.stdout.split('\n')) {
    try {
      const said: unknown = JSON.parse(line)
      if (!isObject(said) || said['id'] !== id) continue
      const { failure: _, ...rest } = result
      const answer = parseUnambiguous(line)?.['answer'] ?? {}
      return { ...rest, exitCode: 0, stdout: JSON.stringify(answer) }
    } catch {
      // The protocol lets a program write lines that are no answer.
    }
  }
  if (result.failure !== undefined) return result
  const detail = 'It ended before it had answered its request. A resident hook has to answer line by line.'
  return failedRun('killed', detail, result.durationMs)
}

/**
 * Starts a hook host in the strict sandbox. Each event gets a fresh program, which sees no variable of the
 * gate. A resident program gets one request and then the end of its input. Rejects when the host does not
 * start.
 */
export const startTrialPrograms = async ({
  sandbox,
  mark,
  speech,
  decode,
  elapsedMs,
  ...env
}: TrialProgramsOptions): Promise<TrialPrograms> => {
  let losses = 0
  let isBack = Promise.withResolvers<void>()
  const host = await startHookHost({
    sandbox: relayed(sandbox),
    mark,
    folders: { home, tmp },
    maxParallel: 1,
    log: () => undefined,
    onRestart: () => {
      losses += 1
      isBack.resolve()
      isBack = Promise.withResolvers()
    },
  })
  const envOf = createHookEnv({ ...env, home, tmpdir: tmp })
  const commands = createCommandTransport({ host, speech, envOf, isLive: () => false })

  const askResident = async (
    hook: ArmedHook,
    payload: Payload,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<RunResult> => {
    const id = '1'
    const stdin = await speech.stdin(hook, payload)
    const result = await host.run(
      {
        argv: hook.argv,
        argv0: hook.argv0,
        cwd: hook.cwd,
        ownFolder: hook.ownFolder,
        env: { ...envOf(hook, speech.env(hook, payload)), HOOKGATE_CHAIN: deepestChain },
        stdin: `{"id":"${id}","session_id":${JSON.stringify(payload.session_id)},"payload":${stdin}}\n`,
        timeoutMs,
      },
      signal,
      hook.checkSeal,
    )
    return answerOf(result, id)
  }

  const asking = createAsking({
    run: (hook, payload, options) =>
      hook.entry.type === 'process'
        ? askResident(hook, payload, options.timeoutMs, options.signal)
        : commands.ask(hook, payload, options),
    decode: (hook, payload, result) =>
      result.failure === undefined
        ? decode(hook, payload, result)
        : faultAnswer(result.failure.kind, result.failure.detail),
    elapsedMs,
  })
  return {
    ask: async (...how) => {
      const { promise } = isBack
      const asked = await asking.ask(...how)
      // What one event brought down must not count against the next one.
      if (asked.answer.fault?.kind === 'host') await Promise.race([promise, pause(maxDownMs)])
      return asked
    },
    pid: host.pid,
    losses: () => losses,
    stop: async () => {
      asking.retire(new Set())
      isBack.resolve()
      await host.stop()
    },
  }
}

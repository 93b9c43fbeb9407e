import { dirname, join } from 'node:path'
import { faultAnswer, type Answer } from '../model/answer.ts'
import type { HandlerOutput } from '../model/dialect.ts'
import type { ArmedHook } from '../model/entry.ts'
import type { Payload } from '../model/payload.ts'
import { createHooks, type Hooks, type HooksPorts } from './hooks.ts'
import { startHookHost } from './host/host.ts'
import { createCommandTransport, createHookEnv } from './transports/command.ts'
import type { Speech } from './transports/transport.ts'
import { createTransports } from './transports/transports.ts'

/** Where hooks find programs: fixed, so that nothing an agent writes can stand before them; node's own folder comes last. */
export const hookPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', '/opt/homebrew/bin', dirname(process.execPath)].join(':')

export interface HookPlaneOptions extends Pick<HooksPorts, 'armed' | 'revision' | 'view' | 'now' | 'log'> {
  /** The gate's folder, for an empty home. */
  readonly home: string
  readonly lang: string
  readonly tz?: string
  readonly speech: Speech
  decode(hook: ArmedHook, payload: Payload, output: HandlerOutput): Answer
}

/** Starts the hook host and puts every way to reach a handler behind the hooks in force. */
export const startHookPlane = async ({ home, lang, tz, speech, decode, ...ports }: HookPlaneOptions): Promise<Hooks> => {
  const host = await startHookHost({ log: (level, what) => ports.log(level, what) })
  const envOf = createHookEnv({ path: hookPath, lang, user: 'hookgate', tmpdir: '/tmp', home: join(home, 'run', 'empty'), ...(tz === undefined ? {} : { tz }) })
  const transports = createTransports({ command: createCommandTransport({ host, speech, envOf }) })
  const hooks = createHooks({
    ...ports, run: transports.ask, retire: transports.retire,
    decode: (hook, payload, result) => (result.failure === undefined ? decode(hook, payload, result) : faultAnswer(result.failure.kind, result.failure.detail)),
  })
  return {
    ...hooks,
    stop: async () => {
      await hooks.stop()
      await transports.stop()
      await host.stop()
    },
  }
}

import type { ArmedHook } from '../../model/entry.ts'
import type { Payload } from '../../model/payload.ts'
import type { HookHost } from '../host/host.ts'
import type { Speech, Transport } from './transport.ts'

/** The same for every hook. Never a token: a hook can print what it is given. */
export interface BaseEnv {
  readonly path: string
  readonly lang: string
  readonly tz?: string
  readonly user: string
  readonly tmpdir: string
  /** An empty folder: no rc file of the owner's speaks in a hook's name. */
  readonly home: string
}

/** The whole environment of a hook's program, the event's own variables excepted. */
export const createHookEnv = ({ path, lang, tz, user, tmpdir, home }: BaseEnv) => {
  const baseEnv = {
    PATH: path,
    LANG: lang,
    ...(tz === undefined ? {} : { TZ: tz }),
    USER: user,
    TMPDIR: tmpdir,
    HOME: home,
    // Without it a file in the user's site-packages could answer for a Python hook.
    PYTHONNOUSERSITE: '1',
    // Nor may it write beside its sealed files: what does not belong there is taken for a stray.
    PYTHONDONTWRITEBYTECODE: '1',
  }
  return (hook: ArmedHook, dialectEnv: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    ({ ...baseEnv, HOOKGATE_HOOK_DIR: hook.hookDir, HOOKGATE_EVENT: hook.entry.event, ...dialectEnv, ...hook.entry.env })
}

export interface ProgramPorts {
  readonly host: Pick<HookHost, 'run'>
  readonly speech: Speech
  readonly envOf: ReturnType<typeof createHookEnv>
}

/** Asks a hook that is a program: the payload as JSON on stdin, the answer on stdout. */
export const createCommandTransport = ({ host, speech, envOf }: ProgramPorts): Transport => ({
  ask: (hook: ArmedHook, payload: Payload, { timeoutMs, chain, signal }) =>
    host.run(
      {
        argv: hook.argv,
        cwd: hook.cwd,
        env: { ...envOf(hook, speech.env(hook, payload)), HOOKGATE_CHAIN: chain.join(',') },
        stdin: speech.stdin(hook, payload),
        timeoutMs,
      },
      signal,
    ),
})

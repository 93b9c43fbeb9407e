import type { ArmedHook } from '../../model/entry.ts'
import type { Payload } from '../../model/payload.ts'
import type { HookHost } from '../host/host.ts'
import type { RunResult } from '../host/protocol.ts'

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

export type CommandTransport = (
  hook: ArmedHook,
  payload: Payload,
  options: {
    readonly timeoutMs: number
    /** The fingerprints or ids of what led here, so that a hook's own work can be told from the agent's. */
    readonly chain: readonly string[]
    readonly signal?: AbortSignal
  },
) => Promise<RunResult>

/** Asks a hook that is a program: the payload as JSON on stdin, the answer on stdout. */
export const createCommandTransport = (ports: { readonly run: HookHost['run']; readonly baseEnv: BaseEnv }): CommandTransport => {
  const { path, lang, tz, user, tmpdir, home } = ports.baseEnv
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
  return (hook, payload, { timeoutMs, chain, signal }) =>
    ports.run(
      {
        argv: hook.argv,
        cwd: hook.cwd,
        env: {
          ...baseEnv,
          HOOKGATE_HOOK_DIR: hook.hookDir,
          HOOKGATE_EVENT: payload.event,
          HOOKGATE_CHAIN: chain.join(','),
          ...hook.entry.env,
        },
        stdin: JSON.stringify(payload),
        timeoutMs,
      },
      signal,
    )
}

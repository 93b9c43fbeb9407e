import type { ArmedHook } from '../../model/hooks/entry.ts'
import type { HookWorld } from '../../model/hooks/hook-world.ts'
import { versionEnv } from './version-managers.ts'
import { filledEnv, givenToForeign, type OwnerVariables } from './owner-variables.ts'

/** The same for every hook. Never a token: a hook can print what it is given. */
export interface BaseEnv extends Pick<HookWorld, 'path' | 'home' | 'tmpdir'> {
  readonly lang: string
  readonly tz?: string
  /** The person's name: who started hookgate. */
  readonly user: string
  /** What gate.yaml lists for hooks. */
  readonly listed?: OwnerVariables
  /** Where every Python begins: see `preparePython`. Absent: as Python itself does. */
  readonly python?: string
}

/** The whole environment of a hook's program, the event's own variables excepted. */
export const createHookEnv = ({ path, lang, tz, user, tmpdir, home, python, listed = {} }: BaseEnv) => {
  const baseEnv = {
    PATH: path,
    LANG: lang,
    ...(tz === undefined ? {} : { TZ: tz }),
    USER: user,
    LOGNAME: user,
    TMPDIR: tmpdir,
    HOME: home,
    ...versionEnv(path),
    // Without it a file in the user's site-packages could answer for a Python hook.
    PYTHONNOUSERSITE: '1',
    // Nor may it write beside its sealed files: what does not belong there is taken for a stray.
    PYTHONDONTWRITEBYTECODE: '1',
    ...(python === undefined ? {} : { PYTHONSAFEPATH: '1', PYTHONPATH: python }),
  }
  /** A dialect knows no home: what it promises there begins with a tilde. */
  const inHome = (value: string): string => (value.startsWith('~/') ? `${home}${value.slice(1)}` : value)
  return (
    { entry, hookDir }: ArmedHook,
    dialectEnv: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> => ({
    ...givenToForeign(entry, listed),
    ...baseEnv,
    HOOKGATE_HOOK_DIR: hookDir,
    HOOKGATE_EVENT: entry.event,
    ...Object.fromEntries(Object.entries(dialectEnv).map(([name, value]) => [name, inHome(value)])),
    ...filledEnv(entry, listed, baseEnv),
  })
}

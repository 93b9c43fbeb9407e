import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import type { HookWorld } from '../../shared/hooks/hook-world.ts'
import { filledEnv, givenToForeign, type OwnerVariables } from './owner-variables.ts'

/** The variables that are the same for every hook. They never hold a token, because a hook can print them. */
export interface BaseEnv extends Pick<HookWorld, 'path' | 'home' | 'tmpdir'> {
  readonly lang: string
  readonly tz?: string
  /** The name of the person who started hookgate. */
  readonly user: string
  /** The variables that gate.yaml lists for hooks. */
  readonly listed?: OwnerVariables
  /** The folder of `preparePython`. Absent: Python starts as usual. */
  readonly python?: string
}

/**
 * Version managers choose a version by a file of the working folder, which an agent can write. A version that
 * does not exist would break a guard, and rustup would run the agent's own program. These variables turn that
 * off. Sources: the manuals of pyenv, rbenv, nodenv, goenv and rustup. A version manager without such a
 * variable is left off the hooks' PATH.
 */
const unled = { PYENV_DIR: '/', RBENV_DIR: '/', NODENV_DIR: '/', GOENV_DIR: '/', RUSTUP_TOOLCHAIN: 'stable' }

/**
 * The variables with which the person, and not the agent, chooses the versions. `path` is the hooks' PATH.
 */
const versionEnv = (path: string): Readonly<Record<string, string>> => {
  // Without this, rustup would search for its toolchains in the hooks' HOME.
  const cargo = path.split(':').find((folder) => folder.endsWith('/.cargo/bin'))
  return {
    ...unled,
    ...(cargo === undefined ? {} : { RUSTUP_HOME: cargo.replace(/\/\.cargo\/bin$/, '/.rustup') }),
  }
}

/** Builds the whole environment of a hook's program, including the event's own variables. */
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
    // Without this, a file in the user's site-packages could replace a module of a Python hook.
    PYTHONNOUSERSITE: '1',
    // Python must not write beside the hook's sealed files, where an unknown file counts as tampering.
    PYTHONDONTWRITEBYTECODE: '1',
    ...(python === undefined ? {} : { PYTHONSAFEPATH: '1', PYTHONPATH: python }),
  }
  /** A dialect does not know the home folder, so its paths there begin with a tilde. */
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

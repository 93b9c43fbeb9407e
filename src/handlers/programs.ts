import type { HookWorld } from '../shared/hooks/hook-world.ts'
import { prepareGit } from './host/git/git-wrapper.ts'
import { startHookHost, type HookHost, type HookHostOptions } from './host/host.ts'
import { preparePython } from './transports/python.ts'
import { createHookEnv, type BaseEnv } from './world/hook-env.ts'

export interface ProgramOptions extends Pick<BaseEnv, 'lang' | 'tz' | 'user' | 'listed'> {
  /** The folder of hookgate on this machine. */
  readonly home: string
  readonly world: HookWorld
  /** The user, the sandbox and the mark of hooks. Absent: the user who runs hookgate. */
  readonly host?: Pick<HookHostOptions, 'user' | 'sandbox' | 'mark'> | undefined
  log(level: 'info' | 'warn' | 'error', what: string): void
}

/** The hook host, and the environment that the programs of hooks get. */
export interface Programs {
  readonly host: HookHost
  readonly envOf: ReturnType<typeof createHookEnv>
}

/** Starts the hook host. Rejects when that fails. */
export const startPrograms = async ({
  home,
  world,
  host: runsAs,
  log,
  ...env
}: ProgramOptions): Promise<Programs> => {
  // These files are made before the host, because a sandbox contains only files that exist when it is made.
  const python = preparePython(home)
  const git = prepareGit(home, world.home)
  const host = await startHookHost({
    ...runsAs,
    folders: { home: world.home, tmp: world.tmp },
    git,
    log: (level, what) => log(level, what),
  })
  return { host, envOf: createHookEnv({ ...world, ...env, python }) }
}

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Mount } from './mounts.ts'

const flags: Readonly<Record<Mount['kind'], (at: string) => readonly string[]>> = {
  write: (at) => ['--bind', at, at],
  read: (at) => ['--ro-bind', at, at],
  empty: (at) => ['--tmpfs', at],
}

/** The words that start a program in a sandbox of bubblewrap. `sockets`: what stands in the gate's folder, and nothing else does. */
export const bwrapPrefix = (bwrap: string, mounts: readonly Mount[], home: string, workspace: string, sockets: readonly string[]): readonly string[] => {
  const own = realpathSync(home)
  const socketFlags = sockets.flatMap((path) => ['--bind', path, join(own, path.slice(home.length))])
  const [outside, inside] = [mounts.filter(({ at }) => at !== '/proc' && !at.startsWith(`${own}/`)), mounts.filter(({ at }) => at.startsWith(`${own}/`))]
  const flagsOf = (some: readonly Mount[]): readonly string[] => some.flatMap(({ at, kind }) => flags[kind](at))
  return [
    bwrap, '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--cap-drop', 'ALL',
    ...flagsOf(outside.filter(({ at }) => at === '/')), '--dev', '/dev', '--proc', '/proc',
    ...flagsOf(outside.filter(({ at }) => at !== '/')), ...socketFlags, ...flagsOf(inside), '--remount-ro', own,
    '--chdir', workspace, '--',
  ]
}

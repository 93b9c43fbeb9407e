import type { Mount } from './mounts.ts'
import { firstProcessScript } from '../run-script.ts'

export const flagsOf = (mount: Mount): readonly string[] => {
  const { at } = mount
  switch (mount.kind) {
    case 'write':
      return ['--bind', at, at]
    case 'read':
      return ['--ro-bind', at, at]
    case 'link':
      return ['--symlink', mount.to, at]
    case 'empty':
    case 'bare':
      return mount.from === undefined ? ['--tmpfs', at] : ['--bind', mount.from, at]
  }
}

/**
 * Returns the command prefix that starts a program in a bubblewrap sandbox. Without setpriv the first process
 * there is bubblewrap's own.
 */
export const bwrapPrefix = (
  { bwrap, setpriv }: { readonly bwrap: string; readonly setpriv?: string | undefined },
  mounts: readonly Mount[],
  folder: string,
): readonly string[] => {
  const [root, ...others] = mounts
  return [
    bwrap,
    '--unshare-pid',
    '--unshare-ipc',
    '--die-with-parent',
    ...(setpriv === undefined ? ['--cap-drop', 'ALL'] : ['--as-pid-1', '--cap-add', 'ALL']),
    ...(root === undefined ? [] : flagsOf(root)),
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...others.filter(({ at }) => at !== '/proc').flatMap(flagsOf),
    ...others.flatMap(({ at, kind }) => (kind === 'bare' ? ['--remount-ro', at] : [])),
    '--chdir',
    folder,
    '--',
    ...(setpriv === undefined ? [] : ['/bin/sh', '-c', firstProcessScript(setpriv), 'sh']),
  ]
}

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { quoted } from '../../shared/base/shell.ts'
import type { Mount } from './mounts.ts'
import { firstProcessScript } from '../run-script.ts'

/**
 * The shell functions that run inside the new namespaces before the program starts. They build a second tree
 * of mounts at `$n`; afterwards the first tree is unmounted. `$n` is a folder of the gate's own, because
 * nobody else can write there. `seal` makes a path and all mounts below it read-only, including names with
 * spaces. A remount has to repeat the flags that the system does not let go of.
 */
const prelude = `set -e
PATH=/usr/bin:/bin:/usr/sbin:/sbin
target() { if [ -d "$1" ]; then mkdir -p "$n$1"; elif [ ! -e "$n$1" ]; then mkdir -p "$n\${1%/*}"; : > "$n$1"; fi; }
ro() { mount -o remount,bind,ro,nosuid,nodev "$1" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev,noexec "$1"; }
seal() { ro "$n$1"; cut -d" " -f5 /proc/self/mountinfo | while read -r m; do
case "$m" in *\\\\*) m=$(printf %b "$m");; esac; case "$m" in "$n$1"/?*) ro "$m" 2>/dev/null || :;; esac; done; }
write() { target "$1"; mount --rbind "$1" "$n$1"; }
lasting() { mount --rbind "$2" "$n$1"; }
read_only() { write "$1"; seal "$1"; }
empty() { mkdir -p "$n$1"; mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$n$1"; }
link() { mkdir -p "$n\${1%/*}"; ln -sfn "$2" "$n$1"; }
mount --rbind / "$n"
`

const devices = `empty /dev
for d in null zero full random urandom tty; do : > "$n/dev/$d"; mount --bind "/dev/$d" "$n/dev/$d"; done
mkdir "$n/dev/pts" "$n/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$n/dev/pts"
ln -s pts/ptmx "$n/dev/ptmx"; ln -s /proc/self/fd "$n/dev/fd"
ln -s fd/0 "$n/dev/stdin"; ln -s fd/1 "$n/dev/stdout"; ln -s fd/2 "$n/dev/stderr"
mount -t proc proc "$n/proc"
`

const call = (mount: Mount): string => {
  const at = quoted(mount.at)
  switch (mount.kind) {
    case 'write':
      return `write ${at}\n`
    case 'read':
      return `read_only ${at}\n`
    case 'link':
      return `link ${at} ${quoted(mount.to)}\n`
    case 'empty':
    case 'bare':
      return mount.from === undefined ? `empty ${at}\n` : `lasting ${at} ${quoted(mount.from)}\n`
  }
}

/**
 * Returns the command prefix that starts a program in its own namespaces, with tools that every Linux has.
 */
export const unsharePrefix = (
  { unshare, setpriv }: { readonly unshare: string; readonly setpriv: string },
  mounts: readonly Mount[],
  home: string,
  folder: string,
  isRoot: boolean,
): readonly string[] => {
  const [root, ...others] = mounts
  const script = [
    `n=${quoted(join(realpathSync(home), 'run', 'empty'))}\n`,
    prelude,
    root?.kind === 'read' ? 'seal ""\n' : '',
    devices,
    ...others.map(call),
    ...others.flatMap(({ at, kind }) => (kind === 'bare' ? [`ro "$n"${quoted(at)}\n`] : [])),
    'mkdir "$n/dev/.old"\ncd "$n"\npivot_root . dev/.old\ncd /\numount -l /dev/.old\nrmdir /dev/.old\n',
    `cd ${quoted(folder)}\n`,
    firstProcessScript(quoted(setpriv)),
  ].join('')
  return [
    setpriv,
    '--pdeathsig',
    'KILL',
    unshare,
    ...(isRoot ? [] : ['--user', '--map-current-user', '--keep-caps']),
    '--mount',
    '--pid',
    '--ipc',
    '--fork',
    '--kill-child=KILL',
    '/bin/sh',
    '-c',
    script,
    'sh',
  ]
}

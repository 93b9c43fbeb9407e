import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Mount } from './mounts.ts'

const quoted = (text: string): string => `'${text.replaceAll('\'', '\'\\\'\'')}'`

/**
 * What is done inside the new namespaces, before the agent is started: a second tree of mounts, and the first one let go.
 * `$n` is where it is built: a folder of the gate's own, since nobody else can be there.
 */
const prelude = `set -e
PATH=/usr/bin:/bin:/usr/sbin:/sbin
target() { if [ -d "$1" ]; then mkdir -p "$n$1"; elif [ ! -e "$n$1" ]; then mkdir -p "$n\${1%/*}"; : > "$n$1"; fi; }
write() { target "$1"; mount --rbind "$1" "$n$1"; }
seal() { mount -o remount,bind,ro,nosuid,nodev "$n$1"; }
read_only() { write "$1"; seal "$1"; }
empty() { mkdir -p "$n$1"; mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$n$1"; }
mount --rbind / "$n"
`

/** All file systems, not only the one of the root. */
const sealAll = 'cut -d" " -f5 /proc/self/mountinfo | while read -r m; do case "$m" in "$n"|"$n"/*) mount -o remount,bind,ro,nosuid,nodev "$m" 2>/dev/null || [ "$m" != "$n" ];; esac; done\n'

const devices = `empty /dev
for d in null zero full random urandom tty; do : > "$n/dev/$d"; mount --bind "/dev/$d" "$n/dev/$d"; done
mkdir "$n/dev/pts" "$n/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$n/dev/pts"
ln -s pts/ptmx "$n/dev/ptmx"; ln -s /proc/self/fd "$n/dev/fd"
ln -s fd/0 "$n/dev/stdin"; ln -s fd/1 "$n/dev/stdout"; ln -s fd/2 "$n/dev/stderr"
mount -t proc proc "$n/proc"
`

const functions: Readonly<Record<Mount['kind'], string>> = { write: 'write', read: 'read_only', empty: 'empty' }

/** The shell stays: the first process of such a namespace is the one that ended orphans are left to. */
const run = 'exec 3<&0; "$@" <&3 3<&- & exec 3<&-; wait $!'

/** The words that start a program in namespaces of its own, by the tools that every Linux has. */
export const unsharePrefix = (
  { unshare, setpriv }: { readonly unshare: string; readonly setpriv: string }, mounts: readonly Mount[], home: string, workspace: string, sockets: readonly string[], isRoot: boolean,
): readonly string[] => {
  const own = realpathSync(home)
  const calls = (some: readonly Mount[]): string => some.map(({ at, kind }) => `${functions[kind]} ${quoted(at)}\n`).join('')
  const [outside, inside] = [mounts.filter(({ at }) => at !== '/' && !at.startsWith(`${own}/`)), mounts.filter(({ at }) => at.startsWith(`${own}/`))]
  const places = sockets.map((path) => `target_socket=${quoted(join(own, path.slice(home.length)))}; mkdir -p "$n\${target_socket%/*}"; : > "$n$target_socket"; mount --bind ${quoted(path)} "$n$target_socket"\n`).join('')
  const script = [
    `n=${quoted(join(own, 'run', 'empty'))}\n`, prelude, isRoot ? sealAll : '', devices, calls(outside), places, calls(inside), `seal ${quoted(own)}\n`,
    'mkdir "$n/tmp/.old"\ncd "$n"\npivot_root . tmp/.old\ncd /\numount -l /tmp/.old\nrmdir /tmp/.old\n', `cd ${quoted(workspace)}\n`,
    `exec ${quoted(setpriv)} --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all /bin/sh -c ${quoted(run)} sh "$@"`,
  ].join('')
  return [
    setpriv, '--pdeathsig', 'KILL', unshare, ...(isRoot ? [] : ['--user', '--map-current-user', '--keep-caps']),
    '--mount', '--pid', '--ipc', '--fork', '--kill-child=KILL', '/bin/sh', '-c', script, 'sh',
  ]
}

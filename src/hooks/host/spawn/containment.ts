import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from './group.ts'

/** What holds hooks together, so that none outlives its run, its host or the gate. */
export type Containment =
  /** They live in one that ends with their host. Nothing outside is to be seen from there, or to be signalled. */
  | { readonly kind: 'pid namespace' }
  /** A hook that leaves its group and clears its environment is lost sight of. `why` there is no namespace, and what to do. */
  | { readonly kind: 'process groups'; readonly why: string }

export interface Container {
  readonly containment: Containment
  /** The words in front of those that start a program inside it. None: it is started as it is. */
  readonly words: readonly string[]
}

const folders = ['/usr/bin', '/bin', '/run/current-system/sw/bin']
const shellPath = '/bin/sh'
const tryTimeoutMs = 2000

/**
 * The namespace's first process: it waits for the host, and buries whoever has lost its parent on the way, as Node
 * would not. When it ends, the kernel kills everybody in the namespace. What it says of the host's end is said by the gate.
 */
const firstScript = 'unset PWD OLDPWD SHLVL; exec 4>&2 2>/dev/null; "$@" 2>&4 4>&- & wait $!; exit $?'

/**
 * The shell says its own number, its parent's, and its number by /proc, which must be the namespace's own; then who it is:
 * a number that is no user's would have left it what it was.
 */
const tryScript = `read -r pid rest < /proc/self/stat
while read -r name id rest; do case $name in Uid: | Gid:) ids="$ids $id" ;; esac; done < /proc/self/status
echo "$$ $PPID $pid$ids"`

const find = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path))

interface Tools {
  readonly unshare: string
  readonly setpriv: string
}

/**
 * From the outside in: a process that dies with the gate; a namespace whose first process dies with that one, by the
 * kernel's hand and not by anything that a hook could undo; the host, with less rights than that first process, so that
 * no hook can take that one over. Root alone keeps root's rights, as it asked for no other user.
 */
const wordsFor = ({ unshare, setpriv }: Tools, self: User, user: User): readonly string[] => {
  const isOther = user.uid !== self.uid || user.gid !== self.gid
  const isPrivileged = self.uid === 0 || isOther
  const without = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  const become = isOther ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
  return [
    setpriv,
    '--pdeathsig',
    'KILL',
    // Mounts that come later are seen inside as well.
    unshare,
    ...(isPrivileged ? [] : ['--user', '--map-current-user', '--keep-caps']),
    '--pid',
    '--mount-proc',
    '--propagation',
    'slave',
    '--kill-child',
    '--',
    shellPath,
    '-c',
    firstScript,
    'sh',
    ...(user.uid === 0 ? [] : [setpriv, ...become, '--ambient-caps=-all', ...without]),
  ]
}

/** A sandbox has a PID namespace, whose first process no hook can take over: another one inside would hold nothing more. */
export const inSandbox = (words: readonly string[]): Container => ({
  containment: { kind: 'pid namespace' },
  words,
})

export const withoutNamespace = (why: string): Container => ({
  containment: { kind: 'process groups', why },
  words: [],
})

/** Tries once, for real, and takes two seconds at most. */
export const findContainer = (user: User | undefined): Container => {
  if (process.platform !== 'linux') return withoutNamespace('This system has no PID namespaces.')
  const unshare = find('unshare')
  const setpriv = find('setpriv')
  if (unshare === undefined || setpriv === undefined)
    return withoutNamespace(
      'Expected the programs unshare and setpriv, got none; install the package util-linux.',
    )
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const { uid, gid } = user ?? self
  const words = wordsFor({ unshare, setpriv }, self, { uid, gid })
  const [program, ...args] = [...words, shellPath, '-c', tryScript]
  const { stdout, stderr, error } = spawnSync(program, args, {
    cwd: '/',
    env: {},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: tryTimeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024,
  })
  const [pid, parent, pidByProc, ...ids] = stdout.trim().split(' ')
  if (parent === '1' && pid === pidByProc && ids.join(' ') === `${uid} ${gid}`)
    return { containment: { kind: 'pid namespace' }, words }
  const said = (error?.message ?? `${stderr}${stdout}`).trim().split('\n')[0]?.slice(0, 200)
  return withoutNamespace(
    `Expected the right to make a PID namespace for hooks, got "${said}"; start hookgate as root, or allow user namespaces.`,
  )
}

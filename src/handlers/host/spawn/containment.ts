import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ownSession } from '../../../shared/base/process-group.ts'
import type { User } from './group.ts'

/** The mechanism that contains hooks, so that none outlives its run, its host or the gate. */
export type Containment =
  /**
   * Hooks run in a PID namespace that ends with their host. From inside, no outside process can be seen or
   * signalled.
   */
  | { readonly kind: 'pid namespace' }
  /**
   * A hook that leaves its process group and clears its environment cannot be found. `why` says why there is
   * no namespace and what to do.
   */
  | { readonly kind: 'process groups'; readonly why: string }

export interface Container {
  readonly containment: Containment
  /**
   * The command that is put before a program's own to start it inside the container. Empty: the program is
   * started directly.
   */
  readonly words: readonly string[]
}

const folders = ['/usr/bin', '/bin', '/run/current-system/sw/bin']
const shellPath = '/bin/sh'
const tryTimeoutMs = 2000

/**
 * The namespace's first process. It waits for the host and reaps orphans, which Node would not do. When it
 * ends, the kernel kills every process in the namespace. It prints nothing: the gate reports how the host
 * ended.
 */
const firstScript = 'unset PWD OLDPWD SHLVL; exec 4>&2 2>/dev/null; "$@" 2>&4 4>&- & wait $!; exit $?'

/**
 * The shell prints its pid, its parent's pid and its pid as /proc shows it, which must be the namespace's
 * own. Then it prints its user and group ids, because an invalid number would have left the user unchanged.
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
 * Builds the command from the outside in: a process that dies with the gate; a namespace whose first process
 * dies with that process, which the kernel ensures and no hook can undo; and the host, with fewer rights than
 * that first process, so that no hook can take it over. Only root keeps root's rights, because no other user
 * was requested.
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
    // Later mounts are visible inside as well.
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

/**
 * A sandbox already has a PID namespace whose first process no hook can take over. Another namespace inside
 * would contain nothing more.
 */
export const inSandbox = (words: readonly string[]): Container => ({
  containment: { kind: 'pid namespace' },
  words,
})

export const withoutNamespace = (why: string): Container => ({
  containment: { kind: 'process groups', why },
  words: [],
})

/** Starts one namespace as a test. Takes at most two seconds. */
export const findContainer = (user: User | undefined): Container => {
  if (process.platform !== 'linux') return withoutNamespace('This system has no PID namespaces.')
  const unshare = find('unshare')
  const setpriv = find('setpriv')
  if (unshare === undefined || setpriv === undefined)
    return withoutNamespace('The program unshare or setpriv is missing. Install the package util-linux.')
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const { uid, gid } = user ?? self
  const words = wordsFor({ unshare, setpriv }, self, { uid, gid })
  const [program, ...args] = [...words, shellPath, '-c', tryScript]
  const { stdout, stderr, error } = spawnSync(program, args, {
    ...ownSession,
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
  const output = (error?.message ?? `${stderr}${stdout}`).trim().split('\n')[0]?.slice(0, 200)
  return withoutNamespace(
    `hookgate may make no PID namespace for hooks (${output}). Start it as root, or allow user namespaces.`,
  )
}

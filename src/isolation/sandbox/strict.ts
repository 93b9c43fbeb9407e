import { readdirSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { randomInt } from 'node:crypto'
import { release } from 'node:os'
import { join } from 'node:path'
import type { StartAs } from '../../shared/gate/separation.ts'
import { firstProcessScript, startScript } from '../run-script.ts'
import { systemProgram } from '../users/rights.ts'
import { flagsOf } from './bwrap.ts'
import { foldersAbove, isUnder } from '../paths.ts'
import { hiddenHomes, mountsFor, openHome, type Mount, type SandboxOptions } from './mounts.ts'
import { callFilter } from './syscalls.ts'

/** The bounds of a strict sandbox, for all that runs in it together or for each process. */
export const strictBounds = {
  /** What it can write, in bytes. All of it is memory, and ends with the sandbox. */
  scratchBytes: 32 * 1024 * 1024,
  sharedBytes: 4 * 1024 * 1024,
  maxProcesses: 128,
  /** The memory that one process may write to, in bytes. Addresses alone are free, since Node takes many. */
  dataBytes: 1024 * 1024 * 1024,
  maxOpenFiles: 128,
} as const

/** How a program is started in a strict sandbox, or why there is none and what the owner can do. */
export type StrictStart = { readonly startAs: StartAs } | { readonly why: string; readonly fix: string }

/**
 * Prepares a strict sandbox for a program that nobody approved. `folder`: an empty folder of the gate for its
 * files. `shown`: the only paths of the gate's folder that it sees, to read. Never rejects.
 */
export type StrictSandbox = (folder: string, shown: readonly string[]) => Promise<StrictStart>

/** Users with these numbers exist only while somebody runs as one of them (systemd.io/UIDS-GIDS). */
const [firstUser, lastUser] = [61_184, 65_519]

const isUsed = (uid: number): boolean =>
  readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && statSync(`/proc/${name}`).uid === uid
    } catch {
      return false
    }
  })

/** A user that runs nothing else and owns nothing. */
const freshUser = (): number => {
  for (let tries = 0; tries < 20; tries += 1) {
    const uid = randomInt(firstUser, lastUser)
    if (!isUsed(uid)) return uid
  }
  throw new Error('every user for a strict sandbox is in use')
}

/** Older systems count the processes of a user outside the sandbox, too (the change is of Linux 5.14). */
const countsInside = (): boolean => {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

const { scratchBytes, sharedBytes, maxProcesses, dataBytes, maxOpenFiles } = strictBounds
const scratch = (at: string, bytes: number): readonly string[] => {
  const size = String(bytes)
  return ['--size', size, '--perms', '1777', '--tmpfs', at]
}
const strictFlags = (mount: Mount): readonly string[] =>
  mount.kind === 'empty' ? scratch(mount.at, scratchBytes) : flagsOf(mount)

/**
 * Makes the folders above a mount that lies in an empty one. Without this, bubblewrap makes them so that only
 * root can enter them.
 */
const foldersFor = ({ at }: Mount, mounts: readonly Mount[]): readonly string[] =>
  foldersAbove(at)
    .filter((folder) => {
      const outer = mounts.findLast((mount) => isUnder(mount.at, folder))
      return (outer?.kind === 'empty' || outer?.kind === 'bare') && outer.at !== folder
    })
    .flatMap((folder) => ['--perms', '0755', '--dir', folder])

interface StrictTools {
  readonly bwrap: string
  readonly setpriv: string
  readonly prlimit: string
  readonly nice: string
}

/**
 * Returns the command prefix. The network namespace is empty, and what can be written is bounded. Root
 * becomes a user that nothing else runs as; another user gets a user namespace.
 */
const strictPrefix = (
  { bwrap, setpriv, prlimit, nice }: StrictTools,
  mounts: readonly Mount[],
  filter: string,
  group: number | undefined,
): readonly string[] => {
  const [root, ...others] = mounts
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? freshUser() : undefined
  const become = user === undefined ? '' : ` --reuid=${user} --regid=${group ?? user} --clear-groups`
  const namespaces = ['pid', 'ipc', 'net', 'uts', 'cgroup-try', ...(isRoot ? [] : ['user'])]
  const devices = ['--dev', '/dev', ...scratch('/dev/shm', sharedBytes), '--remount-ro', '/dev']
  const first = ['/bin/sh', '-c', firstProcessScript(`${setpriv}${become}`), 'sh']
  const limits = [
    ...(isRoot || countsInside() ? [`--nproc=${maxProcesses}`] : []),
    `--data=${dataBytes}`,
    `--fsize=${scratchBytes}`,
    `--nofile=${maxOpenFiles}`,
    '--core=0',
  ]
  return [
    '/bin/sh',
    '-c',
    'exec 7<"$0"; exec "$@"',
    filter,
    // Rights of a service would keep bubblewrap from starting.
    ...(isRoot ? [] : [setpriv, '--ambient-caps=-all', '--inh-caps=-all']),
    bwrap,
    ...namespaces.map((name) => `--unshare-${name}`),
    '--die-with-parent',
    '--as-pid-1',
    '--cap-add',
    'ALL',
    '--seccomp',
    '7',
    ...(root === undefined ? [] : flagsOf(root)),
    ...devices,
    '--proc',
    '/proc',
    ...others
      .filter(({ at }) => at !== '/proc')
      .flatMap((mount) => [...foldersFor(mount, mounts), ...strictFlags(mount)]),
    ...others.flatMap(({ at, kind }) => (kind === 'bare' ? ['--remount-ro', at] : [])),
    '--chdir',
    '/',
    '--',
    ...first,
    // Hooks in force come first.
    nice,
    '-n',
    '10',
    prlimit,
    ...limits,
    '--',
  ]
}

/**
 * Checks the sandbox from inside. It prints the first property that is missing. `$1` is the gate's folder,
 * `$2` the workspace, `$3` node, `$4` our process namespace. Then follow the inode number and path of each
 * home that must be hidden.
 */
const inspect = `fail() { echo "$1"; exit 1; }
[ ! -e "$1/secrets" ] && [ ! -e "$1/gate.yaml" ] && [ ! -e "$1/seal" ] || fail "the gate's folder is still there"
[ ! -w "$2" ] && [ ! -w "$1" ] && [ ! -w /dev ] && [ ! -w /run ] && [ ! -w /var/tmp ] || fail "something can be written"
[ -w /tmp ] || fail "there is no scratch folder"
[ "$(readlink /proc/self/ns/pid)" != "$4" ] || fail "its processes are still there"
while read -r name rest; do case $name in *:) [ "$name" = lo: ] || fail "the network is still there" ;; esac; done < /proc/net/dev
for line in NoNewPrivs:.1 CapEff:.0* CapBnd:.0* Seccomp:.2; do grep -q "^$line$" /proc/self/status || fail "rights are left"; done
"$3" --version > /dev/null || fail "node does not run"
shift 4
for known; do ls -di "\${known#* }" | { read -r number path; [ "$number" != "\${known%% *}" ]; } || fail "your home is still there"; done
`

const install = 'Install bubblewrap 0.6 or newer and util-linux on the machine of the gate.'

/**
 * `group`: the group whose files hooks may read, where hooks have a user of their own. Tests replace `find`,
 * which looks up the system's programs.
 */
export const strictSandbox =
  (options: SandboxOptions, pidNamespace: string, group?: number, find = systemProgram): StrictSandbox =>
  async (folder, shown) => {
    if (process.platform !== 'linux')
      return { why: 'this system is not Linux', fix: 'Run hookgate on Linux, with bubblewrap.' }
    const [bwrap, setpriv, prlimit, nice] = ['bwrap', 'setpriv', 'prlimit', 'nice'].map(find)
    if (bwrap === undefined || setpriv === undefined || prlimit === undefined || nice === undefined)
      return { why: 'bubblewrap or util-linux is missing', fix: install }
    const filter = callFilter(process.arch)
    if (filter === undefined)
      return {
        why: `the system calls of ${process.arch} are not known to hookgate`,
        fix: 'Use a machine with an x64 or arm64 processor.',
      }
    if (openHome(options) !== undefined)
      return {
        why: 'your home is the workspace or lies in it, so it could be read',
        fix: 'Name another workspace: HOOKGATE_WORKSPACE.',
      }
    try {
      const { home, workspace } = options
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, 'calls')
      await writeFile(file, filter, { mode: 0o600 })
      const mounts = mountsFor(options, { strict: shown })
      const startAs: StartAs = {
        prefix: strictPrefix({ bwrap, setpriv, prlimit, nice }, mounts, file, group),
      }
      const homes = hiddenHomes(options).map((place) => `${statSync(place).ino} ${place}`)
      const words = [home, workspace, process.execPath, pidNamespace, ...homes]
      const why = await startScript(startAs, inspect, words)
      return why === undefined ? { startAs } : { why: `bubblewrap: ${why}`, fix: install }
    } catch (error) {
      return { why: error instanceof Error ? error.message : 'unknown', fix: install }
    }
  }

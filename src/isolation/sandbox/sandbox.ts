import { mkdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { StartAs } from '../../shared/gate/separation.ts'
import { bwrapPrefix } from './bwrap.ts'
import { clearMountPoints, hooksOwn, prepareHookHome } from '../hook-home.ts'
import { hookPaths, hiddenHomes, mountsFor, type SandboxProfile, type SandboxOptions } from './mounts.ts'
import { systemProgram } from '../users/rights.ts'
import { startScript } from '../run-script.ts'
import { unsharePrefix } from './unshare.ts'

export interface Sandbox {
  readonly by: 'bwrap' | 'unshare'
  /** Returns how an agent or the hook host is started. Each gets its own sandbox. */
  programAs(profile: SandboxProfile): StartAs
}

/**
 * This script checks a sandbox. It prints the first property that the sandbox lacks. `$1` is the gate's
 * folder, `$2` the workspace, `$3` the code, `$4` node, `$5` our process namespace. Then follow the inode
 * number and path of each home that must be hidden.
 */
const inspect = `fail() { echo "$1"; exit 1; }
[ ! -e "$1/secrets" ] && [ ! -e "$1/gate.yaml" ] || fail "the gate's folder is still there"
[ -w "$2" ] || fail "the workspace cannot be written"
[ ! -w "$3/package.json" ] || fail "hookgate's code can be written"
read -r pid rest < /proc/self/stat
[ "$pid" = $$ ] && [ "$(readlink /proc/self/ns/pid)" != "$5" ] || fail "its processes are still there"
grep -q '^NoNewPrivs:.1' /proc/self/status && grep -q '^CapEff:.0*$' /proc/self/status || fail "rights are left"
"$4" --version > /dev/null || fail "node does not run"
home=$1; shift 5
for known; do ls -di "\${known#* }" | { read -r number path; [ "$number" != "\${known%% *}" ]; } || fail "your home is still there"; done
`
const agentSees =
  '[ ! -e "$home/seal" ] && [ ! -e "$home/hooks" ] || fail "what is the hooks’ is still there"'
const hooksSee = `[ -x "$home/seal" ] && [ ! -w "$home/seal" ] && [ -x "$home/run/hooks" ] || fail "hooks cannot read seals alone"
for place in "$home/hooks/home" /tmp; do [ -w "$place" ] || fail "hooks cannot write $place"; done`

/** The name of this process's PID namespace. Empty: it cannot be read. */
export const processNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Returns the folder that lasts for an agent, because its home in the sandbox does not last. */
const lastingFolder = (profile: SandboxProfile): Pick<StartAs, 'kept'> =>
  typeof profile === 'object' && 'kept' in profile ? { kept: profile.kept } : {}

/**
 * Tries each kind of sandbox and returns the first one that works on this machine, or else the failure of
 * each kind. Tests replace `find`, which looks up the system's programs.
 */
export const findSandbox = async (
  options: SandboxOptions,
  find = systemProgram,
): Promise<Sandbox | { readonly why: string }> => {
  const { home, workspace, root, isRoot } = options
  for (const name of hookPaths) mkdirSync(join(home, name), { recursive: true })
  prepareHookHome(home)
  clearMountPoints(
    hooksOwn(home).tmp,
    mountsFor(options, 'hooks').map(({ at }) => at),
  )
  const [bwrap, unshare, setpriv] = ['bwrap', 'unshare', 'setpriv'].map(find)
  const folderOf = (profile: SandboxProfile): string => (profile === 'hooks' ? '/' : workspace)
  const byBwrap = (program: string, tool?: string): Sandbox => ({
    by: 'bwrap',
    programAs: (profile) => ({
      ...lastingFolder(profile),
      prefix: bwrapPrefix({ bwrap: program, setpriv: tool }, mountsFor(options, profile), folderOf(profile)),
    }),
  })
  const kinds: readonly Sandbox[] = [
    ...(bwrap === undefined
      ? []
      : [...(setpriv === undefined ? [] : [byBwrap(bwrap, setpriv)]), byBwrap(bwrap)]),
    ...(unshare === undefined || setpriv === undefined
      ? []
      : [
          {
            by: 'unshare' as const,
            programAs: (profile: SandboxProfile): StartAs => ({
              ...lastingFolder(profile),
              prefix: unsharePrefix(
                { unshare, setpriv },
                mountsFor(options, profile),
                home,
                folderOf(profile),
                isRoot,
              ),
            }),
          },
        ]),
  ]
  const scriptArgs = [
    home,
    workspace,
    root,
    process.execPath,
    processNamespace(),
    ...hiddenHomes(options).map((place) => `${statSync(place).ino} ${place}`),
  ]
  const failures = new Map<string, string>()
  for (const kind of kinds) {
    const lacks = await Promise.all([
      startScript(kind.programAs({ sockets: [] }), inspect + agentSees, scriptArgs),
      startScript(kind.programAs('hooks'), inspect + hooksSee, scriptArgs),
    ])
    const why = lacks.find((lack) => lack !== undefined)
    if (why === undefined) return kind
    failures.set(kind.by, `${kind.by}: ${why}`)
  }
  return {
    why:
      failures.size === 0
        ? 'this system has no sandbox that hookgate knows'
        : `no sandbox works here (${[...failures.values()].join('; ')})`,
  }
}

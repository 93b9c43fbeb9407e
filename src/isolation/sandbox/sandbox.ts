import { mkdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { StartAs } from '../../model/gate/separation.ts'
import { bwrapPrefix } from './bwrap.ts'
import { clearMountPoints, hooksOwn, prepareHookHome } from '../hook-home.ts'
import { forHooks, hiddenHomes, mountsFor, type Guest, type SandboxOptions } from './mounts.ts'
import { systemProgram } from '../users/rights.ts'
import { runScript } from '../run-script.ts'
import { unsharePrefix } from './unshare.ts'

export interface Sandbox {
  readonly by: 'bwrap' | 'unshare'
  /** How an agent is started, or the hook host: each in a sandbox of its own. */
  programAs(guest: Guest): StartAs
}

/** Says what a sandbox does not hold, or that hookgate could not run in it. `$1` the gate's folder, `$2` workspace, `$3` code, `$4` node, `$5` our process namespace, then number and path of each home that is not to be there. */
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

const here = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** An agent's own home does not last here. */
const keptBy = (guest: Guest): Pick<StartAs, 'kept'> =>
  guest === 'hooks' || guest.kept === undefined ? {} : { kept: guest.kept }

/** The first kind of sandbox that holds on this machine, tried out; else what each said. `find` stands in for the system's programs in tests. */
export const findSandbox = (
  options: SandboxOptions,
  find = systemProgram,
): Sandbox | { readonly why: string } => {
  const { home, workspace, root, isRoot } = options
  for (const name of forHooks) mkdirSync(join(home, name), { recursive: true })
  prepareHookHome(home)
  clearMountPoints(
    hooksOwn(home).tmp,
    mountsFor(options, 'hooks').map(({ at }) => at),
  )
  const [bwrap, unshare, setpriv] = ['bwrap', 'unshare', 'setpriv'].map(find)
  const folderOf = (guest: Guest): string => (guest === 'hooks' ? '/' : workspace)
  const byBwrap = (program: string, tool?: string): Sandbox => ({
    by: 'bwrap',
    programAs: (guest) => ({
      ...keptBy(guest),
      prefix: bwrapPrefix({ bwrap: program, setpriv: tool }, mountsFor(options, guest), folderOf(guest)),
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
            programAs: (guest: Guest): StartAs => ({
              ...keptBy(guest),
              prefix: unsharePrefix(
                { unshare, setpriv },
                mountsFor(options, guest),
                home,
                folderOf(guest),
                isRoot,
              ),
            }),
          },
        ]),
  ]
  const words = [
    home,
    workspace,
    root,
    process.execPath,
    here(),
    ...hiddenHomes(options).map((place) => `${statSync(place).ino} ${place}`),
  ]
  const said = new Map<string, string>()
  for (const kind of kinds) {
    const why =
      runScript(kind.programAs({ sockets: [] }), inspect + agentSees, words) ??
      runScript(kind.programAs('hooks'), inspect + hooksSee, words)
    if (why === undefined) return kind
    said.set(kind.by, `${kind.by}: ${why}`)
  }
  return {
    why:
      said.size === 0
        ? 'this system has no sandbox that hookgate knows'
        : `no sandbox works here (${[...said.values()].join('; ')})`,
  }
}

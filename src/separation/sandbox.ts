import { readlinkSync } from 'node:fs'
import type { StartAs } from '../model/separation.ts'
import { bwrapPrefix } from './bwrap.ts'
import { mountsFor, type SandboxOptions } from './mounts.ts'
import { systemProgram } from './rights.ts'
import { runScript } from './run-script.ts'
import { unsharePrefix } from './unshare.ts'

export interface Sandbox {
  readonly by: 'bwrap' | 'unshare'
  /** `sockets`: what of the gate's folder may be seen. */
  startAs(sockets: readonly string[]): StartAs
}

/** Says what a sandbox does not hold, or that hookgate could not run in it. `$1` the gate's folder, `$2` workspace, `$3` code, `$4` node, `$5` our process namespace. */
const inspect = `fail() { echo "$1"; exit 1; }
[ ! -e "$1/secrets" ] && [ ! -e "$1/seal" ] || fail "the gate's folder is still there"
[ -w "$2" ] || fail "the workspace cannot be written"
[ ! -w "$3/package.json" ] || fail "hookgate's code can be written"
read -r pid rest < /proc/self/stat
[ "$pid" = $$ ] && [ "$(readlink /proc/self/ns/pid)" != "$5" ] || fail "its processes are still there"
grep -q '^NoNewPrivs:.1' /proc/self/status && grep -q '^CapEff:.0*$' /proc/self/status || fail "rights are left"
"$4" --version > /dev/null || fail "node does not run"`

const here = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** The first kind of sandbox that holds on this machine, tried out; else what each said. `find` stands in for the system's programs in tests. */
export const findSandbox = (options: SandboxOptions, find = systemProgram): Sandbox | { readonly why: string } => {
  const { home, workspace, root, isRoot } = options
  const mounts = mountsFor(options)
  const [bwrap, unshare, setpriv] = ['bwrap', 'unshare', 'setpriv'].map(find)
  const kinds: readonly Sandbox[] = [
    ...(bwrap === undefined ? [] : [{ by: 'bwrap' as const, startAs: (sockets: readonly string[]): StartAs => ({ prefix: bwrapPrefix(bwrap, mounts, home, workspace, sockets) }) }]),
    ...(unshare === undefined || setpriv === undefined ? [] : [{ by: 'unshare' as const, startAs: (sockets: readonly string[]): StartAs => ({ prefix: unsharePrefix({ unshare, setpriv }, mounts, home, workspace, sockets, isRoot) }) }]),
  ]
  const said: string[] = []
  for (const kind of kinds) {
    const why = runScript(kind.startAs([]), inspect, [home, workspace, root, process.execPath, here()])
    if (why === undefined) return kind
    said.push(`${kind.by}: ${why}`)
  }
  return { why: said.length === 0 ? 'this system has no sandbox that hookgate knows' : `no sandbox works here (${said.join('; ')})` }
}
